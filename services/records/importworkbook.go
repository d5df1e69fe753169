package records

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/web"
)

// Codes of notices, and how many rows or columns one of them names.
const (
	hiddenRows    = "HIDDEN_ROWS"
	hiddenColumns = "HIDDEN_COLUMNS"
	namedHidden   = 20
)

// hiddenParts is what a sheet hides of what is imported from it.
type hiddenParts struct {
	rows  int
	first []string // the numbers of the first rows
	heads []string // of columns
}

// row notes a hidden row.
func (h *hiddenParts) row(number int) {
	if h.rows++; len(h.first) < namedHidden {
		h.first = append(h.first, strconv.Itoa(number))
	}
}

// column notes a hidden column.
func (h *hiddenParts) column(head string) {
	if len(h.heads) < namedHidden {
		h.heads = append(h.heads, head)
	}
}

// notices says that rows or columns are imported that the sheet does not show.
func (h *hiddenParts) notices() (out []fields.Notice) {
	if h.rows > 0 {
		out = append(out, fields.Notice{Code: hiddenRows, Field: "file", Suggestions: h.first,
			Message: fmt.Sprintf("The sheet hides %d of its rows, as a filter does; they are imported like the others. Delete those that are not meant.", h.rows)})
	}
	if len(h.heads) > 0 {
		out = append(out, fields.Notice{Code: hiddenColumns, Field: "file", Suggestions: h.heads,
			Message: fmt.Sprintf("The sheet hides columns that are imported: %s. Delete those that are not meant.", strings.Join(h.heads, ", "))})
	}
	return out
}

// sheetsOf returns the sheets of a workbook, and which of them a request is for; nil where the file is no workbook that can be
// read, of which the reader of its rows says what is wrong.
func sheetsOf(c *fiber.Ctx, file *web.File) (sheets []xlsx.Sheet, at int, err error) {
	if !isWorkbook(c) {
		return nil, 0, nil
	}
	book := make([]byte, file.Size())
	if _, err := io.ReadFull(file.Reader(), book); err != nil {
		return nil, 0, err
	}
	sheets, err = xlsx.Sheets(c.UserContext(), book)
	if apperr.CodeOf(err) == apperr.ValidationError {
		return nil, 0, nil
	}
	if name := string(c.Context().QueryArgs().Peek("sheet")); name != "" {
		at = slices.IndexFunc(sheets, func(s xlsx.Sheet) bool { return s.Name == name })
	}
	return sheets, at, err
}

// hiddenSheet returns the notice of a sheet that is imported and not shown; none of any other.
func hiddenSheet(sheets []xlsx.Sheet, at int) []fields.Notice {
	if at < 0 || at >= len(sheets) || !sheets[at].Hidden {
		return nil
	}
	notice := fields.Notice{Code: "HIDDEN_SHEET", Field: "sheet", Message: fmt.Sprintf("The sheet %q is hidden in the workbook. If it is not meant, choose another one.", sheets[at].Name)}
	for _, s := range sheets {
		if !s.Hidden && len(notice.Suggestions) < namedHidden {
			notice.Suggestions = append(notice.Suggestions, s.Name)
		}
	}
	return []fields.Notice{notice}
}

// withSheets adds the sheets of a workbook to the error of one, so that another can be chosen, and names them where the
// headings are no fields.
func withSheets(err error, sheets []xlsx.Sheet, at int) error {
	e, ok := errors.AsType[*apperr.Error](err)
	if !ok || len(sheets) == 0 || e.Code != apperr.ValidationError && e.Code != apperr.DuplicateFile {
		return err
	}
	told := *e
	told.Sheets = sheets
	if len(e.Details) != 1 || len(sheets) < 2 || at < 0 || !strings.HasPrefix(e.Details[0].Field, "row ") || e.Details[0].Code != fields.Required {
		return &told
	}
	names := make([]string, 0, len(sheets))
	for _, s := range sheets[:min(len(sheets), namedSheets)] {
		names = append(names, s.Name)
	}
	detail := e.Details[0]
	detail.Message += fmt.Sprintf(" This was the sheet %q of %s; sheet= names another.", sheets[at].Name, strings.Join(names, ", "))
	told.Details = []apperr.Detail{detail}
	return &told
}

// namedSheets is how many sheets a sentence names.
const namedSheets = 50
