package records

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// rehearsed is what a rehearsal tells of a file.
type rehearsed struct {
	columns []sheet.ReadColumn
	sheets  []xlsx.Sheet
	// records: the rows are told as they are read.
	records bool
}

// maxReadRows is how many rows a rehearsal tells as they are read.
const maxReadRows = 2000

// readRow is a row of a file as it is read.
type readRow struct {
	Row    int64             `json:"row"`
	Type   string            `json:"type"`
	Fields json.RawMessage   `json:"fields"`
	Errors []record.RowError `json:"errors"`
	// Read: the row could be read, so that a record with its fields would be refused for the same reasons, if any.
	Read bool `json:"read"`
}

// readRows collects the rows of a file as they are read, the first maxReadRows.
type readRows []readRow

func (r *readRows) add(row sheet.Row, faults []record.RowError) {
	if len(*r) == maxReadRows {
		return
	}
	read := readRow{Row: row.Number, Type: row.Type, Fields: row.Body, Errors: faults, Read: row.Err == nil}
	if read.Fields == nil {
		read.Fields = json.RawMessage("{}")
	}
	if read.Errors == nil {
		read.Errors = []record.RowError{}
	}
	*r = append(*r, read)
}

// readable returns a file as the importer reads it, which the caller closes: as CSV in UTF-8, with the headings that were
// chosen, for attendee travel without columns of names and addresses, which are never stored. It also returns how many rows it
// has at most, and of a rehearsal how the columns are read. Errors of the head are reported at once.
func readable(c *fiber.Ctx, i *record.Import, file *web.File, charset string) (csv *web.File, rows int64, columns []sheet.ReadColumn, err error) {
	rehearsal, err := web.DryRun(c)
	if err != nil {
		return nil, 0, nil, err
	}
	text, err := asCSV(c, i, file, charset)
	if err != nil {
		return nil, 0, nil, err
	}
	before, err := chooseColumns(i, &text)
	o := imports.Options(*i)
	o.Before = before
	var typ string
	if err == nil {
		i.WholeRecords = imports.WholeRecords(text.Reader(), *i)
		typ = imports.RowType(*i)
		rows, err = detectForm(c, i, text, o)
	}
	if rehearsal && (err == nil || apperr.CodeOf(err) == apperr.ValidationError) {
		columns = sheet.ReadColumns(text.Reader(), cmp.Or(typ, imports.RowType(*i)), o)
		err = withColumns(err, columns)
	}
	if err == nil && i.Type == footprint.AttendeeTravel {
		err = replaceFile(&text, func(to io.Writer) (err error) {
			i.Ignored, err = sheet.KeepColumns(to, text.Reader, typ, o)
			i.Ignored = imports.NotLeftOut(*i, i.Ignored)
			return err
		})
	}
	if err != nil {
		return nil, 0, nil, errors.Join(err, text.Close())
	}
	return text, rows, columns, nil
}

// chooseColumns finds the head of a file, and replaces it by one with the headings that were chosen. It returns the one
// before; nil if none were.
func chooseColumns(i *record.Import, text **web.File) (before []string, err error) {
	if i.HeadRow, err = sheet.HeadRow((*text).Reader(), imports.Options(*i), imports.RowTypes(*i)...); err != nil || len(i.Columns) == 0 {
		return nil, err
	}
	err = replaceFile(text, func(to io.Writer) (err error) {
		typeOf := func(heads []string) string { return imports.RowTypeBelow(heads, *i) }
		before, err = sheet.ChooseColumns(to, (*text).Reader, typeOf, imports.Options(*i), imports.Choices(*i))
		return err
	})
	return before, err
}

// detectForm detects how a file is written, and how many rows it has at most.
func detectForm(c *fiber.Ctx, i *record.Import, text *web.File, o sheet.Options) (rows int64, err error) {
	typ := imports.RowType(*i)
	form, err := sheet.DetectForm(text.Reader(), typ, o)
	if err == nil && web.Strict(c) {
		err = refuseColumns(typ, imports.NotLeftOut(*i, form.Ignored))
	}
	if err != nil {
		return 0, err
	}
	i.HeadRow, i.DateOrder = form.HeadRow, cmp.Or(i.DateOrder, form.DateOrder)
	i.Doubts = form.Doubts || isWorkbook(c) && !form.Ours
	if !isWorkbook(c) {
		i.NumberFormat = cmp.Or(i.NumberFormat, form.NumberFormat)
	}
	return form.Rows, nil
}

// replaceFile replaces a file by one that is derived from it.
func replaceFile(file **web.File, write func(to io.Writer) error) error {
	other, err := derived(*file, write)
	if err != nil {
		return err
	}
	err = (*file).Close()
	*file = other
	return err
}

// withColumns adds to the error of a rehearsed file how its columns are read, so that others can be chosen.
func withColumns(err error, columns []sheet.ReadColumn) error {
	e, ok := errors.AsType[*apperr.Error](err)
	if !ok || len(columns) == 0 {
		return err
	}
	told := *e
	told.Columns = columns
	return &told
}
