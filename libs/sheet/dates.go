package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/units"
)

// dates finds out in which order the dates of a file have day and month, where nobody has said
// it, from all of them: 03/04/2026 is in April beside 13/04/2026. The zero value has seen none.
type dates struct {
	// left are the orders in which every date so far can be read.
	left []string
	seen bool
	// doubt: one of them has two readings.
	doubt bool
}

// add takes a cell of the column of dates.
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

// order returns the order of all dates where one of them has two readings and the others
// settle which one is meant; else nothing.
func (d *dates) order() string {
	if !d.doubt || len(d.left) != 1 {
		return ""
	}
	return d.left[0]
}
