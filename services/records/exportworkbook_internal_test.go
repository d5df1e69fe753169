package records

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestMoreRecordsThanASheetHasRows: they continue on further sheets, each with the headings.
func TestMoreRecordsThanASheetHasRows(t *testing.T) {
	t.Parallel()
	e := exported(t, &endless{}, 250, "workbook")
	e.sheetRows = 101
	var file bytes.Buffer
	_, err := io.Copy(&file, struct{ io.Reader }{e})
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	if got := strings.Join(book.GetSheetList(), ", "); got != "Records, Records 2, Records 3" {
		t.Fatalf("the sheets %s", got)
	}
	seen := map[string]bool{}
	for _, name := range book.GetSheetList() {
		rows, err := book.GetRows(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) > 101 || rows[0][0] != "_id" {
			t.Errorf("%s has %d rows, and begins with %v", name, len(rows), rows[0])
		}
		for _, row := range rows[1:] {
			seen[row[0]] = true
		}
	}
	if len(seen) != 250 {
		t.Errorf("%d records, want 250", len(seen))
	}
}
