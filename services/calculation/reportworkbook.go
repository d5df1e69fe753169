package calculation

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/eventcarbon/ecf/libs/workbook"
	"github.com/eventcarbon/ecf/services/calculation/report"
)

// formWorkbook is the media type of a report's table as a workbook.
const formWorkbook = workbook.MediaType

// tableBook is the table of a report as a workbook, made while it is read: the numbers of the
// table, which a spreadsheet program of another language would not read from its CSV form, are
// numbers here.
type tableBook struct {
	table *csv.Reader
	book  *workbook.Writer
	names []string                     // of the columns
	cells []func(string) workbook.Cell // of the columns
	row   []workbook.Cell
	made  bytes.Buffer
	// sheets is the number of sheets begun, and sheetRows that of the rows on each.
	sheets, sheetRows int
	ended             bool
}

// newTableBook returns the workbook of a table in CSV.
func newTableBook(table io.Reader) *tableBook {
	b := &tableBook{table: csv.NewReader(table), sheetRows: workbook.MaxRows}
	b.table.ReuseRecord = true
	b.book = workbook.New(&b.made)
	return b
}

// bookStep is the number of rows that are written at a time.
const bookStep = 500

// Read implements io.Reader.
func (b *tableBook) Read(p []byte) (int, error) {
	for b.made.Len() == 0 {
		if b.ended {
			return 0, io.EOF
		}
		if err := b.step(); err != nil {
			return 0, fmt.Errorf("report as a workbook: %w", err)
		}
	}
	return b.made.Read(p)
}

// step writes the next rows.
func (b *tableBook) step() error {
	for range bookStep {
		texts, err := b.table.Read()
		if errors.Is(err, io.EOF) {
			b.ended = true
			return b.book.Close()
		}
		if err != nil {
			return err
		}
		if b.names == nil {
			b.names = slices.Clone(texts)
			if err := b.begin(); err != nil {
				return err
			}
			continue
		}
		if b.book.Row() == b.sheetRows {
			if err := b.begin(); err != nil {
				return err
			}
		}
		b.row = b.row[:0]
		for i, text := range texts {
			b.row = append(b.row, b.cells[i](text))
		}
		if err := b.book.Append(b.row...); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a sheet with the names of the columns. A table with more lines than a sheet has rows
// continues on further ones.
func (b *tableBook) begin() error {
	b.sheets++
	s := workbook.Sheet{Name: "Lines", Table: true}
	if b.sheets > 1 {
		s.Name = fmt.Sprintf("Lines %d", b.sheets)
	}
	b.cells, b.row = b.cells[:0], b.row[:0]
	for _, name := range b.names {
		column := report.ColumnOf(name)
		s.Columns = append(s.Columns, workbook.Column{Width: column.Width})
		b.cells = append(b.cells, column.Cell)
		b.row = append(b.row, workbook.Text(name).In(workbook.Heading))
	}
	return errors.Join(b.book.Begin(s), b.book.Append(b.row...))
}
