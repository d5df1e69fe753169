package sheet

import (
	"io"
	"slices"
	"strings"
)

// Form is how a file is written, as far as that is found out once for all of it.
type Form struct {
	// NumberFormat is how its numbers are written, one of [units.Formats]; empty where
	// that was declared, does not matter or cannot be told.
	NumberFormat string
	// DateOrder is the order of its dates, one of [units.Orders]; empty where that was
	// declared, does not matter or cannot be told.
	DateOrder string
	// Doubts: a number with two readings may mean either, see [Options].
	Doubts bool
	// Ours: it is an export of the service as it was sent, whose numbers have one reading.
	Ours bool
	// Ignored are the columns that are no fields, as [Reader.Ignored] names them at the end.
	Ignored []string
	// HeadRow is the number of the row that names the fields.
	HeadRow int64
}

// Survey reads a whole file and returns its format. Errors of the header are
// a VALIDATION_ERROR; errors of rows are reported by the reader of the rows.
func Survey(file io.Reader, typ string, o Options) (Form, error) {
	r, err := NewReader(file, typ, o)
	if err != nil {
		return Form{}, err
	}
	f := Form{HeadRow: r.head, Ours: r.ours, Doubts: !r.ours && (r.rows.Comma != ',' || slices.ContainsFunc(r.heads, writesCommas))}
	var n Numbers
	var d dates
	for {
		cells, err := r.read()
		if err != nil {
			break
		}
		r.noteHeadless(cells)
		for i, cell := range cells[:min(len(cells), len(r.columns))] {
			switch {
			case r.columns[i].number():
				n.Add(cell)
			case r.columns[i].Name == "date", slices.Contains(r.stay, i):
				d.add(cell)
			}
		}
	}
	f.Ignored = r.Ignored()
	if o.DateOrder == "" {
		f.DateOrder = d.order()
	}
	if r.declared() != "" || r.ours {
		return f, nil
	}
	f.NumberFormat = n.Format()
	if !f.Doubts && !n.commas && !strings.HasSuffix(f.NumberFormat, ",5") {
		f.NumberFormat = "" // points stand before decimals anyway
	}
	return f, nil
}
