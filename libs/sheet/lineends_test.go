package sheet_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// The line in which spreadsheet programs declare the separator is not a row.
func TestADeclaredSeparator(t *testing.T) {
	t.Parallel()
	const row = `2 {"from":"LHR","description":"a,b"}`
	for name, file := range map[string]string{
		"semicolons":      "sep=;\nfrom;description\nLHR;a,b\n",
		"in quotes":       "\ufeff\"sep=;\"\r\nfrom;description\r\nLHR;a,b\r\n",
		"in capitals":     "SEP=\t\nfrom\tdescription\nLHR\ta,b\n",
		"a bar":           "sep=|\nfrom|description\nLHR|a,b\n",
		"saved once more": "sep=;;;\nfrom;description\nLHR;a,b\n",
		"commas":          "sep=,\rfrom,description;;;\rLHR,\"a,b\"\r",
	} {
		file = strings.Replace(file, "description;;;", "description", 1)
		got, _, err := all(file, "flights", sheet.Options{Rules: sheet.Rules})
		if err != nil || len(got) != 1 || got[0] != row {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, file := range []string{"sep=x\nfrom\n", "sep=\nfrom\n", "sep=;,\nfrom\n", "sep=;", "sep=;\r\n"} {
		if _, _, err := all(file, "flights", sheet.Options{}); apperr.CodeOf(err) != apperr.ValidationError {
			t.Errorf("%q: %v", file, err)
		}
	}
}

// Rows that end with a carriage return alone are rows where no row ends otherwise, and in
// files that were taken before there was this they are none.
func TestRowsThatEndInReturns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want string }{
		"returns":            {"from,to\rLHR,JFK\r\rMAN,AMS\r", `2 {"from":"LHR","to":"JFK"} 4 {"from":"MAN","to":"AMS"}`},
		"none at the end":    {"from,to\rLHR,JFK", `2 {"from":"LHR","to":"JFK"}`},
		"breaks in cells":    {"from,description\rLHR,\"a\rb\nc\r\nd\"\rMAN,x\r", `2 {"from":"LHR","description":"a\rb\nc\r\nd"} 3 {"from":"MAN","description":"x"}`},
		"one in a cell only": {"from,description\nLHR,a\rb\n", `2 {"from":"LHR","description":"a\rb"}`},
		"the last one":       {"from,to\r\nLHR,JFK\r\n", `2 {"from":"LHR","to":"JFK"}`},
	} {
		got, _, err := all(c.file, "flights", sheet.Options{Rules: sheet.Rules})
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v; want %s", name, got, err, c.want)
		}
	}
	many := "from,to" + strings.Repeat("\rLHR,JFK", 20_000)
	r, err := sheet.NewReader(iotest.OneByteReader(strings.NewReader(many)), "flights", sheet.Options{Rules: sheet.Rules})
	rows := 0
	for ; err == nil; rows++ {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) || rows != 20_001 {
		t.Errorf("a large file: %d, %v", rows, err)
	}
	if got, _, err := all("from,to\rLHR,JFK\r", "flights", sheet.Options{}); err != nil || len(got) != 0 {
		t.Errorf("taken before: %q, %v", got, err)
	}
}
