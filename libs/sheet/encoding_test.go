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

func TestUTF8(t *testing.T) {
	t.Parallel()
	read := func(text, encoding string) (string, error) {
		var to strings.Builder
		// One byte at a time: a fault is found wherever a piece ends.
		err := sheet.UTF8(&to, iotest.OneByteReader(strings.NewReader(text)), encoding)
		return to.String(), err
	}
	got, err := read("description\ncaf\xe9 \x80 5 \x93x\x94\n", "windows-1252")
	if err != nil || got != "description\ncafé € 5 “x”\n" {
		t.Errorf("got %q, %v", got, err)
	}
	_, err = read("a\n\x81", "windows-1252")
	if e, ok := errors.AsType[*apperr.Error](err); !ok || e.Code != apperr.ValidationError || !strings.Contains(e.Details[0].Message, "0x81 in line 2") {
		t.Errorf("a byte that is not in it: %v", err)
	}
	for text, want := range map[string]string{
		"\xff\xfec\x00a\x00f\x00\xe9\x00": "café",
		"c\x00a\x00f\x00\xe9\x00\n\x00":   "café\n",
		"=\xd8\x00\xde\n\x00":             "😀\n",
	} {
		if got, err := read(text, "utf-16le"); err != nil || got != want {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	if got, err := read("\xfe\xff\x00c\x00\xe9", "utf-16be"); err != nil || got != "cé" {
		t.Errorf("the other byte first: %q, %v", got, err)
	}
	if _, err := read("c\x00a", "utf-16le"); apperr.CodeOf(err) != apperr.ValidationError {
		t.Errorf("half a character: %v", err)
	}
	if got, err := read("caf\xe9", ""); err != nil || got != "caf\xe9" {
		t.Errorf("not declared: %q, %v", got, err)
	}
}

// A file is UTF-16 if it certainly is, whatever was declared, and a file with unexplained zero bytes is not text.
func TestEncodingOf(t *testing.T) {
	t.Parallel()
	const fault = "a fault"
	for text, want := range map[string]string{
		"":                                       "declared",
		"from,to\n":                              "declared",
		"caf\xe9":                                "declared",
		"\xff\xfef\x00":                          "utf-16le",
		"\xfe\xff\x00f":                          "utf-16be",
		"f\x00r\x00o\x00m\x00\n\x00":             "utf-16le",
		"\x00f\x00r\x00\xfc\x01\x02\x00,":        "utf-16be",
		"\xff\xfe\x00\x00f\x00\x00\x00":          fault,
		"from,to\n\x00":                          fault,
		"from\x00,to and so on for many letters": fault,
		"f\x00\x00\x00r\x00\x00\x00":             fault,
	} {
		got, err := sheet.EncodingOf([]byte(text), "declared")
		if apperr.CodeOf(err) == apperr.ValidationError {
			got = fault
		}
		if got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

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
