package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// rowsOf returns the numbers of the rows of a file.
func rowsOf(t *testing.T, file, typ string, o sheet.Options) string {
	t.Helper()
	rows, _, err := all(file, typ, o)
	if err != nil {
		t.Fatalf("%q: %v", file, err)
	}
	var numbers []string
	for _, row := range rows {
		number, _, _ := strings.Cut(row, " ")
		numbers = append(numbers, number)
	}
	return strings.Join(numbers, " ")
}

// Rows have the numbers of a spreadsheet program, whatever was omitted before; those of files accepted by an earlier
// release keep theirs.
func TestRowsAsSpreadsheetsNumberThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want, before string }{
		"one after the other":    {"place,people\nBonn,1\nUlm,2\n", "2 3", "2 3"},
		"blank lines":            {"place,people\n\nBonn,1\n\n\nUlm,2\n", "3 6", "2 3"},
		"rows of empty cells":    {"place,people\n,\n\nBonn,1\n", "4", "3"},
		"above the head":         {"\n\nplace,people\nBonn,1\n", "4", "2"},
		"carriage returns":       {"place,people\r\n\r\nBonn,1\r\n\r\nUlm,2", "3 5", "2 3"},
		"line breaks in cells":   {"place,people\n\"Bonn\n\",1\n\n\"\r\n\r\nUlm\n\",2\nKiel,3\n", "2 4 5", "2 3 4"},
		"in the last cell":       {"people,place\n1,\"Bonn\n\nRhein\"\n2,Ulm\n\n3,\"\n\"\"\nx\"\n4,y\n", "2 3 5 6", "2 3 4 5"},
		"in the head":            {"place,\"people\n\n\"\nBonn,1\n", "2", "2"},
		"a blank line of spaces": {"place,people\n  \nBonn,1\n", "3", "3"},
	} {
		if got := rowsOf(t, c.file, footprint.OriginRows, sheet.Options{Rules: sheet.Rules}); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if got := rowsOf(t, c.file, footprint.OriginRows, sheet.Options{}); got != c.before {
			t.Errorf("%s, taken before: %s, want %s", name, got, c.before)
		}
		for _, o := range []sheet.Options{{Rules: sheet.Rules}, {}} {
			var only strings.Builder
			if _, err := sheet.KeepColumns(&only, from(c.file), footprint.OriginRows, o); err != nil {
				t.Fatal(name, err)
			}
			if got, want := rowsOf(t, only.String(), footprint.OriginRows, o), rowsOf(t, c.file, footprint.OriginRows, o); got != want {
				t.Errorf("%s: without columns that are no field %s, want %s of %q", name, got, want, only.String())
			}
		}
	}
	for file, want := range map[string]struct {
		row   int64
		fault string
	}{
		"\n\nplace,\xe9\n":           {0, "row 3 OTHER_ENCODING"},
		"\nx,y\n":                    {0, "row 2 REQUIRED"},
		"place\n\nBonn\n\nU\"lm\n":   {5, " BAD_FORMAT"},
		"place\n\"a\nb\"\n\n\n\"x\n": {5, " BAD_FORMAT"},
	} {
		var row sheet.Row
		r, err := sheet.NewReader(strings.NewReader(file), footprint.OriginRows, sheet.Options{Rules: sheet.Rules})
		for err == nil {
			row, err = r.Next()
		}
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || e.Details[0].Field+" "+e.Details[0].Code != want.fault || row.Number != want.row {
			t.Errorf("%q: row %d, %v; want %v", file, row.Number, err, want)
		}
	}
}
