// Package xlsx converts a sheet of an Excel workbook to the CSV that package sheet
// reads. For formulas it uses the results stored in the workbook; it calculates
// nothing.
//
// A workbook is untrusted input, including the sizes it declares. So
// allocations depend on the actual contents only; the sheet is read
// cell by cell, and otherwise only the names of the sheets and the shared strings are kept.
package xlsx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet"
)

const (
	// maxUnpacked bounds the unpacked size of a workbook, in bytes: a few kilobytes of zip can expand to gigabytes.
	maxUnpacked = 48 << 20
	maxRows     = 100_000
	maxColumns  = 500
	// maxCells bounds the cells of a sheet, empty ones included. Written as spreadsheet
	// programs do, with its place, no cell has less than twenty bytes, and more than these
	// do not fit into maxUnpacked.
	maxCells = 2_500_000
	// shownSheets is how many names of sheets an answer has at most.
	shownSheets = 50
)

// Options select the part of a workbook to write, and its format.
type Options struct {
	// Sheet is the name of the sheet; empty means the first one.
	Sheet string
	// DecimalComma: numbers are written 2,5.
	DecimalComma bool
	// Head returns which of the first rows with something in them is the head; those above it
	// are written as empty ones. nil: it is the first one.
	Head func(rows [][]string) int
	// Headings returns the headings of a table whose headings are in two rows, and nil if these are not; nil: they
	// never are. The upper row is written too.
	Headings func(upper, lower []string) []string
	// Columns returns what the columns below a head are; nil: nothing is known of them.
	Columns func(head []string) []sheet.ShownColumn
	// Declared: the form of numbers was declared, so that none has two readings.
	Declared bool
	// Hidden is called for each row below the head that has something in it and is hidden, as
	// those that a filter leaves out are; it may be nil. Such rows are written.
	Hidden func(row int)
	// HiddenColumn is called for each column with a heading that is used and hidden; nil: nobody
	// wants to know. Such columns are written.
	HiddenColumn func(head string)
	// Limit is how many bytes may be written. A text that many cells share is written for
	// each of them, so the size of the workbook bounds nothing.
	Limit int
}

// WriteCSV writes a sheet of a workbook as CSV in UTF-8, one line per row, including empty ones, so that row numbers
// are preserved. Numeric cells are written unambiguously; if strings in numeric columns are ambiguous, and others
// determine their format, format is it, one of [units.Formats]. A fault in the file is a VALIDATION_ERROR, exceeding
// the limit PAYLOAD_TOO_LARGE; both may occur after a part has been written. It returns the error of ctx soon after
// ctx ends.
func WriteCSV(ctx context.Context, to io.Writer, file []byte, o Options) (format string, err error) {
	parts, err := open(ctx, file)
	if err != nil {
		return "", err
	}
	book, err := parts.workbook()
	if err != nil {
		return "", unreadable(err)
	}
	at := 0
	switch {
	case len(book.sheets) == 0:
		return "", fault("file", fields.BadFormat, "The workbook has no sheet.")
	case o.Sheet != "":
		if at = slices.IndexFunc(book.sheets, func(s sheetPart) bool { return s.name == o.Sheet }); at < 0 {
			return "", noSheet(o.Sheet, book.sheets)
		}
	}
	texts, err := parts.texts(book.textsPart)
	if err != nil {
		return "", unreadable(err)
	}
	formats, err := parts.formats(book.stylesPart)
	if err != nil {
		return "", unreadable(err)
	}
	rows, err := parts.rows(book.sheets[at].part, texts)
	if err != nil {
		return "", unreadable(err)
	}
	defer rows.close()
	merged, err := parts.merged(book.sheets[at].part)
	if err != nil {
		return "", unreadable(err)
	}
	out := bufio.NewWriterSize(to, 64<<10)
	c := &converter{out: out, left: o.Limit, limit: o.Limit, comma: o.DecimalComma, from1904: book.from1904, formats: formats, headOf: o.Head, headings: o.Headings, columnsOf: o.Columns, declared: o.Declared, hidden: o.Hidden, merged: merged}
	if o.HiddenColumn != nil {
		c.hides, c.hiddenColumn = rows.hides, o.HiddenColumn
	}
	if err := c.convert(ctx, rows); err != nil {
		return "", unreadable(err)
	}
	return c.texts.Format(), out.Flush()
}

