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
// removes data that must not be stored, such as people's names, before anything is stored.
func KeepColumns(to io.Writer, from io.Reader, typ string, o Options) (ignored []string, err error) {
	r, err := NewReader(from, typ, o)
	if err != nil {
		return nil, err
	}
	var take []int
	for i, c := range r.columns {
		if r.marks.of[i] != noMark || slices.Contains(r.quantity, i) || slices.ContainsFunc(Columns(typ), func(known Column) bool { return known.Name == c.Name }) {
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
			if i < len(cells) && i == r.origins.people.index() && written > r.head && isName(strings.TrimSpace(cells[i])) {
				continue // a name
			}
			if i < len(cells) && (r.marks.of[i] == noMark || r.columns[i].Name != "" || written <= r.head || r.marks.marked(r.marks.of[i], strings.TrimSpace(cells[i]))) {
				only[n] = cells[i]
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
