// Package csvrows reads the rows of CSV files as people's programs write them: with any separator and line end, with
// titles above the headings, and numbered as spreadsheets number rows. It knows nothing of what the cells mean.
package csvrows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// maxHead bounds how far the head is looked for, in bytes.
const maxHead = 64 << 10

// Options say how a file is read.
type Options struct {
	// HeadRow is the number of the row of headings, if it has others above it; 0: the first one.
	HeadRow int64
	// Strictly: rows end with a line feed, cells have no formulas, and blank lines are no rows, as before there were
	// versions of the rules.
	Strictly bool
}

// File is a file after its first bytes have been read.
type File struct {
	o    Options
	from *bufio.Reader
	// start are the next bytes, up to maxHead.
	start []byte
	// comma separates the cells, and declared is the same where the file declares it.
	comma, declared rune
	// returns: rows end with a carriage return.
	returns bool
	above   []string
	title   string
}

// Open opens a file, and advances to the row of headings if it is known. Faults of it are a VALIDATION_ERROR.
func Open(file io.Reader, o Options) (*File, error) {
	f := &File{o: o, from: bufio.NewReaderSize(file, maxHead)}
	start, err := f.from.Peek(maxHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return nil, badFormat("The file is in UTF-16. Save it as CSV in UTF-8.")
	}
	skip := 0
	if bytes.HasPrefix(start, []byte("\ufeff")) {
		skip = len("\ufeff")
	}
	declared, length, err := declaredSeparator(start[skip:])
	if err != nil {
		return nil, err
	}
	skip += length
	f.declared, f.comma, f.returns = declared, declared, !o.Strictly && endsInReturns(start[skip:])
	for row := int64(1); row < o.HeadRow; row++ {
		end := skip + rowEnd(start[skip:], f.returns)
		if row == o.HeadRow-1 && !o.Strictly {
			comma := declared
			if comma == 0 {
				comma = separatorOf(start[end:])
			}
			f.above = cellsOf(start[skip:end], comma)
		}
		f.title += string(start[skip:end])
		skip = end
	}
	if f.start = start[skip:]; declared == 0 {
		f.comma = separatorOf(f.start)
	}
	_, _ = f.from.Discard(skip) // it was just seen
	return f, nil
}

// badFormat is the fault of a file that is no CSV.
func badFormat(message string) error {
	return apperr.Invalid(apperr.Detail{Field: "row 1", Code: fields.BadFormat, Message: message})
}

// Comma returns the separator of cells.
func (f *File) Comma() rune { return f.comma }

// Declared returns the separator of cells where the file declares it, else 0.
func (f *File) Declared() rune { return f.declared }

// Above returns the cells of the row directly above the headings, if it was skipped.
func (f *File) Above() []string { return f.above }

// Title returns the text of all rows above the headings.
func (f *File) Title() string { return f.title }

// LineEnd returns what rows end with.
func (f *File) LineEnd() string {
	if f.returns {
		return "\r"
	}
	return "\n"
}

// First returns the first rows with something in them, at most so many of those near the beginning, and their numbers. Unless
// the file declares its separator, each is read with the one that it has most of, since titles have others.
func (f *File) First(most int) (rows [][]string, numbers []int64) {
	for number, rest := int64(1), f.start; len(rest) > 0 && len(rows) < most; number++ {
		end := rowEnd(rest, f.returns)
		comma := f.comma
		if f.declared == 0 {
			comma = separatorOf(rest[:end])
		}
		if cells := cellsOf(rest[:end], comma); len(cells) > 0 {
			rows, numbers = append(rows, cells), append(numbers, number)
		}
		rest = rest[end:]
	}
	return rows, numbers
}

// cellsOf returns the cells of a row; none if it is empty or not CSV, as a title may be.
func cellsOf(row []byte, comma rune) []string {
	text := bufio.NewReader(bytes.NewReader(bytes.TrimRight(row, "\r\n")))
	r := csv.NewReader(&lineBreaks{from: text, comma: comma, formulas: true})
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, true
	cells, err := r.Read()
	if err != nil || !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
		return nil
	}
	for i, cell := range cells {
		cells[i] = textOf(Kept(cell))
	}
	return cells
}

// rowEnd returns the length of the first row in bytes, including its line break.
func rowEnd(text []byte, returns bool) int {
	quoted := false
	for i, b := range text {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '\n', b == '\r' && returns && !bytes.HasPrefix(text[i+1:], []byte("\n")):
			return i + 1
		}
	}
	return len(text)
}

// SkipRow reads to the end of a row, or of the file.
func (f *File) SkipRow() error {
	quoted := false
	for {
		b, err := f.from.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '\n':
			return nil
		case b == '\r' && f.returns:
			if next, _ := f.from.Peek(1); len(next) == 0 || next[0] != '\n' {
				return nil
			}
		}
	}
}

// Rest returns what was not read yet.
func (f *File) Rest() io.Reader { return f.from }
