package footprint

import (
	"cmp"
	"slices"
	"strings"
)

// Contribution is what one record, or any number of records, adds to a result:
// exact sums that can be merged in any order and grouping and still give the
// same bytes. It is stored on each record, in each segment and in the root. A
// Contribution is a value and never changes; the zero value is that of no
// records.
//
// The sums are kept by cell, the combination of everything a result is broken
// down by. There are as many cells as there are different combinations, not
// as there are records.
type Contribution struct {
	records      int64
	counts       []count // of records, by type and group
	cells        []cell
	gases        Gases
	quality      [qualities]Mass // of what is not extrapolated
	extrapolated Mass
	unbased      Mass // not re-based on AR6
	biogenic     Mass // biogenic CO2, outside of scopes and total
	market       market
	notices      []noticeSum
}

type count struct {
	Type, Group string
	Records     int64
}

type cellKey struct {
	Type, Group, Category, Stage, Factor string
	Scope                                int
}

type cell struct {
	cellKey
	Mass Mass
	// Down and Up are the distances to the ends of the interval. They are added
	// plainly within a factor, whose error all its lines share.
	Down, Up Mass
}

// market are the sums of the market-based figure of electricity. Energy is kept
// in the same form as mass: 10^-9 kWh.
type market struct {
	Mass                        Mass
	Covered, Residual, GridMean Mass
}

func (m market) isZero() bool { return m == market{} }

func (m market) add(o market) market {
	return market{Mass: m.Mass.Add(o.Mass), Covered: m.Covered.Add(o.Covered), Residual: m.Residual.Add(o.Residual), GridMean: m.GridMean.Add(o.GridMean)}
}

type noticeSum struct {
	Code    string
	Records int64
	Mass    Mass // of the records, not only of what the notice is about
}

func (a cellKey) compare(b cellKey) int {
	if c := strings.Compare(a.Type, b.Type); c != 0 {
		return c
	}
	if c := strings.Compare(a.Group, b.Group); c != 0 {
		return c
	}
	if c := strings.Compare(a.Factor, b.Factor); c != 0 {
		return c
	}
	if c := strings.Compare(a.Stage, b.Stage); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Scope, b.Scope); c != 0 {
		return c
	}
	return strings.Compare(a.Category, b.Category)
}

// contribution gives what the record adds to a result. It is Summer.Add for one
// record, without maps.
func (c *calculation) contribution() Contribution {
	out := Contribution{records: 1, counts: []count{{c.typ, c.group, 1}}, unbased: c.unbased, biogenic: c.biogenic,
		cells: make([]cell, 0, len(c.out.Lines))}
	var total Mass
	for i := range c.out.Lines {
		l := &c.out.Lines[i]
		out.cells = append(out.cells, cell{
			cellKey: cellKey{Type: c.typ, Group: l.Group, Scope: l.Scope, Category: l.Category, Stage: l.Stage, Factor: l.FactorID},
			Mass:    l.Mass, Down: l.Mass.Sub(l.Low), Up: l.High.Sub(l.Mass),
		})
		total = total.Add(l.Mass)
		out.gases = out.gases.add(l.Gases)
		out.quality[l.quality] = out.quality[l.quality].Add(l.Mass.Sub(l.extrapolated))
		out.extrapolated = out.extrapolated.Add(l.extrapolated)
	}
	out.cells = sortCells(out.cells)
	if c.market != nil {
		out.market = *c.market
	}
	for _, n := range c.notices {
		if _, ok := inResult[n.Code]; ok && !slices.ContainsFunc(out.notices, func(s noticeSum) bool { return s.Code == n.Code }) {
			out.notices = append(out.notices, noticeSum{n.Code, 1, total})
		}
	}
	slices.SortFunc(out.notices, compareNotices)
	return out
}

func compareNotices(a, b noticeSum) int { return strings.Compare(a.Code, b.Code) }

// sortCells orders cells and adds up those of the same key, in place.
func sortCells(cells []cell) []cell {
	if len(cells) < 2 {
		return cells
	}
	slices.SortFunc(cells, func(a, b cell) int { return a.compare(b.cellKey) })
	out := cells[:1]
	for _, c := range cells[1:] {
		if last := &out[len(out)-1]; last.cellKey == c.cellKey {
			*last = last.add(c)
		} else {
			out = append(out, c)
		}
	}
	return out
}

func (c cell) add(o cell) cell {
	c.Mass, c.Down, c.Up = c.Mass.Add(o.Mass), c.Down.Add(o.Down), c.Up.Add(o.Up)
	return c
}

// Records is the number of records in the sums.
func (c Contribution) Records() int64 { return c.records }

// Noticed reports whether a notice of this code, one that results carry, is
// about any of the records.
func (c Contribution) Noticed(code string) bool {
	return slices.ContainsFunc(c.notices, func(n noticeSum) bool { return n.Code == code })
}

// Total is the mass of all lines.
func (c Contribution) Total() Mass {
	var total Mass
	for i := range c.cells {
		total = total.Add(c.cells[i].Mass)
	}
	return total
}

// Add gives the sums of both. It is associative and commutative, and both
// stay as they are.
func (c Contribution) Add(other Contribution) Contribution {
	out := c.addScalars(&other)
	out.cells = merge(c.cells, other.cells, func(a, b cell) int { return a.compare(b.cellKey) }, cell.add)
	out.counts = merge(c.counts, other.counts, compareCounts, func(a, b count) count {
		a.Records += b.Records
		return a
	})
	out.notices = merge(c.notices, other.notices, compareNotices,
		func(a, b noticeSum) noticeSum {
			a.Records += b.Records
			a.Mass = a.Mass.Add(b.Mass)
			return a
		})
	return out
}

// addScalars adds all but the lists, which stay those of c.
func (c Contribution) addScalars(other *Contribution) Contribution {
	out := c
	out.records += other.records
	out.gases = c.gases.add(other.gases)
	for i := range out.quality {
		out.quality[i] = c.quality[i].Add(other.quality[i])
	}
	out.extrapolated = c.extrapolated.Add(other.extrapolated)
	out.unbased = c.unbased.Add(other.unbased)
	out.biogenic = c.biogenic.Add(other.biogenic)
	out.market = c.market.add(other.market)
	return out
}

func compareCounts(a, b count) int {
	if c := strings.Compare(a.Type, b.Type); c != 0 {
		return c
	}
	return strings.Compare(a.Group, b.Group)
}

// merge joins two ordered lists into a new one, adding equal entries.
func merge[T any](a, b []T, order func(a, b T) int, add func(a, b T) T) []T {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make([]T, 0, max(len(a), len(b))+2)
	for len(a) > 0 && len(b) > 0 {
		switch c := order(a[0], b[0]); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, add(a[0], b[0])), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}
