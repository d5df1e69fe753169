package sheet_test

import (
	"fmt"
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
	for _, file := range []string{"testdata/exported.txt", "testdata/ordinary.txt", "testdata/statements.txt", "testdata/bills.txt", "testdata/supplied.txt", "testdata/collected.txt", "testdata/beside.txt", "testdata/languages.txt", "testdata/split.txt"} {
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
	kept.Reset()
	_, err = sheet.KeepColumns(&kept, from("Name,Postcode,Did you travel from home?\nAda,LS1 4DY,No - from Eva in London\nEva,LS2 7HY,Yes\n"), footprint.OriginRows, sheet.Options{Rules: sheet.Rules})
	if want := "Postcode,Did you travel from home?\r\nLS1 4DY,no\r\nLS2 7HY,\r\n"; err != nil || kept.String() != want {
		t.Errorf("%q, %v, want %q", kept.String(), err, want)
	}
}

// TestKeepsLineBreaks: a cell with line breaks is stored as it was in the file, as text.
func TestKeepsLineBreaks(t *testing.T) {
	t.Parallel()
	file := "Name,City,Country\r\nAda,\"Leeds\r\nWest\",GB\r\nEva,\"Bath\nEast\",GB\r\n"
	o := sheet.Options{Rules: sheet.Rules}
	var kept strings.Builder
	_, err := sheet.KeepColumns(&kept, from(file), footprint.OriginRows, o)
	if want := "City,Country\r\n\"Leeds\r\nWest\",GB\r\n\"Bath\nEast\",GB\r\n"; err != nil || kept.String() != want {
		t.Errorf("%q, %v, want %q", kept.String(), err, want)
	}
}

// attendees returns a list of so many people, as a registration tool exports it.
func attendees(n int) string {
	var file strings.Builder
	file.WriteString("First name,Last name,Email,Company,Job title,City,Country,Ticket,Status,Registered on\n")
	for i := range n {
		fmt.Fprintf(&file, "Ada,Webb,ada.webb%d@example.org,Harbour Data Ltd,Head of Research,Leeds,GB,Early Bird,Confirmed,2026-05-%02d\n", i, i%28+1)
	}
	return file.String()
}

// TestKeepingIsCheap: for each row it takes about a hundred allocations; with expressions applied to every cell it took four hundred and
// fifty.
func TestKeepingIsCheap(t *testing.T) {
	const rows, most = 1000, 150
	file := attendees(rows)
	took := testing.AllocsPerRun(2, func() {
		if _, err := sheet.KeepColumns(io.Discard, from(file), footprint.OriginRows, sheet.Options{Rules: sheet.Rules}); err != nil {
			t.Fatal(err)
		}
	})
	if took > rows*most {
		t.Errorf("%.0f allocations for each row", took/rows)
	}
}

func BenchmarkKeepColumns(b *testing.B) {
	file := attendees(50_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sheet.KeepColumns(io.Discard, from(file), footprint.OriginRows, sheet.Options{Rules: sheet.Rules}); err != nil {
			b.Fatal(err)
		}
	}
}
