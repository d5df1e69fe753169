package sheet

import (
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Form is the notation of a file, as far as it is determined once for all of it.
type Form struct {
	// NumberFormat is the format of its numbers, one of [units.Formats]; empty if it was declared, is irrelevant or
	// unknown.
	NumberFormat string
	// DateOrder is the order of its dates, one of [units.Orders]; empty if it was declared, is irrelevant or unknown.
	DateOrder string
	// Doubts: a number with two readings may mean either, see [Options].
	Doubts bool
	// Ours marks an unmodified export of the service, whose numbers are unambiguous.
	Ours bool
	// Ignored are the columns that are not fields, as returned by [Reader.Ignored] at the end.
	Ignored []string
	// HeadRow is the number of the row that names the fields.
	HeadRow int64
	// Rows are how many rows [Reader.Next] returns at most.
	Rows int64
}

// decimalComma is a number with a decimal comma, which is no list of two: 0,95 and 12,5.
var decimalComma = regexp.MustCompile(`^(?:0|\d{2,}),\d{1,2}$`)

// DetectForm reads a whole file and returns its format. Errors of the header are
// a VALIDATION_ERROR; errors of rows are reported by the reader of the rows.
func DetectForm(file io.Reader, typ string, o Options) (Form, error) {
	r, err := NewReader(file, typ, o)
	if err != nil {
		return Form{}, err
	}
	heads := r.heads
	if o.Before != nil {
		heads = o.Before
	}
	f := Form{HeadRow: r.head, Ours: r.ours, Doubts: !r.ours && (r.rows.Comma() != ',' || slices.ContainsFunc(heads, writesCommas))}
	var n Numbers
	var d, others dates
	otherDay := r.otherDays()
	absurd := r.largeUnits()
	var sets []alternatives
	if r.splits() {
		sets = r.dividing()
	}
	for {
		cells, err := r.read()
		if err != nil {
			break
		}
		f.Rows += atMost(cells, sets)
		for i, cell := range cells[:min(len(cells), len(r.columns))] {
			switch {
			case r.columns[i].number():
				n.Add(cell)
				absurd[i].add(cell)
			case decimalComma.MatchString(strings.TrimSpace(cell)):
				n.Add(cell) // 11,2 of a calorific value, too
			case strings.Contains(cell, ".") && strings.Contains(cell, ","):
				if number, _, _ := money(strings.TrimSpace(cell)); bareNumber(number) {
					n.Add(cell) // 1.012,20 of a price tells how the file writes numbers
				}
			case r.columns[i].Name == "date", slices.Contains(r.lodging.stay, i), slices.Contains(r.lodging.stayBeside, i):
				d.add(cell)
			case otherDay[i]:
				others.settle(cell)
			}
		}
	}
	f.Ignored = r.Ignored()
	if o.DateOrder == "" {
		f.DateOrder = d.order(others, heads)
	}
	if r.declared() != "" || r.ours {
		return f, nil
	}
	f.NumberFormat = n.Format()
	if !f.Doubts && !n.commas && !strings.HasSuffix(f.NumberFormat, ",5") {
		f.NumberFormat = "" // a decimal point is the default
	}
	if strings.HasSuffix(f.NumberFormat, ",5") && slices.ContainsFunc(slices.Collect(maps.Values(absurd)), (*magnitudes).absurd) {
		f.NumberFormat = "" // thousands of tonnes beside a few: it has to be declared
	}
	return f, nil
}
