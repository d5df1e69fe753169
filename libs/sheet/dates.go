package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/units"
)

// dates infers the order of day and month from all dates of a file, if none was declared: 03/04/2026 is in April if
// 13/04/2026 occurs. The zero value has seen none.
type dates struct {
	// left are the orders in which every date so far is valid.
	left []string
	seen bool
	// doubt: one of them has two readings.
	doubt bool
}

// add considers a cell of a date column.
func (d *dates) add(cell string) {
	cell = strings.TrimSpace(Unguard(cell))
	orders := units.OrdersOf(cell)
	if len(orders) == 0 {
		return
	}
	if !d.seen {
		d.seen, d.left = true, slices.Clone(orders)
	}
	d.doubt = d.doubt || len(orders) > 1
	d.left = slices.DeleteFunc(d.left, func(o string) bool { return !slices.Contains(orders, o) })
}

// dayFirstHeads are headings of days in languages that have the day first, and are words of others elsewhere.
const dayFirstHeads wordList = "dayFirstHeads"

// order returns the common order of all dates if one of them is ambiguous and the others determine it, or, where they do
// not, the headings: in all languages with a decimal comma that are known here the day comes first. Else it is an empty text.
func (d *dates) order(heads []string) string {
	switch {
	case !d.doubt:
	case len(d.left) == 1:
		return d.left[0]
	case slices.Contains(d.left, "dmy") && slices.ContainsFunc(heads, func(head string) bool { return writesCommas(head) || dayFirstHeads.has(plain(head)) }):
		return "dmy"
	}
	return ""
}
