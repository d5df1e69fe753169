package charsets_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/charsets"
)

func TestUTF8(t *testing.T) {
	t.Parallel()
	read := func(text, encoding string) (string, error) {
		var to strings.Builder
		// One byte at a time: a fault is found wherever a piece ends.
		err := charsets.UTF8(&to, iotest.OneByteReader(strings.NewReader(text)), encoding)
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
		got, err := charsets.Of([]byte(text), "declared")
		if apperr.CodeOf(err) == apperr.ValidationError {
			got = fault
		}
		if got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}
