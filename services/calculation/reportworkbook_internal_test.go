package calculation

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestMoreLinesThanASheetHasRows: they continue on further sheets, each with the headings.
func TestMoreLinesThanASheetHasRows(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("recordId,kgCO2e\r\n")
	for n := range 1200 {
		fmt.Fprintf(&table, "r%d,%d.5\r\n", n, n)
	}
	b := newTableBook(strings.NewReader(table.String()))
	b.sheetRows = 501
	file, err := io.ReadAll(b)
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	next := 0
	for i, name := range []string{"Lines", "Lines 2", "Lines 3"} {
		rows, err := book.GetRows(name)
		if err != nil || len(rows) != []int{501, 501, 201}[i] || strings.Join(rows[0], ",") != "recordId,kgCO2e" {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for _, row := range rows[1:] {
			if want := fmt.Sprintf("r%d,%d.5", next, next); strings.Join(row, ",") != want {
				t.Fatalf("%s: %v, want %s", name, row, want)
			}
			next++
		}
	}
}
