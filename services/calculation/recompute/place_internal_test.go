package recompute

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

const (
	org   record.OrgID   = "o"
	event record.EventID = "e"
)

// place is an event whose context has changed once, with records and its second result, as they are stored.
type place struct {
	t         *testing.T
	event     record.Event
	entries   []record.EventEntry // but the latest
	records   []record.Record
	marked    bool
	counts    record.Counts
	headline  record.Headline
	result    *resulttree.Result
	nodes     []resulttree.Node
	revisions map[int64]resulttree.Result
	retention resulttree.Retention
	retained  *resulttree.Retention // once it was read
	// between is called before a record or an event is read again, with the number of the reading.
	between  func(reading int)
	readings int
	damage   map[string]bool // what cannot be read
	away     string          // what is unavailable
}

var errAway = errors.New("the store is away")

func (p *place) fault(what string) error {
	if p.away == what {
		return errAway
	}
	if p.damage[what] {
		return record.Damaged(fmt.Errorf("%s: bad", what))
	}
	return nil
}

func newPlace(t *testing.T) *place {
	attendees, before := int64(40), json.RawMessage(`20`)
	p := &place{t: t, damage: map[string]bool{}, revisions: map[int64]resulttree.Result{}, counts: record.Counts{Approved: 3}}
	p.event = record.Event{ID: event, Org: org, Slot: 1, Country: "GB", FactorSet: "desnz-2026", Attendees: &attendees, Method: record.DefaultMethod, Rev: 2, ContextRev: 2}
	p.event.Method.Engine = footprint.NewestEngine
	p.entries = []record.EventEntry{{Rev: 1, Action: record.EventCreated, ContextRev: 1}}
	p.event.Last = record.EventEntry{Rev: 2, Action: record.EventChanged, ContextRev: 2, Changed: []record.FieldChange{{Field: "attendees", Before: before, After: json.RawMessage(`40`)}}}
	// In three segments under two nodes, and a draft.
	for i, seq := range []int64{1, resulttree.Fanout + 1, resulttree.Fanout*resulttree.Fanout + 1, resulttree.Fanout*resulttree.Fanout + 2} {
		r := record.Record{ID: record.ID(fmt.Sprintf("r%d", i+1)), Org: org, Event: event, Type: "waste", Seq: seq, Rev: 3, Status: record.Approved, ContextRev: 2,
			Fields: fmt.Appendf(nil, `{"treatment":"landfill","weightKg":%d}`, 100*(i+1))}
		if i == 3 {
			r.Status, r.ContextRev = record.Unsubmitted, 1 // drafts stay as they were calculated
		}
		p.calculate(&r)
		p.records = append(p.records, r)
	}
	p.settle(2)
	return p
}

