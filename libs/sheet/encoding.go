package sheet

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"golang.org/x/text/encoding/charmap"

	"github.com/eventcarbon/ecf/libs/fields"
)

// Encodings are the encodings a file may be declared to be in.
func Encodings() []string { return []string{"utf-8", "windows-1252"} }

// UTF8 writes a file to another in UTF-8, from one of the Encodings.
func UTF8(to io.Writer, from io.Reader, encoding string) error {
	if encoding != "windows-1252" {
		_, err := io.Copy(to, from)
		return err
	}
	checked := &windows1252{from: from, line: 1}
	if _, err := io.Copy(to, charmap.Windows1252.NewDecoder().Reader(checked)); err != nil {
		return err
	}
	return nil
}

// windows1252 reads a text and fails at a byte that means nothing in that encoding.
type windows1252 struct {
	from io.Reader
	line int
}

// Read implements io.Reader.
func (w *windows1252) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	at := slices.IndexFunc(p[:n], func(b byte) bool { return b == 0x81 || b == 0x8d || b == 0x8f || b == 0x90 || b == 0x9d })
	if at >= 0 {
		return 0, headFault(fields.BadFormat, fmt.Sprintf("The file is not in Windows-1252: it has the byte %#x in line %d.", p[at], w.line+bytes.Count(p[:at], []byte("\n"))))
	}
	w.line += bytes.Count(p[:n], []byte("\n"))
	return n, err
}
