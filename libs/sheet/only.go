package sheet

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// Only returns a file with the columns that are fields of a type and no others, and
// the heads of those that were left out. What a file must not bring along, such as
// people's names, is gone before anything is stored.
func Only(file []byte, typ string, o Options) (kept []byte, ignored []string, err error) {
	r, err := NewReader(bytes.NewReader(file), typ, o)
	if err != nil {
		return nil, nil, err
	}
	var take []int
	for i, c := range r.columns {
		if slices.ContainsFunc(Columns(typ), func(known Column) bool { return known.Name == c.Name }) {
			take = append(take, i)
		}
	}
	row := func(cells []string) {
		only := make([]string, len(take))
		for n, i := range take {
			if i < len(cells) {
				only[n] = cells[i]
			}
		}
		if len(only) == 1 && only[0] == "" {
			kept = append(kept, "\"\"\r\n"...) // an empty line would not count as a row
			return
		}
		kept = AppendRow(kept, only)
	}
	row(r.heads)
	for {
		cells, err := r.rows.Read()
		if errors.Is(err, io.EOF) {
			return kept, r.ignored, nil
		}
		if err != nil {
			return nil, nil, syntaxFault(err)
		}
		row(cells)
	}
}
