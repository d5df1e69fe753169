package records

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/records/imports"
)

func (s *server) listImports(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	event, err := s.event(c)
	if err != nil {
		return err
	}
	stored, total, err := s.Store.EventImports(c.UserContext(), teams.Org(c), event.ID, page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	views := make([]importView, len(stored))
	for n, i := range stored {
		i.Errors = i.Errors[:min(len(i.Errors), 3)] // the import itself has more
		views[n] = viewOf(i)
	}
	return web.OK(c, web.NewList(views, page, total))
}

// listImportErrors lists all errors of a file.
func (s *server) listImportErrors(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	i, err := s.importOf(c)
	if err != nil {
		return err
	}
	if i.BadParts == 0 {
		all := int64(len(i.Errors))
		from, to := page.Within(all)
		return web.OK(c, web.NewList(i.Errors[from:to], page, all))
	}
	items := make([]record.RowError, 0, page.Limit)
	seen := int64(0)
	for row, err := range imports.BadRows(c.UserContext(), s.Store, i) {
		if err != nil {
			return err
		}
		for _, f := range row.Faults {
			if seen++; seen > page.Offset() && int64(len(items)) < page.Limit {
				items = append(items, f)
			}
		}
		if int64(len(items)) == page.Limit {
			break
		}
	}
	return web.OK(c, web.NewList(items, page, i.Faults))
}

// badRowsFile sends the rows that were not imported as a file to be corrected and sent again:
// unchanged, with an additional column of their errors.
func (s *server) badRowsFile(c *fiber.Ctx) error {
	i, err := s.importOf(c)
	if err != nil {
		return err
	}
	tag := web.ETagOf("bad rows", i.ID, strconv.FormatInt(i.Rev, 10))
	if i.BadParts == 0 {
		message := "No row of this import is bad."
		switch {
		case !i.Finished():
			message = fmt.Sprintf("The import is still %s: no row of it is known to be bad so far. Ask again when it is completed or failed.", i.Status)
		case i.Faults > 0:
			message = fmt.Sprintf("The rows themselves are kept for the newest %d imports of an event only.", imports.KeptBadRows)
		}
		return apperr.New(apperr.NotFound, "%s", message)
	}
	if web.NotModified(c, tag) {
		return web.SendNotModified(c, tag)
	}
	var file []byte
	width := 0
	for row, err := range imports.BadRows(c.UserContext(), s.Store, i) {
		if err != nil {
			return err
		}
		switch {
		case len(row.Faults) == 0: // the head
			width = len(row.Cells)
			file = sheet.AppendRow(file, append(resent(row.Cells, width), imports.ErrorsColumn))
		case len(row.Cells) > 0:
			file = sheet.AppendRow(file, append(resent(row.Cells, width), sheet.Guard(errorText(row))))
		}
	}
	c.Set(fiber.HeaderETag, tag)
	c.Set(fiber.HeaderContentType, csvType)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="bad-rows-`+i.ID+`.csv"`)
	return c.Send(file)
}

// resent returns the cells of a row for a file with width columns: the last cell contains the
// surplus of a row that is too long.
func resent(cells []string, width int) []string {
	out := make([]string, 0, width+1)
	for _, cell := range cells {
		out = append(out, sheet.Guard(sheet.Unguard(cell)))
	}
	if width > 0 && len(out) > width {
		out = append(out[:width-1:width-1], strings.Join(out[width-1:], ","))
	}
	for len(out) < width {
		out = append(out, "")
	}
	return out
}

// errorText returns the errors of a row as the text of one cell.
func errorText(row imports.BadRow) string {
	var all []string
	for _, f := range row.Faults {
		text := f.Message
		if f.Column != "" {
			text = f.Column + ": " + text
		}
		all = append(all, text)
	}
	return fmt.Sprintf("row %d: %s", row.Row, strings.Join(all, " "))
}
