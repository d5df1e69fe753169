// Package total adds contributions of records: exact sums that can be stored
// and merged, the breakdowns and intervals of a result, and the share of each part
// in the uncertainty of a total.
package total

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Contribution is the addition of any number of records to a result: exact sums that can be merged in any order and
// grouping with the same resulting bytes. It is stored on each record, in each segment and in the root. A
// Contribution is immutable; the zero value is that of no records.
//
// The sums are stored by cell, the combination of all dimensions of a result. The number of cells is that of distinct
// combinations, not of records.
type Contribution struct {
	engine       string // of the records; empty for none
	records      int64
	counts       []count // of records, by type and group
	parts        []partOwn
	cells        []cell
	gases        footprint.Gases
	quality      [footprint.Qualities]footprint.Mass // of the part that is not extrapolated
	extrapolated footprint.Mass
	unbased      footprint.Mass // not re-based on AR6
	biogenic     footprint.Mass // biogenic CO2, outside of scopes and total
	market       footprint.Market
	notices      []noticeSum
}

type count struct {
	Type, Group string
	Records     int64
	// Own is the addition of the records' own activity to the moments of the sum.
	Own own
}

type cellKey struct {
	Type, Group, Category, Stage, Factor string
	Scope                                int
	// Use, Basic and Fit are those of footprint.Doubt.
	Use        string
	Basic, Fit int64
}

type cell struct {
	cellKey
	Mass footprint.Mass
	// Down and Up are the distances to the ends of the interval by engine 1.2.0. They are added linearly within a
	// factor, whose error is common to all its lines.
	Down, Up footprint.Mass
}

type noticeSum struct {
	Code    string
	Records int64
	Mass    footprint.Mass // of the records, not only of the part that the notice concerns
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
	if c := strings.Compare(a.Category, b.Category); c != 0 {
		return c
	}
	if c := strings.Compare(a.Use, b.Use); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Basic, b.Basic); c != 0 {
		return c
	}
	return cmp.Compare(a.Fit, b.Fit)
}

// Of returns the contribution of a record. It is Summer.Add for one record, without maps.
func Of(e *footprint.Evaluation) Contribution {
	moments := ownMoments(e.Lines, e.Engine)
	out := Contribution{engine: e.Engine, records: 1, counts: []count{{e.Type, e.Group, 1, moments}}, unbased: e.NotRebased, biogenic: e.Biogenic,
		cells: make([]cell, 0, len(e.Lines)), parts: partMoments(e.Lines, e.Engine, moments)}
	var mass footprint.Mass
	for i := range e.Lines {
		l := &e.Lines[i]
		out.cells = append(out.cells, cellOf(e.Type, l))
		mass = mass.Add(l.Mass)
		out.addLine(l)
	}
	out.cells = sortCells(out.cells)
	if e.Market != nil {
		out.market = *e.Market
	}
	for i := range e.Notices {
		if reported(e.Notices, i) {
			out.notices = append(out.notices, noticeSum{e.Notices[i].Code, 1, mass})
		}
	}
	slices.SortFunc(out.notices, compareNotices)
	return out
}

// cellOf returns the cell of a line.
func cellOf(typ string, l *footprint.Line) cell {
	c := cell{cellKey: cellKey{Type: typ, Group: l.Group, Scope: l.Scope, Category: l.Category, Stage: l.Stage, Factor: l.FactorID}, Mass: l.Mass}
	if d := l.Doubt; d != nil {
		c.Use, c.Basic, c.Fit = d.Use, d.Basic, d.Fit
	} else {
		c.Down, c.Up = l.Mass.Sub(l.Low), l.High.Sub(l.Mass)
	}
	return c
}

// addLine adds the parts of a line that have no cell.
func (c *Contribution) addLine(l *footprint.Line) {
	c.gases = c.gases.Add(l.Gases)
	c.quality[l.Quality] = c.quality[l.Quality].Add(l.Mass.Sub(l.Extrapolated))
	c.extrapolated = c.extrapolated.Add(l.Extrapolated)
}

// reported reports whether results carry the notice at i, which is the first of
// its code.
func reported(notices []footprint.Notice, i int) bool {
	code := notices[i].Code
	return footprint.NoticeMeaning(code) != "" &&
		!slices.ContainsFunc(notices[:i], func(o footprint.Notice) bool { return o.Code == code })
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
func (c Contribution) Total() footprint.Mass {
	var total footprint.Mass
	for i := range c.cells {
		total = total.Add(c.cells[i].Mass)
	}
	return total
}

// Market is the mass of the electricity by contract, beside the total; 0 where there is none.
func (c Contribution) Market() footprint.Mass { return c.market.Mass }

// Biogenic is the mass of biogenic CO2, outside of scopes and beside the total.
func (c Contribution) Biogenic() footprint.Mass { return c.biogenic }

// Add returns the sum of both. It is associative and commutative, and modifies neither.
func (c Contribution) Add(other Contribution) Contribution {
	out := c.addScalars(&other)
	out.cells = merge(c.cells, other.cells, func(a, b cell) int { return a.compare(b.cellKey) }, cell.add)
	out.counts = merge(c.counts, other.counts, compareCounts, func(a, b count) count {
		a.Records += b.Records
		a.Own = a.Own.add(b.Own)
		return a
	})
	out.parts = merge(c.parts, other.parts, compareParts, addParts)
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
	out.engine = footprint.LaterEngine(c.engine, other.engine)
	out.records += other.records
	out.gases = c.gases.Add(other.gases)
	for i := range out.quality {
		out.quality[i] = c.quality[i].Add(other.quality[i])
	}
	out.extrapolated = c.extrapolated.Add(other.extrapolated)
	out.unbased = c.unbased.Add(other.unbased)
	out.biogenic = c.biogenic.Add(other.biogenic)
	out.market = c.market.Add(other.market)
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
