package sheet_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestSuppliedTables: tables as airlines, railways, hotels, hirers, carriers, utilities, caterers and ticket shops of several
// countries send them (testdata/supplied.txt), and as organizers collect them: registrations, surveys of travel, rooming lists,
// expenses, production sheets, meters (testdata/collected.txt). The files have each one with the records that a careful reader would enter, the rows that
// such a reader would leave out or ask about, and the columns that nothing is made of.
func TestSuppliedTables(t *testing.T) {
	t.Parallel()
	var tables []string
	for file, least := range map[string]int{"testdata/supplied.txt": 80, "testdata/collected.txt": 70} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		of := strings.Split(string(text), "\n### ")[1:]
		if len(of) < least {
			t.Errorf("%s has %d tables", file, len(of))
		}
		tables = append(tables, of...)
	}
	for _, table := range tables {
		head, rest, _ := strings.Cut(table, "\n")
		typ, name, _ := strings.Cut(head, " | ")
		file, want, _ := strings.Cut(rest, "\n---\n")
		if got := strings.Join(readSupplied(t, typ, file+"\n"), "\n"); got != strings.TrimSpace(want) {
			t.Errorf("%s: %s\ngot\n%s\nwant\n%s", typ, name, got, want)
		}
	}
}

// readSupplied reads a table as an import does, which detects its head and how it writes numbers and days.
func readSupplied(t *testing.T, typ, file string) []string {
	t.Helper()
	o := sheet.Options{Rules: sheet.Rules}
	at, err := sheet.HeadRow(strings.NewReader(file), o, typ)
	if err != nil {
		t.Fatal(err)
	}
	o.HeadRow = at
	form, err := sheet.DetectForm(strings.NewReader(file), typ, o)
	if err != nil {
		return []string{err.Error()}
	}
	o.NumberFormat, o.DateOrder, o.Doubts = form.NumberFormat, form.DateOrder, form.Doubts
	rows, r, err := all(file, typ, o)
	if err != nil {
		t.Fatal(err)
	}
	if ignored := r.Ignored(); len(ignored) > 0 {
		rows = slices.Concat(rows, []string{"ignored: " + strings.Join(ignored, " | ")})
	}
	return rows
}
