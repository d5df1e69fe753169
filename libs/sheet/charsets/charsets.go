// Package charsets detects in what encoding a table was saved as text, and converts it to UTF-8.
package charsets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// Names are the encodings a file may be declared to be in.
func Names() []string { return []string{"utf-8", "windows-1252"} }

// The encodings that are detected and cannot be declared.
const (
	utf16LittleEndian = "utf-16le"
	utf16BigEndian    = "utf-16be"
)

// Sample is how many bytes of a file determine its encoding.
const Sample = 4 << 10

// Of returns the encoding of a file that begins with start, the first Sample bytes or all of them: UTF-16 if
// it certainly is, else the declared one. Text with zero bytes in another encoding is a VALIDATION_ERROR.
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

// UTF8 writes a file to another in UTF-8, from an encoding that [Of] has returned.
func UTF8(to io.Writer, from io.Reader, name string) error {
	switch name {
	case "windows-1252":
		from = &windows1252{from: from, line: 1}
	case utf16LittleEndian, utf16BigEndian:
		from = &utf16Text{from: from}
	default:
		_, err := io.Copy(to, from)
		return err
	}
	_, err := io.Copy(to, encodings[name].NewDecoder().Reader(from))
	return err
}

var encodings = map[string]encoding.Encoding{
	"windows-1252":    charmap.Windows1252,
	utf16LittleEndian: unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	utf16BigEndian:    unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
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

// windows1252 decodes a text and fails at a byte that the encoding does not define.
type windows1252 struct {
	from io.Reader
	line int
}

// Read implements io.Reader.
func (w *windows1252) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	at := slices.IndexFunc(p[:n], func(b byte) bool { return b == 0x81 || b == 0x8d || b == 0x8f || b == 0x90 || b == 0x9d })
	if at >= 0 {
		return 0, badFormat(fmt.Sprintf("The file is not in Windows-1252: it has the byte %#x in line %d.", p[at], w.line+bytes.Count(p[:at], []byte("\n"))))
	}
	w.line += bytes.Count(p[:n], []byte("\n"))
	return n, err
}
