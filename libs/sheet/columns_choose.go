package sheet

import (
	"bufio"
	"io"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/csvrows"
)

// ChooseColumns writes a file with other headings in some of its columns; everything below them stays as it is, byte for
// byte, and rows keep their numbers. Rows above the headings are left empty, as is one that was joined with them. It returns
// the headings that the file had. typeOf returns the type of a file with some headings. Faults of the choices are a
// VALIDATION_ERROR.
func ChooseColumns(to io.Writer, file func() io.Reader, typeOf func(heads []string) string, o Options, choices []Choice) (before []string, err error) {
	r, err := NewReader(file(), typeOf(nil), o)
	if r == nil {
		return nil, err // what is wrong with the headings may be mended by the choices
	}
	before = r.heads
	heads := Chosen(before, choices)
	width := len(before)
	for {
		cells, err := r.read()
		if err != nil {
			break // whoever reads the rows tells what is wrong with them
		}
		width = min(max(width, len(cells)), maxColumns)
	}
	if faults := checkChoices(typeOf(heads), o, before, width, choices); len(faults) > 0 {
		return before, apperr.Invalid(faults...)
	}
	return before, r.writeHead(to, file(), heads)
}

// writeHead copies a file with other headings.
func (r *Reader) writeHead(to io.Writer, from io.Reader, heads []string) error {
	f, err := csvrows.Open(from, Options{Rules: r.o.Rules}.csv())
	if err != nil {
		return err
	}
	out, end := bufio.NewWriter(to), f.LineEnd()
	if f.Declared() != 0 {
		_, _ = out.WriteString("sep=" + string(f.Declared()) + end) // Flush returns the error
	}
	for row := int64(1); row <= r.head; row++ {
		if err := f.SkipRow(); err != nil {
			return err
		}
		if row < r.head {
			_, _ = out.WriteString(end)
		}
	}
	for i, head := range heads {
		if i > 0 {
			_, _ = out.WriteRune(r.rows.Comma())
		}
		_, _ = out.WriteString(`"` + strings.ReplaceAll(head, `"`, `""`) + `"`)
	}
	_, _ = out.WriteString(end)
	if r.joinedBelow {
		if err := f.SkipRow(); err != nil {
			return err
		}
		_, _ = out.WriteString(end)
	}
	if _, err := io.Copy(out, f.Rest()); err != nil {
		return err
	}
	return out.Flush()
}
