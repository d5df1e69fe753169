package records

import (
	"cmp"
	"errors"
	"fmt"
	"io"
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

// withSheets adds the sheets of a workbook to the error of one that names no field.
func withSheets(c *fiber.Ctx, file *web.File, err error) error {
	e, ok := errors.AsType[*apperr.Error](err)
	if !isWorkbook(c) || !ok || len(e.Details) != 1 || !strings.HasPrefix(e.Details[0].Field, "row ") || e.Details[0].Code != fields.Required {
		return err
	}
	book := make([]byte, file.Size())
	if _, err := io.ReadFull(file.Reader(), book); err != nil {
		return err
	}
	names, failure := xlsx.Sheets(c.UserContext(), book)
	if failure != nil || len(names) < 2 {
		return err
	}
	detail := e.Details[0]
	detail.Message += fmt.Sprintf(" This was the sheet %q of %s; sheet= names another.", cmp.Or(string(c.Context().QueryArgs().Peek("sheet")), names[0]), strings.Join(names, ", "))
	return apperr.Invalid(detail)
}
