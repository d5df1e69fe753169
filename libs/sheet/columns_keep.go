package sheet

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/sheet/internal/csvrows"
)

// KeepColumns copies a file with only the columns that are fields of a type, and returns the headings of the others. It
// removes data that must not be stored, such as people's names, before anything is stored. Of other columns it keeps the cells
// by which a row does not count, or counts otherwise. It reads the file twice.
func KeepColumns(to io.Writer, file func() io.Reader, typ string, o Options) (ignored []string, err error) {
	stops, err := stoppingColumns(file(), typ, o)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file(), typ, o)
	if err != nil {
		return nil, err
	}
	var take []int
	for i, c := range r.columns {
		if r.marks.of[i] != noMark || stops[i] || r.origins.countsOthers(i) || r.origins.asksMode(i) || slices.Contains(r.quantity, i) ||
			slices.ContainsFunc(Columns(typ), func(known Column) bool { return known.Name == c.Name }) {
			take = append(take, i)
		}
	}
	out := bufio.NewWriter(to)
	only, line := make([]string, len(take)), []byte(nil)
	written := int64(0)
	row := func(cells []string) error {
		for written++; r.o.Rules > 0 && written < r.number; written++ {
			_, _ = out.WriteString("\r\n") // a blank line preserves row numbers; Flush returns the error
		}
		clear(only)
		for n, i := range take {
			switch {
			case i >= len(cells):
			case written <= r.head:
				only[n] = cells[i]
			default:
				only[n] = r.kept(i, cells[i])
			}
		}
		if written > r.head {
			r.keepLabel(only, take, cells)
		}
		if line = AppendRow(line[:0], only); len(only) == 1 && only[0] == "" {
			line = append(line[:0], "\"\"\r\n"...) // an empty line would not count as a row
		}
		_, err := out.Write(line)
		return err
	}
	if err := row(r.heads); err != nil {
		return nil, err
	}
	for {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			return r.Ignored(), out.Flush()
		}
		if err != nil {
			return nil, csvrows.SyntaxFault(err)
		}
		if err := row(cells); err != nil {
			return nil, err
		}
	}
}

// keepLabel writes the label of a row of totals into the first text column that is kept, if its
// own column is not kept: otherwise the row would count as people without an origin.
func (r *Reader) keepLabel(only []string, take []int, cells []string) {
	n := r.totals.named(cells)
	if r.totals.fault(cells) == nil || n.label == "" || slices.Contains(take, n.at) {
		return
	}
	if to := slices.IndexFunc(take, func(i int) bool { return r.marks.of[i] == noMark && !r.columns[i].number() }); to >= 0 && strings.TrimSpace(only[to]) == "" {
		only[to] = n.label
	}
}

// kept returns a cell of a field, or that says how its row counts, without what else such a cell has; empty for any other.
func (r *Reader) kept(at int, cell string) string {
	trimmed := strings.TrimSpace(cell)
	switch {
	case at == r.origins.people.index() && isName(trimmed):
		return ""
	case r.columns[at].Name != "", slices.Contains(r.quantity, at), r.origins.countsOthers(at) && bareNumber(trimmed), r.origins.asksMode(at) && modeOf(r.typ, Unguard(trimmed), columnOf(r.typ, "mode").values) != "",
		r.marks.of[at] != noMark && r.marks.marked(r.marks.of[at], trimmed):
		return cell
	case r.marks.stopsAlone(at, trimmed):
		return stopPart(Unguard(trimmed))
	}
	return ""
}

// stoppingColumns returns the columns of a file that are known to state whether a row counts by their cells alone.
func stoppingColumns(file io.Reader, typ string, o Options) (map[int]bool, error) {
	r, err := NewReader(file, typ, o)
	if err != nil {
		return nil, err
	}
	stops := map[int]bool{}
	for {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			return stops, nil
		}
		if err != nil {
			return nil, csvrows.SyntaxFault(err)
		}
		for at := range min(len(cells), len(r.heads)) {
			if r.marks.stopsAlone(at, strings.TrimSpace(cells[at])) {
				stops[at] = true
			}
		}
	}
}
