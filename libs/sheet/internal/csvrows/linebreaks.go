package csvrows

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// maxCells bounds the cells of a row, including empty ones, to the columns of a spreadsheet. A megabyte of separators
// takes fifty times that to read.
const maxCells = 16_384

// lineBreaks reads a CSV file so that line breaks in quoted cells are preserved: encoding/csv would replace a
// carriage return and a line feed by a line feed. A byte that never occurs in text is inserted between the two, and
// [Kept] removes it again. Rows that end with only a carriage return get a line feed. A row of more than maxCells is a
// VALIDATION_ERROR.
type lineBreaks struct {
	from   *bufio.Reader
	comma  rune // between cells
	quoted bool
	// returns: rows end with a carriage return.
	returns bool
	// formulas: a cell such as ="0049", which spreadsheets read as the text 0049, is read without its sign.
	formulas bool
	// within: a cell has begun.
	within bool
	// line is the number of lines before, and cells the number of cells of the row after the first.
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
				return n, nil // the error is returned again
			}
			return 0, err
		}
		if b == '\r' && l.returns && !l.quoted && !l.feeds() {
			b = '\n'
		}
		if b == '\n' {
			l.line++
		}
		if l.formulas && b == '=' && !l.within && l.quotes() {
			continue
		}
		l.within = l.quoted || b != '\n' && rune(b) != l.comma
		switch {
		case b == '"':
			l.quoted = !l.quoted
		case l.quoted:
		case b == '\n':
			l.cells = 0
		case rune(b) == l.comma:
			// Reading stops here, so the fault is returned again, after the data before it.
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

// quotes reports whether the next byte is a quote.
func (l *lineBreaks) quotes() bool {
	next, err := l.from.Peek(1)
	return err == nil && next[0] == '"'
}

// feeds reports whether the next byte is a line feed.
func (l *lineBreaks) feeds() bool {
	next, err := l.from.Peek(1)
	return err == nil && next[0] == '\n'
}

// endsInReturns reports whether all rows of a file that begins with start end with only a carriage return, as old
// Macintosh programs write them.
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

// textOf returns the text of a cell that is a formula of a text, ="0049", which exports for Excel use to preserve leading
// zeros; any other cell is returned unchanged.
func textOf(cell string) string {
	text, ok := strings.CutPrefix(cell, `="`)
	if !ok || len(text) == 0 || text[len(text)-1] != '"' {
		return cell
	}
	text = text[:len(text)-1]
	if quotes := strings.ReplaceAll(text, `""`, ""); strings.Contains(quotes, `"`) {
		return cell
	}
	return strings.ReplaceAll(text, `""`, `"`)
}

// Kept returns a cell as it was in the file.
func Kept(cell string) string { return strings.ReplaceAll(cell, "\r\xff\n", "\r\n") }
