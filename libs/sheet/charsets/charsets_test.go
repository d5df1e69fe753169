package charsets_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

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
	if e, ok := errors.AsType[*apperr.Error](err); !ok || e.Code != apperr.ValidationError || !strings.Contains(e.Details[0].Message, "in line 2") {
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
		"\xef\xbb\xbffrom":                       "utf-8",
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

// TestEncodings: a text in each encoding is read as what it is, and in UTF-8 and UTF-16 not at all.
func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		encoding  encoding.Encoding
		name      string
		ambiguous bool // in another encoding all of it are letters of one language, too
		texts     []string
	}{
		{charmap.Windows1252, "windows-1252", false, []string{"Müllart;Gewicht (t);Straße", "Catégorie,Quantité,Œuvres d’art: bœuf", "¿Cuántos viajaron?,Añada", "Café – 5 €", "Volume (m³)", "Temperatur (°C)"}},
		{charmap.Macintosh, "macintosh", false, []string{"Müllart;Gewicht (t);Straße", "Catégorie,Quantité", "Größe"}},
		{charmap.CodePage850, "ibm850", false, []string{"Müllart;Gewicht (t);Straße", "Catégorie,Quantité"}},
		{charmap.Windows1250, "windows-1250", false, []string{"Łódź,Wrocław,Poznań", "rodzaj paliwa,ilość,zużycie", "Příjezd,Město,Počet osob", "fűtés, előző hó", "Właściciel;Żywność"}},
		{charmap.ISO8859_2, "iso-8859-2", false, []string{"Łódź,ilość,źródło"}},
		{charmap.CodePage852, "ibm852", false, []string{"Łódź,ilość,źródło"}},
		{charmap.Windows1254, "windows-1254", false, []string{"Şehir,Kişi sayısı,Ulaşım", "Atık türü,Ağırlık (kg)"}},
		{charmap.Windows1253, "windows-1253", false, []string{"Πόλη,Αριθμός ατόμων,Μέσο"}},
		{charmap.Windows1251, "windows-1251", true, []string{"Город,Количество,Вид транспорта"}},
		{japanese.ShiftJIS, "shift_jis", false, []string{"出発地,到着地,人数", "ホテル,泊数"}},
	} {
		for _, want := range c.texts {
			text, err := c.encoding.NewEncoder().String(want)
			if err != nil {
				t.Fatalf("%s: %q: %v", c.name, want, err)
			}
			var got strings.Builder
			if err := charsets.UTF8(&got, iotest.OneByteReader(strings.NewReader(text)), c.name); err != nil || got.String() != want {
				t.Errorf("%s: %q, %v; want %q", c.name, got.String(), err, want)
			}
			likely := charsets.Likely(text)
			if !slices.Contains(likely, c.name) || likely[0] != c.name && !c.ambiguous {
				t.Errorf("%q in %s is most likely in %v", want, c.name, likely)
			}
			if !slices.Contains(charsets.Names(), c.name) {
				t.Errorf("%s cannot be declared", c.name)
			}
		}
	}
	if got := charsets.Likely("from,to"); len(got) > 0 {
		t.Errorf("a text without such characters is likely in %v", got)
	}
}

// TestLinesInUTF8: a file that is declared to be in another encoding, and is in UTF-8 or has a line in it, is refused; one whose
// bytes could be UTF-8 by chance is not.
func TestLinesInUTF8(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", charsets.Sample-2)
	for text, want := range map[string]string{
		"from\nMünchen\n":            "windows-1252 2, macintosh 2, windows-1250 2", // MΓΌnchen could be Greek
		"from\nCafé":                 "windows-1252 2, macintosh 2, windows-1250 2, windows-1253 2",
		"from\nGr\xf6\xdfe\nKöln\n":  "windows-1252 3, macintosh 3, windows-1250 3, windows-1253 3",
		"Łódź":                       "macintosh 1", // it has bytes that are none in the others
		"20 °C, 5 €":                 "windows-1252 1, macintosh 1, windows-1250 1, windows-1253 1",
		long + "ü" + long + "\nx":    "windows-1252 1, macintosh 1, windows-1250 1, windows-1253 1",
		long + "aü" + long:           "", // half of it is not looked at
		"K\xf6ln, D\xfcsseldorf":     "",
		"d\xd5\x8ecole":              "", // d’école in Mac Roman
		"CAF\xc9\xbb":                "", // CAFÉ» in Windows-1252
		"from,to\nLHR,JFK\n":         "",
		strings.Repeat("x", 3*4<<10): "",
	} {
		var got []string
		for _, encoding := range []string{"windows-1252", "macintosh", "windows-1250", "windows-1253"} {
			err := charsets.UTF8(io.Discard, iotest.OneByteReader(strings.NewReader(text)), encoding)
			if e, ok := errors.AsType[*apperr.Error](err); ok && strings.Contains(e.Details[0].Message, "UTF-8. Send") {
				_, line, _ := strings.Cut(e.Details[0].Message, "and line ")
				got = append(got, encoding+" "+line[:1])
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%.30q: in UTF-8 for %q, want %q", text, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"utf-8": "utf-8", "UTF8": "utf-8", "iso-8859-1": "windows-1252", "latin1": "windows-1252", "cp1250": "windows-1250", "x-mac-roman": "macintosh",
		"sjis": "shift_jis", "ibm850": "ibm850", "latin2": "iso-8859-2", "utf-16": "", "gb18030": "", "nonsense": "",
	} {
		if got, ok := charsets.Named(label); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", label, got, ok, want)
		}
	}
}
