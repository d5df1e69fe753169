package total

import (
	"encoding/json"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Sum adds contributions. Its cost increases with their number, not with that of their different cells.
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
		t.parts = merge(t.parts, p.parts, compareParts, addParts)
		for j := range p.notices {
			t.notice(p.notices[j])
		}
	}
	return t.contribution()
}

// tally adds up contributions or lines in place. The order does not matter: the sums are integers, and the result is
// sorted.
type tally struct {
	scalars Contribution // without lists
	cells   gather[cellKey, cell]
	counts  gather[countKey, count]
	parts   []partOwn
	notices gather[string, noticeSum]
}

type countKey struct{ Type, Group string }

func newTally() *tally {
	return &tally{
		cells:  gather[cellKey, cell]{at: make(map[cellKey]int)},
		counts: gather[countKey, count]{at: make(map[countKey]int)}, notices: gather[string, noticeSum]{at: make(map[string]int)},
	}
}

func (t *tally) cell(c *cell) {
	if n := t.cells.find(c.cellKey, c); n != nil {
		*n = n.add(*c)
	}
}

func (t *tally) count(c count) {
	if n := t.counts.find(countKey{c.Type, c.Group}, &c); n != nil {
		n.Records += c.Records
		n.Own = n.Own.add(c.Own)
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
	out.parts = t.parts // merging makes new ones
	slices.SortFunc(out.cells, func(a, b cell) int { return a.compare(b.cellKey) })
	slices.SortFunc(out.counts, compareCounts)
	slices.SortFunc(out.notices, compareNotices)
	return out
}

// gather stores one entry per key.
type gather[K comparable, V any] struct {
	at   map[K]int
	list []V
}

// find returns the entry of a key, to add to. For a new key it stores value and returns nil: nothing remains to be
// added.
func (g *gather[K, V]) find(key K, value *V) *V {
	i, ok := g.at[key]
	if !ok {
		g.at[key] = len(g.list)
		g.list = append(g.list, *value)
		return nil
	}
	return &g.list[i]
}

// Summer adds up the contributions of many records of one event, without the texts of an evaluation. The sum equals
// that of Of. It must be used by one goroutine at a time.
type Summer struct {
	records *footprint.Evaluator
	tally   *tally
}

// NewSummer returns a Summer; the error is that of an unknown factor set.
func NewSummer(ev footprint.EventContext) (*Summer, error) {
	e, err := footprint.NewEvaluator(ev)
	if err != nil {
		return nil, err
	}
	return &Summer{records: e, tally: newTally()}, nil
}

// Add adds a record, given by the fields of footprint.Decoded. After an error, which is that of footprint.Evaluate,
// nothing was added.
func (s *Summer) Add(typ string, fields json.RawMessage) error {
	e, err := s.records.Evaluate(typ, fields)
	if err != nil {
		return err
	}
	s.tally.add(e)
	return nil
}

// Contribution returns the sum so far.
func (s *Summer) Contribution() Contribution { return s.tally.contribution() }

// add adds a record, as Of does.
func (t *tally) add(e *footprint.Evaluation) {
	var mass footprint.Mass
	for i := range e.Lines {
		l := &e.Lines[i]
		c := cellOf(e.Type, l)
		t.cell(&c)
		mass = mass.Add(l.Mass)
		t.scalars.addLine(l)
	}
	t.scalars.records++
	t.scalars.engine = e.Engine
	t.scalars.unbased = t.scalars.unbased.Add(e.NotRebased)
	t.scalars.biogenic = t.scalars.biogenic.Add(e.Biogenic)
	if e.Market != nil {
		t.scalars.market = t.scalars.market.Add(*e.Market)
	}
	moments := ownMoments(e.Lines, e.Engine)
	t.count(count{e.Type, e.Group, 1, moments})
	t.parts = merge(t.parts, partMoments(e.Lines, e.Engine, moments), compareParts, addParts)
	for i := range e.Notices {
		if reported(e.Notices, i) {
			t.notice(noticeSum{e.Notices[i].Code, 1, mass})
		}
	}
}
