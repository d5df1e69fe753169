package sheet

import (
	"bufio"
	"strings"
)

// lineBreaks reads a CSV file so that line breaks inside of quoted cells come back
// as they are: encoding/csv makes a line feed of a carriage return and a line feed.
// A byte that no text has is put between the two, and kept takes it away again.
type lineBreaks struct {
	from   *bufio.Reader
	quoted bool
	// last is the byte before; mark: the separator is to be returned before next.
	last, next byte
	mark       bool
}

const separator = '\xff'

// Read implements io.Reader.
func (l *lineBreaks) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if l.mark {
			l.mark, p[n] = false, l.next
			n++
			continue
		}
		b, err := l.from.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil // the error comes again
			}
			return 0, err
		}
		if b == '"' {
			l.quoted = !l.quoted
		}
		if b == '\n' && l.last == '\r' && l.quoted {
			l.mark, l.next = true, b
			b = separator
		}
		l.last, p[n] = b, b
		n++
	}
	return n, nil
}

// kept returns a cell as it was in the file.
func kept(cell string) string { return strings.ReplaceAll(cell, "\r\xff\n", "\r\n") }
