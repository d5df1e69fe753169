package sheet

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// maxCells bounds the cells of a row, empty ones included: as many as a sheet of a
// spreadsheet program has columns. A megabyte of separators takes fifty to read.
const maxCells = 16_384

// lineBreaks reads a CSV file so that line breaks inside of quoted cells come back
// as they are: encoding/csv makes a line feed of a carriage return and a line feed.
// A byte that no text has is put between the two, and kept takes it away again. Where rows
// end with a carriage return alone, they come with a line feed. A row of more than maxCells
// is a VALIDATION_ERROR.
type lineBreaks struct {
	from   *bufio.Reader
	comma  rune // between cells
	quoted bool
	// returns: rows end with a carriage return.
	returns bool
	// line is how many lines there were before, and cells how many the row has after the
	// first.
	line, cells int
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
		if b == '\r' && l.returns && !l.quoted && !l.feeds() {
			b = '\n'
		}
		if b == '\n' {
			l.line++
		}
		switch {
		case b == '"':
			l.quoted = !l.quoted
		case l.quoted:
		case b == '\n':
			l.cells = 0
		case rune(b) == l.comma:
			// It is not read on, so the fault comes again, after what there is before it.
			if l.cells+1 >= maxCells {
				return n, l.tooMany(n)
			}
			l.cells++
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

// feeds reports whether a line feed comes next.
func (l *lineBreaks) feeds() bool {
	next, err := l.from.Peek(1)
	return err == nil && next[0] == '\n'
}

// endsInReturns reports whether the rows of a file that begins with start end with a carriage
// return alone, as old programs of the Macintosh write them: none of them ends otherwise.
func endsInReturns(start []byte) bool {
	quoted, returns := false, false
	for i, b := range start {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '\n':
			return false
		case b == '\r':
			returns = returns || i+1 < len(start)
		}
	}
	return returns
}

// tooMany returns the fault of a row, or nil where n bytes are to be returned before it.
func (l *lineBreaks) tooMany(n int) error {
	if err := l.from.UnreadByte(); n > 0 || err != nil {
		return err
	}
	return apperr.Invalid(apperr.Detail{Code: fields.TooMany,
		Message: fmt.Sprintf("A row has at most %d cells, empty ones included; the one in line %d has more.", maxCells, l.line+1)})
}

// kept returns a cell as it was in the file.
func kept(cell string) string { return strings.ReplaceAll(cell, "\r\xff\n", "\r\n") }
