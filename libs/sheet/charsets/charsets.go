// Package charsets detects in what encoding a table was saved as text, and converts it to UTF-8.
package charsets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// charset is an encoding that a file may be declared to be in.
type charset struct {
	name, title string
	encoding.Encoding
	// alphabets are the letters outside of ASCII of languages that are written in it, in lower case.
	alphabets []string
}

var (
	// western and central are of German, French, Spanish, Italian, Portuguese, Danish and Norwegian, and Swedish and Finnish;
	// and of Polish, Czech and Slovak, Hungarian, Romanian, Croatian and Slovene, and German.
	western = []string{"äöüß", "éèêëàâçîïôûùœ", "ñáéíóúü", "àèéìòù", "ãõáéíóúâêôàç", "æøå", "äöå"}
	central = []string{"ąćęłńóśźż", "áčďéěíňóřšťúůýžäĺľôŕ", "áéíóöőúüű", "ăâîşţ", "čćđšž", "äöüß"}
	// japaneseScripts is in place of an alphabet.
	japaneseScripts = []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana, unicode.Han}
)

// charsets are the usual ones of spreadsheet programs for the languages whose headings are known, by how often they
// are used: of Windows, of the Mac, and of DOS, in which "CSV (MS-DOS)" saves.
var charsets = []charset{
	{"windows-1252", "Windows-1252", charmap.Windows1252, western},
	{"macintosh", "Mac Roman", charmap.Macintosh, western},
	{"ibm850", "code page 850", charmap.CodePage850, western},
	{"windows-1250", "Windows-1250", charmap.Windows1250, central},
	{"iso-8859-2", "ISO 8859-2", charmap.ISO8859_2, central},
	{"ibm852", "code page 852", charmap.CodePage852, central},
	{"windows-1254", "Windows-1254", charmap.Windows1254, []string{"çğıöşüâîû"}},
	{"windows-1253", "Windows-1253", charmap.Windows1253, []string{"αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"}},
	{"windows-1251", "Windows-1251", charmap.Windows1251, []string{"абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ"}},
	{"shift_jis", "Shift JIS", japanese.ShiftJIS, nil},
}

// Names are the encodings a file may be declared to be in.
func Names() []string {
	names := []string{"utf-8"}
	for _, c := range charsets {
		names = append(names, c.name)
	}
	return names
}

// Named returns the encoding that a label of the Encoding Standard of the WHATWG means, such as latin1 or x-mac-roman,
// if a file may be declared to be in it.
func Named(label string) (name string, ok bool) {
	if slices.Contains(Names(), label) {
		return label, true
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return "", false
	}
	if name, err = htmlindex.Name(e); err != nil || !slices.Contains(Names(), name) {
		return "", false
	}
	return name, true
}

// The encodings that are detected and cannot be declared.
const (
	utf16LittleEndian = "utf-16le"
	utf16BigEndian    = "utf-16be"
)

// Sample is how many bytes of a file determine its encoding.
const Sample = 4 << 10

// Of returns the encoding of a file that begins with start, the first Sample bytes or all of them: UTF-16, or UTF-8 with a
// mark, if it certainly is, else the declared one. Text with zero bytes in another encoding is a VALIDATION_ERROR.
func Of(start []byte, declared string) (string, error) {
	var zeros [2]int
	for i, b := range start {
		if b == 0 {
			zeros[i%2]++
		}
	}
	pairs := len(start) / 2
	// Of a text with the letters, digits and separators of most tables one byte of two is zero.
	certain := func(zero, other int) bool { return other == 0 && 10*zero >= 3*pairs }
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) && zeros == [2]int{}:
		return "utf-8", nil
	case bytes.HasPrefix(start, []byte("\xff\xfe\x00\x00")): // of UTF-32
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return utf16LittleEndian, nil
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return utf16BigEndian, nil
	case zeros == [2]int{}:
		return declared, nil
	case certain(zeros[1], zeros[0]):
		return utf16LittleEndian, nil
	case certain(zeros[0], zeros[1]):
		return utf16BigEndian, nil
	}
	return "", badFormat("The file has zero bytes, so that it is no text in UTF-8, UTF-16 or Windows-1252. Save it as CSV in UTF-8, or as XLSX.")
}

func badFormat(message string) error {
	return apperr.Invalid(apperr.Detail{Field: "row 1", Code: fields.BadFormat, Message: message})
}

// UTF8 writes a file to another in UTF-8, from an encoding that [Of] has returned. Bytes that are no characters in it,
// and lines that are in UTF-8 instead, are a VALIDATION_ERROR.
func UTF8(to io.Writer, from io.Reader, name string) error {
	switch name {
	case utf16LittleEndian:
		return copyDecoded(to, &utf16Text{from: from}, utf16.UTF16(utf16.LittleEndian, utf16.UseBOM))
	case utf16BigEndian:
		return copyDecoded(to, &utf16Text{from: from}, utf16.UTF16(utf16.BigEndian, utf16.UseBOM))
	}
	i := slices.IndexFunc(charsets, func(c charset) bool { return c.name == name })
	if i < 0 {
		_, err := io.Copy(to, from)
		return err
	}
	return copyDecoded(&checkedText{to: to, title: charsets[i].title, line: 1}, &declaredText{from: from, charset: charsets[i], line: 1}, charsets[i])
}

func copyDecoded(to io.Writer, from io.Reader, e encoding.Encoding) error {
	_, err := io.Copy(to, transform.NewReader(from, e.NewDecoder()))
	return err
}

// utf16Text reads a text and fails where it ends in the middle of a character.
type utf16Text struct {
	from io.Reader
	odd  bool
}

// Read implements io.Reader.
func (u *utf16Text) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	u.odd = u.odd != (n%2 == 1)
	if errors.Is(err, io.EOF) && u.odd {
		return n, badFormat("The file is in UTF-16 and ends in the middle of a character, so a part of it is missing. Send all of it, or save it as CSV in UTF-8.")
	}
	return n, err
}

// checkedText writes a decoded text and fails at a character that stands for bytes without a meaning.
type checkedText struct {
	to    io.Writer
	title string
	line  int
	rest  []byte // the beginning of a character
}

// Write implements io.Writer.
func (w *checkedText) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	end := 0
	for end < len(text) && utf8.FullRune(text[end:]) {
		r, size := utf8.DecodeRune(text[end:])
		if r == '\n' {
			w.line++
		}
		if undefined(r) {
			return 0, badFormat(fmt.Sprintf("The file is not in %s: in line %d it has bytes that are no character there.", w.title, w.line))
		}
		end += size
	}
	_, err := w.to.Write(text[:end])
	w.rest = append(w.rest[:0], text[end:]...)
	return len(p), err
}

// undefined reports whether decoders write a character for bytes that have none.
func undefined(r rune) bool { return r == utf8.RuneError || '\u0080' <= r && r < '\u00a0' }
