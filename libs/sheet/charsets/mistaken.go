package charsets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// declaredText reads a text that was declared to be in an encoding, and fails at a line that is in UTF-8. Every byte of UTF-8
// is a character in most encodings, so that names would be read as others, and nothing else would tell.
type declaredText struct {
	from io.Reader
	charset
	line  int    // the number of the line that is being read
	start []byte // of that line, up to Sample bytes
}

// Read implements io.Reader.
func (d *declaredText) Read(p []byte) (int, error) {
	n, err := d.from.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		d.start = append(d.start, line[:min(len(line), Sample-len(d.start))]...)
		rest = after
		if !ended {
			break
		}
		if d.isUTF8() {
			return 0, d.fault()
		}
		d.line, d.start = d.line+1, d.start[:0]
	}
	if errors.Is(err, io.EOF) && d.isUTF8() {
		return 0, d.fault()
	}
	return n, err
}

// isUTF8 reports whether the line is in UTF-8: it can be, and its characters are then more usual ones.
func (d *declaredText) isUTF8() bool {
	text := d.start
	if bytes.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return false
	}
	for cut := range utf8.UTFMax { // the last character may not be all there
		if end := len(text) - cut; len(text) == Sample && end > 0 && utf8.Valid(text[:end]) {
			text = text[:end]
			break
		}
	}
	if !utf8.Valid(text) {
		return false
	}
	decoded, err := d.NewDecoder().Bytes(text)
	if err != nil {
		return false
	}
	declared := d.usual(bytes.Runes(decoded))
	for _, c := range charsets {
		if c.usual(bytes.Runes(text)) > declared {
			return true
		}
	}
	return false
}

func (d *declaredText) fault() error {
	return badFormat(fmt.Sprintf("The file was said to be in %s, and line %d of it is in UTF-8. Send it without an encoding if all of it is in UTF-8, or else save it anew as CSV in UTF-8.", d.title, d.line))
}
