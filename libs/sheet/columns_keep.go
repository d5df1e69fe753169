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
// by which a row does not count, or counts otherwise, as rules have claimed them. It reads the file twice.
func KeepColumns(to io.Writer, file func() io.Reader, typ string, o Options) (ignored []string, err error) {
	take, err := keptColumns(file(), typ, o)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file(), typ, o)
	if err != nil {
		return nil, err
	}
	of := make([][]claim, len(take))
	for n, at := range take {
		of[n] = r.keptBy(at)
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
				only[n] = keptOf(of[n], csvrows.Kept(cells[i]))
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
	if r.totals.fault(cells) == nil {
		return
	}
	n := r.totals.named(cells)
	if n.label == "" || slices.Contains(take, n.at) {
		return
	}
	if to := slices.IndexFunc(take, func(i int) bool { return r.marks.of[i] == noMark && !r.columns[i].number() }); to >= 0 && strings.TrimSpace(only[to]) == "" {
		only[to] = n.label
	}
}

// keptBy returns the claims by which something of the cells of a column may stay.
func (r *Reader) keptBy(at int) []claim {
	return slices.DeleteFunc(slices.Clone(r.claims), func(c claim) bool { return c.at != at || c.keep == nil })
}

// keptColumns returns the places of the columns of a file of which something is kept.
func keptColumns(file io.Reader, typ string, o Options) (take []int, err error) {
	r, err := NewReader(file, typ, o)
	if err != nil {
		return nil, err
	}
	kept := make([]bool, len(r.heads))
	perhaps := map[int][]claim{}
	for at := range kept {
		if kept[at] = r.isClaimed(at, keeps); !kept[at] && r.isClaimed(at, mayKeep) {
			perhaps[at] = r.keptBy(at)
		}
	}
	for len(perhaps) > 0 {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, csvrows.SyntaxFault(err)
		}
		for at, of := range perhaps {
			if at < len(cells) && keptOf(of, cells[at]) != "" {
				kept[at] = true
				delete(perhaps, at)
			}
		}
	}
	for at := range kept {
		if kept[at] {
			take = append(take, at)
		}
	}
	return take, nil
}
