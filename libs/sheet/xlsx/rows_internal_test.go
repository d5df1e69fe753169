package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"testing"
)

// rowsOf opens a part of a sheet.
func rowsOf(t *testing.T, sheet string) *rowReader {
	t.Helper()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	w, err := out.Create("Sheet.xml")
	if err == nil {
		_, err = io.WriteString(w, sheet)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	parts, err := open(t.Context(), b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parts.rows("sheet.xml", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rows.close)
	return rows
}

// TestCellsAreCounted, over all rows and empty ones too, as each takes time to read.
func TestCellsAreCounted(t *testing.T) {
	t.Parallel()
	for left, want := range map[int]error{4: io.EOF, 3: errElements} {
		rows := rowsOf(t, `<worksheet><sheetData><row><c/><c/></row><row r="7"><c/><c r="C7"><v>1</v></c></row></sheetData></worksheet>`)
		rows.count = maxCells - left
		var err error
		for err == nil {
			_, _, err = rows.next()
		}
		if !errors.Is(err, want) {
			t.Errorf("%d left: %v, want %v", left, err, want)
		}
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string][2]int{
		"A1": {1, 1}, "b3": {2, 3}, "$AA$10": {27, 10}, "XFD1048576": {widest, deepest},
		"XFE1": {widest + 1, 1}, "ZZZZZZZZZZZZZZZZZZZZ1": {widest + 1, 1}, "A99999999999999999999": {1, deepest + 1},
		"": {}, "A": {}, "1": {}, "A0": {}, "A-1": {}, "A1B": {}, "é1": {}, "$1": {}, "A1.5": {},
	} {
		column, row, ok := position(reference)
		if !ok {
			column, row = 0, 0
		}
		if ok != (want != [2]int{}) || column != want[0] || row != want[1] {
			t.Errorf("%q: column %d, row %d, %t; want %v", reference, column, row, ok, want)
		}
	}
}
