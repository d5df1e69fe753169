// Package xlsx turns a sheet of an Excel workbook into the CSV that package sheet
// reads. Of formulas it takes the results that the workbook keeps; it calculates
// nothing.
package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// MediaType is that of a workbook.
const MediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

const (
	// maxUnpacked bounds what a workbook may unpack to: a few kilobytes of zip can
	// hold gigabytes.
	maxUnpacked = 48 << 20
	maxRows     = 100_000
	maxColumns  = 500
)

// CSV returns a sheet of a workbook as CSV in UTF-8, one line for each row, empty
// ones included, so that rows keep their numbers. An empty name means the first
// sheet. With decimalComma numbers are written 2,5. What is wrong with the file is
// a VALIDATION_ERROR.
func CSV(file []byte, name string, decimalComma bool) ([]byte, error) {
	if err := checkElements(file); err != nil {
		return nil, err
	}
	book, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{RawCellValue: true, UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked})
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = book.Close() }() // it holds memory only
	sheets := book.GetSheetList()
	switch {
	case len(sheets) == 0:
		return nil, fault("file", fields.BadFormat, "The workbook has no sheet.")
	case name == "":
		name = sheets[0]
	case !slices.Contains(sheets, name):
		return nil, apperr.Invalid(apperr.Detail{Field: "sheet", Code: fields.NotAllowed, Suggestions: sheets,
			Message: fmt.Sprintf("The workbook has no sheet %s; its sheets are %s.", strconv.Quote(name), strings.Join(sheets, ", "))})
	}
	c := &converter{book: book, sheet: name, comma: decimalComma}
	if props, err := book.GetWorkbookProps(); err == nil && props.Date1904 != nil {
		c.from1904 = *props.Date1904
	}
	return c.convert()
}

func fault(field, code, message string) error {
	return apperr.Invalid(apperr.Detail{Field: field, Code: code, Message: message})
}

// tooLarge is the fault of a workbook that unpacks to more than may be unpacked.
func tooLarge() error {
	return fault("file", fields.TooMany, fmt.Sprintf("The workbook unpacks to more than %d MiB. Save the one sheet that is meant, as XLSX or as CSV.", maxUnpacked>>20))
}

// unreadable tells why a workbook was not read.
func unreadable(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "unzip size exceeds"):
		return tooLarge()
	case errors.Is(err, excelize.ErrWorkbookFileFormat), strings.Contains(text, "zip"), strings.Contains(text, "password"), strings.Contains(text, "encrypt"):
		return fault("file", fields.BadFormat, "The file is not an XLSX workbook, or it is protected by a password. Save it as XLSX without one, or as CSV.")
	}
	return fault("file", fields.BadFormat, "The workbook cannot be read. Save it anew as XLSX, or as CSV.")
}

type converter struct {
	book     *excelize.File
	sheet    string
	comma    bool
	from1904 bool
	dates    []bool // the columns of days
	width    int
	out      []byte
}

func (c *converter) convert() ([]byte, error) {
	rows, err := c.book.Rows(c.sheet)
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = rows.Close() }() // it only reads
	for n := 1; rows.Next(); n++ {
		cells, err := rows.Columns()
		if err != nil {
			return nil, unreadable(err)
		}
		if n > maxRows || len(cells) > maxColumns {
			return nil, fault(fmt.Sprintf("row %d", n), fields.TooMany, fmt.Sprintf("A sheet has at most %d rows and %d columns. Is there something far outside of the table?", maxRows, maxColumns))
		}
		if err := c.row(n, cells); err != nil {
			return nil, err
		}
	}
	if err := rows.Error(); err != nil {
		return nil, unreadable(err)
	}
	return c.out, nil
}

// row writes one row; the first one with something in it is the head.
func (c *converter) row(n int, cells []string) error {
	head := c.width == 0
	if head {
		if !slices.ContainsFunc(cells, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			return nil // above the table
		}
		c.width = len(cells)
	}
	for len(cells) < c.width {
		cells = append(cells, "")
	}
	for i, cell := range cells {
		if head {
			c.dates = append(c.dates, strings.EqualFold(strings.TrimSpace(cell), "date"))
			continue
		}
		value, err := c.cell(n, i, cell)
		if err != nil {
			return err
		}
		cells[i] = value
	}
	if !slices.ContainsFunc(cells, func(s string) bool { return s != "" }) {
		c.out = append(c.out, "\"\"\r\n"...) // counted, and empty
		return nil
	}
	c.out = sheet.AppendRow(c.out, cells)
	return nil
}

// cell returns what is written for a cell.
func (c *converter) cell(row, column int, value string) (string, error) {
	axis, err := excelize.CoordinatesToCellName(column+1, row)
	if err != nil {
		return "", fmt.Errorf("xlsx: %w", err)
	}
	if value == "" {
		if formula, err := c.book.GetCellFormula(c.sheet, axis); err == nil && formula != "" {
			if kind, err := c.book.GetCellType(c.sheet, axis); err == nil && kind == excelize.CellTypeUnset {
				return "", fault("row "+strconv.Itoa(row), fields.Required,
					fmt.Sprintf("The cell %s is a formula whose result the workbook does not keep. Open it in a spreadsheet program and save it, or write the number.", axis))
			}
		}
		return "", nil
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		return value, nil //nolint:nilerr // a text, which needs no other form
	}
	kind, err := c.book.GetCellType(c.sheet, axis)
	if err != nil {
		return "", unreadable(err)
	}
	if kind != excelize.CellTypeUnset && kind != excelize.CellTypeNumber && kind != excelize.CellTypeDate {
		return value, nil // digits of a text
	}
	if column < len(c.dates) && c.dates[column] {
		if day, ok := c.day(number); ok {
			return day, nil
		}
		return value, nil
	}
	return c.number(number), nil
}

// day returns the day that a number of the column date stands for: one of this
// century, so that a year is not taken for a day in 1905.
func (c *converter) day(number float64) (string, bool) {
	t, err := excelize.ExcelDateToTime(number, c.from1904)
	if err != nil || t.Year() < 2000 || t.Year() > 2099 {
		return "", false
	}
	return t.Format(time.DateOnly), true
}

// number writes a number with the fifteen digits that spreadsheets have.
func (c *converter) number(n float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 14, 64), 64)
	if err != nil {
		rounded = n
	}
	text := strconv.FormatFloat(rounded, 'f', -1, 64)
	if c.comma {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}
