package csvrows

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// Rows are the rows of a file from that of the headings on.
type Rows struct {
	rows     *csv.Reader
	strictly bool
	number   int64 // of the last row
	line     int   // of the next row, unless it is preceded by blank lines
	// ahead is a row that was read before its turn; nil: none.
	ahead *ahead
}

// ahead is a row that was read before its turn, with where reading continues behind it.
type ahead struct {
	cells  []string
	err    error
	number int64
	line   int
}

// Rows returns the rows of a file.
func (f *File) Rows() *Rows {
	rows := csv.NewReader(&lineBreaks{from: f.from, comma: f.comma, returns: f.returns, formulas: !f.o.Strictly})
	rows.Comma = f.comma
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	return &Rows{rows: rows, strictly: f.o.Strictly, number: max(f.o.HeadRow-1, 0), line: 1}
}

// Comma returns the separator of cells.
func (r *Rows) Comma() rune { return r.rows.Comma }

// Number returns the number of the last row that was read, as spreadsheets count: from 1, blank lines included.
func (r *Rows) Number() int64 { return r.number }

// Read returns the next row that is not blank, until the next call; io.EOF after the last one. A line break in a cell may be
// marked: see [Kept].
func (r *Rows) Read() ([]string, error) {
	if a := r.ahead; a != nil {
		r.ahead, r.number, r.line = nil, a.number, a.line
		return a.cells, a.err
	}
	cells, err := r.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	r.number++
	if r.strictly {
		return cells, err // blank lines were no rows
	}
	for i, cell := range cells {
		cells[i] = textOf(cell)
	}
	line := r.line
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		line = p.StartLine
	} else if err == nil {
		line, _ = r.rows.FieldPos(0)
	}
	r.number += int64(line - r.line)
	if err == nil {
		last := len(cells) - 1
		line, _ = r.rows.FieldPos(last)
		r.line = line + strings.Count(cells[last], "\n") + 1
	}
	return cells, err
}

// Peek returns the row that the next call of Read returns, too.
func (r *Rows) Peek() ([]string, error) {
	number, line := r.number, r.line
	cells, err := r.Read()
	r.ahead = &ahead{cells: slices.Clone(cells), err: err, number: r.number, line: r.line}
	r.number, r.line = number, line
	return r.ahead.cells, err
}

// SyntaxFault returns the fault of invalid CSV syntax; other errors are returned unchanged.
func SyntaxFault(err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	why := strings.TrimPrefix(p.Err.Error(), "parse error: ")
	switch {
	case errors.Is(p.Err, csv.ErrBareQuote):
		why = `a cell has a quotation mark within it. Enclose such a cell in quotation marks, and write those within it twice: "3"" pipe"`
	case errors.Is(p.Err, csv.ErrQuote):
		why = `a cell that begins with a quotation mark goes on behind the next one, or the file ends in it. Write quotation marks within such a cell twice: "a 3"" pipe"`
	}
	return apperr.Invalid(apperr.Detail{Code: fields.BadFormat, Message: fmt.Sprintf("The file is no CSV from line %d on: %s.", p.StartLine, why)})
}
