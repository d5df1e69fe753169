package records

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// encodeWorkbook makes the stream a workbook with the rows and headings of the table. What a
// spreadsheet program can calculate with, or sort by, are numbers and dates in it. An event with
// more records than a sheet has rows continues on further sheets.
func (e *exporter) encodeWorkbook() error {
	var made bytes.Buffer
	w := workbook.New(&made)
	take := func(to []byte) []byte {
		to = append(to, made.Bytes()...)
		made.Reset()
		return to
	}
	head, sheets := e.head(), 0
	begin := func() error {
		sheets++
		name := "Records"
		if sheets > 1 {
			name = fmt.Sprintf("Records %d", sheets)
		}
		if err := w.Begin(workbook.Sheet{Name: name, Table: true, Columns: widths(head)}); err != nil {
			return err
		}
		return w.Append(headings(head)...)
	}
	if err := begin(); err != nil {
		return err
	}
	e.ready = take(nil)
	cell := slices.Concat(leadingCells(), fieldCells(e.columns))
	var cells []workbook.Cell
	e.append = func(to []byte, r record.Record) ([]byte, error) {
		row, err := e.row(r)
		if err != nil {
			return nil, err
		}
		if w.Row() == e.sheetRows {
			if err := begin(); err != nil {
				return nil, err
			}
		}
		cells = cells[:0]
		for i, text := range row {
			cells = append(cells, cell[i](text))
		}
		if err := w.Append(cells...); err != nil {
			return nil, err
		}
		return take(to), nil
	}
	e.closing = func() ([]byte, error) {
		err := w.Close()
		return take(nil), err
	}
	return nil
}

// leadingCells returns, for each of [sheet.LeadingColumns], how its texts become cells.
func leadingCells() (of []func(string) workbook.Cell) {
	for _, name := range sheet.LeadingColumns() {
		switch name {
		case "revision", "kgCO2e", "low", "high":
			of = append(of, workbook.Number)
		case "submitted":
			of = append(of, truth)
		default:
			of = append(of, workbook.Text)
		}
	}
	return of
}

// fieldCells returns, for each column, how the texts of [sheet.Cell] become cells.
func fieldCells(columns []sheet.Column) (of []func(string) workbook.Cell) {
	for _, c := range columns {
		switch {
		case c.Type == "number" || c.Type == "integer":
			of = append(of, workbook.Number)
		case c.Type == "boolean":
			of = append(of, truth)
		case c.Date:
			of = append(of, workbook.Date)
		default:
			of = append(of, workbook.Text)
		}
	}
	return of
}

func truth(text string) workbook.Cell {
	switch text {
	case "true":
		return workbook.Bool(true)
	case "false":
		return workbook.Bool(false)
	}
	return workbook.Text(text)
}

// headings returns the first row of a table.
func headings(names []string) (cells []workbook.Cell) {
	for _, name := range names {
		cells = append(cells, workbook.Text(name).In(workbook.Heading))
	}
	return cells
}

// widths returns the widths of columns, by their names.
func widths(names []string) (columns []workbook.Column) {
	for _, name := range names {
		width := min(max(len(name)+4, 12), 22)
		switch name {
		case "_id", "createdAt", "updatedAt", "submittedAt", "reviewedAt":
			width = 28
		case "description", "reviewComment":
			width = 44
		}
		columns = append(columns, workbook.Column{Width: width})
	}
	return columns
}
