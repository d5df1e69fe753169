package total

import "github.com/eventcarbon/ecf/libs/footprint/compact"

// CompactDeviations reads or writes deviations in few bytes. Decoded ones are allocated in room while it lasts.
func CompactDeviations(c *compact.Coder, all *[]Deviation, room *[]Deviation) {
	n := c.Len(len(*all))
	if c.Reading() {
		if n > len(*room) {
			*room = make([]Deviation, n)
		}
		*all, *room = (*room)[:n:n], (*room)[n:]
	}
	for i := range *all {
		d := &(*all)[i]
		c.Group()
		if c.Has(d.Factor != "") {
			c.Text(&d.Factor)
		}
		if c.Has(d.Use != "") {
			c.Text(&d.Use)
		}
		if c.Has(!d.Down.IsZero()) {
			c.Mass(&d.Down)
		}
		if c.Has(!d.Up.IsZero()) {
			c.Mass(&d.Up)
		}
		if c.Has(!d.Mass.IsZero()) {
			c.Mass(&d.Mass)
		}
		if c.Has(d.Basic != 0) {
			c.Int(&d.Basic)
		}
		if c.Has(d.Fit != 0) {
			c.Int(&d.Fit)
		}
		if c.Has(d.Own != nil) {
			c.Big(&d.Own)
		}
		if c.Has(d.OwnThird != nil) {
			c.Big(&d.OwnThird)
		}
		if c.Has(len(d.Wide) > 0) {
			compactWide(c, &d.Wide)
		}
	}
}

func compactWide(c *compact.Coder, all *[]wide) {
	n := c.Len(len(*all))
	if c.Reading() {
		*all = make([]wide, n)
	}
	for i := range *all {
		w := &(*all)[i]
		c.Mass(&w.Mass)
		c.Big(&w.Variance)
		c.Big(&w.Third)
	}
}