// calculate gives a record the figures of its inputs.
func (p *place) calculate(r *record.Record) {
	p.t.Helper()
	var err error
	if r.Preview, r.Contribution, err = record.Evaluate(r.Type, r.Fields, nil, p.event.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// settle stores the result of the approved records as revision n, after n-1 others.
func (p *place) settle(n int64) {
	p.t.Helper()
	nodes := map[resulttree.NodeID]*resulttree.Node{}
	var all total.Contribution
	for _, c := range p.counted() {
		evaluation, err := footprint.Evaluate(c.Type, c.Fields, p.event.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		part := total.Of(&evaluation)
		all = all.Add(part)
		index := (c.Seq - 1) / resulttree.Fanout
		for _, id := range []resulttree.NodeID{{Type: c.Type, Index: index}, {Type: c.Type, Level: 1, Index: index / resulttree.Fanout}} {
			n := nodes[id]
			if n == nil {
				n = &resulttree.Node{Org: org, Event: event, NodeID: id, Version: 1, ContextRev: p.event.ContextRev, Contribution: json.RawMessage(`{}`)}
				nodes[id] = n
			}
			var sum total.Contribution
			if err := json.Unmarshal(n.Contribution, &sum); err != nil && string(n.Contribution) != "{}" {
				p.t.Fatal(err)
			}
			n.Contribution = p.text(sum.Add(part))
		}
	}
	p.nodes = nil
	for _, n := range nodes {
		p.nodes = append(p.nodes, *n)
	}
	slices.SortFunc(p.nodes, func(a, b resulttree.Node) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Index, b.Index))
	})
	sum := p.text(all)
	clear(p.revisions)
	r := resulttree.Result{Org: org, Event: event, ContextRev: 1, Context: p.event.Context(), EngineVersion: p.event.Context().EngineVersion(), Contribution: sum,
		InputsHash: eventreader.Tree().Root(p.event.Context(), eventreader.BundleInputs(p.counted())), CalculatedAt: time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)}
	earlier := int64(20)
	r.Context.Attendees = earlier
	for r.Revision = 1; r.Revision < n; r.Revision++ {
		p.revisions[r.Revision] = r
		r.Previous = r.Digest()
	}
	r.Version, r.ContextRev, r.Context = n, p.event.ContextRev, p.event.Context()
	p.result = &r
	var err error
	if p.headline, err = resulttree.HeadlineOf(r); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) text(sum total.Contribution) json.RawMessage {
	text, err := json.Marshal(sum)
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

func (p *place) counted() (all []record.Counted) {
	for _, r := range p.records {
		if r.Status == record.Approved && !r.Deleted {
			all = append(all, record.Counted{ID: r.ID, Seq: r.Seq, Rev: r.Rev, Type: r.Type, Fields: r.Fields, Contribution: r.Contribution, ContextRev: r.ContextRev})
		}
	}
	return all
}

func (p *place) StoredRecords(_ context.Context, _ record.OrgID, after record.Place, limit int) (some []record.StoredRecord, err error) {
	for _, r := range p.records {
		if r.Seq > after.Seq && len(some) < limit {
			stored := record.StoredRecord{Record: r}
			if stored.Damage = p.fault("record " + string(r.ID)); stored.Damage != nil {
				stored.Record = record.Record{Org: org, Event: event, Type: r.Type, Seq: r.Seq, ID: r.ID}
			}
			some = append(some, stored)
		}
	}
	return some, p.fault("records")
}

func (p *place) StoredRecordsByID(_ context.Context, _ record.OrgID, ids []record.ID) (some []record.StoredRecord, err error) {
	for _, r := range p.records {
		if slices.Contains(ids, r.ID) {
			some = append(some, record.StoredRecord{Record: r, Damage: p.fault("record again")})
		}
	}
	return some, p.fault("records by id")
}

func (p *place) StoredEvents(_ context.Context, _ record.OrgID, after int64, _ int) ([]record.StoredEvent, error) {
	if after >= p.event.Slot {
		return nil, nil
	}
	return []record.StoredEvent{{Event: p.event, Damage: p.fault("stored event")}}, p.fault("events")
}

func (p *place) EventContext(context.Context, record.OrgID, record.EventID) (record.Event, error) {
	if p.away == "gone" {
		return record.Event{}, record.ErrNotFound
	}
	return p.event, p.fault("event")
}

func (p *place) EventEntries(_ context.Context, _ record.OrgID, _ record.EventID, from, to int64) (some []record.EventEntry, err error) {
	for _, e := range p.entries {
		if from <= e.Rev && e.Rev <= to {
			some = append(some, e)
		}
	}
	return some, p.fault("entries")
}

func (p *place) HasMarks(context.Context, record.OrgID, record.EventID) (bool, error) {
	if p.readings++; p.between != nil {
		p.between(p.readings)
	}
	return p.marked, p.fault(fmt.Sprintf("marks %d", p.readings))
}

func (p *place) Summaries(context.Context, record.OrgID, []record.EventID) (map[record.EventID]record.Summary, error) {
	return map[record.EventID]record.Summary{event: {Counts: p.counts, Headline: p.headline}}, p.fault("summary")
}

func (p *place) Approved(_ context.Context, _ record.OrgID, _ record.Sub, from, to int64) ([]record.Counted, error) {
	return slices.DeleteFunc(p.counted(), func(c record.Counted) bool { return c.Seq < from || to < c.Seq }), p.fault("approved")
}

func (p *place) Result(context.Context, record.OrgID, record.EventID) (resulttree.Result, error) {
	if p.result == nil {
		return resulttree.Result{}, resulttree.ErrNotFound
	}
	return *p.result, p.fault("result")
}

func (p *place) Nodes(_ context.Context, _ record.OrgID, _ record.EventID, _ string, level int, _, _ int64) (some []resulttree.Node, err error) {
	for _, n := range p.nodes {
		if n.Level == level {
			some = append(some, n)
		}
	}
	return some, p.fault(fmt.Sprintf("nodes %d", level))
}

func (p *place) Retention(context.Context, record.OrgID, record.EventID) (resulttree.Retention, error) {
	kept := p.retention
	if p.retained != nil {
		p.retention = *p.retained
	}
	return kept, p.fault("retention")
}

func (p *place) Revisions(_ context.Context, _ record.OrgID, _ record.EventID, from, to int64) (some []resulttree.Result, err error) {
	for _, n := range slices.SortedFunc(maps.Keys(p.revisions), func(a, b int64) int { return cmp.Compare(b, a) }) {
		if from <= n && n <= to {
			some = append(some, p.revisions[n])
		}
	}
	return some, p.fault("revisions")
}

// verify returns what is reported, and the tally.
func (p *place) verify() (reports []string, tally Tally) {
	p.t.Helper()
	v := Verifier{Records: p, Results: p, Inputs: eventreader.Reader{Records: p, Results: p}, Report: func(fault string) error {
		reports = append(reports, fault)
		return nil
	}}
	tally, err := v.Verify(p.t.Context(), org)
	if err != nil {
		p.t.Fatal(err)
	}
	return reports, tally
}
