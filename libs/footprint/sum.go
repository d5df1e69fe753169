package footprint

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Sum adds many contributions. Its cost grows with their number, not with that
// of their different cells.
func Sum(parts ...Contribution) Contribution {
	switch len(parts) {
	case 0:
		return Contribution{}
	case 1:
		return parts[0]
	case 2:
		return parts[0].Add(parts[1])
	}
	t := newTally()
	for i := range parts {
		p := &parts[i]
		t.scalars = t.scalars.addScalars(p)
		for j := range p.cells {
			t.cell(&p.cells[j])
		}
		for j := range p.counts {
			t.count(p.counts[j])
		}
		for j := range p.notices {
			t.notice(p.notices[j])
		}
	}
	return t.contribution()
}

// tally adds up contributions or lines in place. The order of what is added
// does not matter: the sums are those of whole numbers, and what comes out is
// sorted.
type tally struct {
	scalars Contribution // without lists
	cells   gather[cellKey, cell]
	counts  gather[count, count]
	notices gather[string, noticeSum]
}

func newTally() *tally {
	return &tally{
		cells:  gather[cellKey, cell]{at: make(map[cellKey]int)},
		counts: gather[count, count]{at: make(map[count]int)}, notices: gather[string, noticeSum]{at: make(map[string]int)},
	}
}

func (t *tally) cell(c *cell) {
	if n := t.cells.find(c.cellKey, c); n != nil {
		*n = n.add(*c)
	}
}

func (t *tally) count(c count) {
	if n := t.counts.find(count{Type: c.Type, Group: c.Group}, &c); n != nil {
		n.Records += c.Records
	}
}

func (t *tally) notice(s noticeSum) {
	if n := t.notices.find(s.Code, &s); n != nil {
		n.Records += s.Records
		n.Mass = n.Mass.Add(s.Mass)
	}
}

func (t *tally) contribution() Contribution {
	out := t.scalars
	out.cells, out.counts, out.notices = slices.Clone(t.cells.list), slices.Clone(t.counts.list), slices.Clone(t.notices.list)
	slices.SortFunc(out.cells, func(a, b cell) int { return a.compare(b.cellKey) })
	slices.SortFunc(out.counts, compareCounts)
	slices.SortFunc(out.notices, compareNotices)
	return out
}

// gather keeps one entry for each key.
type gather[K comparable, V any] struct {
	at   map[K]int
	list []V
}

// find gives the entry of a key, to add to. A key that is new gets value as its
// entry, and nil comes back: there is nothing to add any more.
func (g *gather[K, V]) find(key K, value *V) *V {
	i, ok := g.at[key]
	if !ok {
		g.at[key] = len(g.list)
		g.list = append(g.list, *value)
		return nil
	}
	return &g.list[i]
}

// Summer adds up what many records of one event contribute, without the words
// and lines of an Evaluation. The sum is the same as that of the contributions
// of Evaluate. A Summer is used by one goroutine.
type Summer struct {
	calculation calculation
	tally       *tally
}

// NewSummer makes a Summer; the error is that of an unknown factor set.
func NewSummer(ev EventContext) (*Summer, error) {
	e, err := engineFor(ev)
	if err != nil {
		return nil, err
	}
	return &Summer{calculation: calculation{engine: e, ev: ev, quiet: true}, tally: newTally()}, nil
}

// Add adds a record, given by the fields of Decoded. With an error, which is
// that of Evaluate, nothing was added.
func (s *Summer) Add(typ string, fields json.RawMessage) error {
	t, ok := find(typ)
	if !ok {
		return fmt.Errorf("footprint: the type %q is not known", typ)
	}
	in, err := t.read(fields)
	if err != nil {
		return err
	}
	return s.add(t, in)
}

func (s *Summer) add(t *recordType, in any) error {
	c := &s.calculation
	if err := t.calculate(in, c); err != nil {
		return err
	}
	if err := c.fault(); err != nil {
		return err
	}
	c.addTo(s.tally)
	return nil
}

// Contribution gives the sum so far.
func (s *Summer) Contribution() Contribution { return s.tally.contribution() }

// addTo adds what the record comes to; it is what contribution gives.
func (c *calculation) addTo(t *tally) {
	var total Mass
	for i := range c.out.Lines {
		l := &c.out.Lines[i]
		t.cell(&cell{
			cellKey: cellKey{Type: c.typ, Group: l.Group, Scope: l.Scope, Category: l.Category, Stage: l.Stage, Factor: l.FactorID},
			Mass:    l.Mass, Down: l.Mass.Sub(l.Low), Up: l.High.Sub(l.Mass),
		})
		total = total.Add(l.Mass)
		t.scalars.gases = t.scalars.gases.add(l.Gases)
		t.scalars.quality[l.quality] = t.scalars.quality[l.quality].Add(l.Mass.Sub(l.extrapolated))
		t.scalars.extrapolated = t.scalars.extrapolated.Add(l.extrapolated)
	}
	t.scalars.records++
	t.scalars.unbased = t.scalars.unbased.Add(c.unbased)
	t.scalars.biogenic = t.scalars.biogenic.Add(c.biogenic)
	if c.market != nil {
		t.scalars.market = t.scalars.market.add(*c.market)
	}
	t.count(count{c.typ, c.group, 1})
	for i, n := range c.notices {
		if _, ok := inResult[n.Code]; ok && !slices.ContainsFunc(c.notices[:i], func(o Notice) bool { return o.Code == n.Code }) {
			t.notice(noticeSum{n.Code, 1, total})
		}
	}
}
