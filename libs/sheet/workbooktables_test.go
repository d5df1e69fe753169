package sheet_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
)

// TestWorkbooks: workbooks as people keep them (testdata/workbooks.txt), with what a careful reader counts of each row, as in
// TestExportedTables.
func TestWorkbooks(t *testing.T) {
	t.Parallel()
	checkBooks(t, "testdata/workbooks.txt", 18)
}

// checkBooks compares what is counted of the workbooks of a file, of which there are at least so many, with what is expected.
func checkBooks(t *testing.T, file string, least int) {
	t.Helper()
	for _, table := range expectedTables(t, file, least) {
		book, use := bookOf(t, table.text)
		text, err := csvOf(t, book, table.typ, use)
		if err != nil {
			table.check(t, map[string]string{"file": "! " + whyRefused(err)})
			continue
		}
		table.check(t, countedRows(t, table.typ, table.country, text))
	}
}

// csvOf converts a sheet of a workbook to CSV as an import does.
func csvOf(t *testing.T, book []byte, typ, use string) (string, error) {
	t.Helper()
	rules := sheet.Options{Rules: sheet.Rules}
	o := xlsx.Options{Sheet: use, Limit: 1 << 20,
		Head:     func(rows [][]string) int { return sheet.HeadOf(rows, rules, typ) },
		Headings: func(upper, lower []string) []string { return sheet.Headings(upper, lower, rules, typ) },
		Columns:  func(head []string) []sheet.ShownColumn { return sheet.ShownColumns(head, typ, rules) }}
	var out bytes.Buffer
	_, err := xlsx.WriteCSV(t.Context(), &out, book, o)
	return out.String(), err
}

var (
	numberCell  = regexp.MustCompile(`^#([-0-9.]+)(?:\{(.*)\})?$`)
	formulaCell = regexp.MustCompile(`^\{(.*)\}=([-0-9.]+)$`)
)

// bookOf makes the workbook that a text describes, and returns the sheet to be read.
func bookOf(t *testing.T, text string) (book []byte, use string) {
	t.Helper()
	f := excelize.NewFile()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	name, row := "Sheet1", 0
	for line := range strings.SplitSeq(text, "\n") {
		if order, directive := strings.CutPrefix(line, "@"); directive {
			what, of, _ := strings.Cut(order, " ")
			switch what {
			case "merge":
				from, to, _ := strings.Cut(of, ":")
				must(f.MergeCell(name, from, to))
			case "hiderow":
				n, err := strconv.Atoi(of)
				must(err)
				must(f.SetRowVisible(name, n, false))
			case "hidecol":
				must(f.SetColVisible(name, of, false))
			case "sheet":
				name, row = of, 0
				_, err := f.NewSheet(name)
				must(err)
			case "use":
				use = of
			default:
				t.Fatal(line)
			}
			continue
		}
		row++
		for i, cell := range strings.Split(line, "|") {
			axis, err := excelize.CoordinatesToCellName(i+1, row)
			must(err)
			must(putCell(f, name, axis, cell))
		}
	}
	var b bytes.Buffer
	must(f.Write(&b))
	return b.Bytes(), use
}

// putCell writes one cell of a description.
func putCell(f *excelize.File, sheet, axis, cell string) error {
	if cell == "" {
		return nil
	}
	if m := formulaCell.FindStringSubmatch(cell); m != nil {
		n, err := strconv.ParseFloat(m[2], 64)
		if err == nil {
			err = f.SetCellValue(sheet, axis, n)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", axis, err)
		}
		return f.SetCellFormula(sheet, axis, m[1])
	}
	if m := numberCell.FindStringSubmatch(cell); m != nil {
		n, err := strconv.ParseFloat(m[1], 64)
		if err == nil {
			err = f.SetCellValue(sheet, axis, n)
		}
		if err != nil || m[2] == "" {
			return err
		}
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &m[2]})
		if err != nil {
			return fmt.Errorf("%s: %w", axis, err)
		}
		return f.SetCellStyle(sheet, axis, axis, style)
	}
	if day, is := strings.CutPrefix(cell, "d"); is {
		if when, err := time.Parse(time.DateOnly, day); err == nil {
			return f.SetCellValue(sheet, axis, when)
		}
	}
	return f.SetCellStr(sheet, axis, cell)
}
