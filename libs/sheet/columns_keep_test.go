package sheet_test

import (
	"io"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// from returns what opens a file.
func from(file string) func() io.Reader {
	return func() io.Reader { return strings.NewReader(file) }
}

// TestKeptColumnsCountTheSame: of every list of people in testdata the columns that are kept count what all of them did.
func TestKeptColumnsCountTheSame(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/exported.txt", "testdata/ordinary.txt", "testdata/statements.txt", "testdata/bills.txt", "testdata/supplied.txt", "testdata/collected.txt"} {
		for _, table := range expectedTables(t, file, 1) {
			if table.typ != footprint.OriginRows {
				continue
			}
			all := table.text + "\n"
			o := sheet.Options{Rules: sheet.Rules}
			var err error
			if o.HeadRow, err = sheet.HeadRow(strings.NewReader(all), o, table.typ); err != nil {
				t.Fatal(err)
			}
			var kept strings.Builder
			if _, err := sheet.KeepColumns(&kept, from(all), table.typ, o); err != nil {
				continue // the file is refused
			}
			again := countedRows(t, table.typ, table.country, kept.String())
			for row, want := range countedRows(t, table.typ, table.country, all) {
				if got := again[row]; got != want && (got == "" || !strings.HasPrefix(got, "!") || !strings.HasPrefix(want, "!")) {
					t.Errorf("%s, row %s: %s of its fields alone, instead of %s", table.name, row, got, want)
				}
			}
		}
	}
}

// TestKeepsNoNames: of a name with a state beside it only the state is kept.
func TestKeepsNoNames(t *testing.T) {
	t.Parallel()
	var kept strings.Builder
	_, err := sheet.KeepColumns(&kept, from("Name,City\nAda Webb (cancelled),Leeds\nEva Roth,Bath\n"), footprint.OriginRows, sheet.Options{Rules: sheet.Rules})
	if want := "Name,City\r\ncancelled,Leeds\r\n,Bath\r\n"; err != nil || kept.String() != want {
		t.Errorf("%q, %v, want %q", kept.String(), err, want)
	}
}