// Sheet is a sheet of a workbook.
type Sheet struct {
	Name string `json:"name"`
	// Rows is how many of its rows have something in them, headings and titles included.
	Rows int `json:"rows"`
	// Hidden: spreadsheet programs do not show it.
	Hidden bool `json:"hidden"`
}

// Sheets returns the sheets of a workbook, in their order.
func Sheets(ctx context.Context, file []byte) ([]Sheet, error) {
	parts, err := open(ctx, file)
	if err != nil {
		return nil, err
	}
	book, err := parts.workbook()
	if err != nil {
		return nil, unreadable(err)
	}
	sheets := make([]Sheet, 0, len(book.sheets))
	counted := map[string]int{} // of parts: two sheets may name one
	for _, s := range book.sheets {
		rows, ok := counted[s.part]
		if !ok {
			if rows, err = parts.countRows(s.part); err != nil {
				return nil, unreadable(err)
			}
			counted[s.part] = rows
		}
		sheets = append(sheets, Sheet{Name: s.name, Rows: rows, Hidden: s.hidden})
	}
	return sheets, nil
}

// namesOf returns the names of sheets that an answer has.
func namesOf(sheets []sheetPart) []string {
	var names []string
	for _, s := range sheets[:min(len(sheets), shownSheets)] {
		names = append(names, s.name)
	}
	return names
}

func fault(field, code, message string) error {
	return apperr.Invalid(apperr.Detail{Field: field, Code: code, Message: message})
}

func noSheet(name string, sheets []sheetPart) error {
	names := namesOf(sheets)
	return apperr.Invalid(apperr.Detail{Field: "sheet", Code: fields.NotAllowed, Suggestions: names,
		Message: fmt.Sprintf("The workbook has no sheet %s; its sheets are %s.", strconv.Quote(name), strings.Join(names, ", "))})
}

// tooLarge is the fault of a workbook that unpacks to more than may be unpacked.
func tooLarge() error {
	return fault("file", fields.TooMany, fmt.Sprintf("The workbook unpacks to more than %d MiB. Save the one sheet that is meant, as XLSX or as CSV.", maxUnpacked>>20))
}

// tooFar is the fault of a sheet with content beyond the last possible row or column.
func tooFar(row int) error {
	return fault(fmt.Sprintf("row %d", row), fields.TooMany, fmt.Sprintf("A sheet has at most %d rows and %d columns. Is there something far outside of the table?", maxRows, maxColumns))
}

var (
	// errNoWorkbook reports a file that is not a workbook.
	errNoWorkbook = errors.New("no workbook")
	// errDamaged reports a workbook that is inconsistent or invalid.
	errDamaged = errors.New("damaged workbook")
	// errElements reports a workbook with too many elements.
	errElements = errors.New("too many elements")
)

// unreadable returns the fault for a workbook that could not be read. Faults, and the end of a request, are returned
// unchanged.
func unreadable(err error) error {
	var told *apperr.Error
	switch {
	case errors.As(err, &told), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errWriting):
		return err
	case errors.Is(err, errElements):
		return fault("file", fields.TooMany, fmt.Sprintf("The workbook has more than %d rows, or more than %d texts, formats or other parts. Save the one sheet that is meant as CSV.", maxRows, maxElements/2))
	case errors.Is(err, errNoWorkbook):
		return fault("file", fields.BadFormat, "The file is not an XLSX workbook. Save it as XLSX; if it is CSV, send it as text/csv.")
	}
	return fault("file", fields.BadFormat, "The workbook cannot be read. Save it anew as XLSX, or as CSV.")
}
