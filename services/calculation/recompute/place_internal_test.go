package recompute

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	// between is called before a record or an event is read again, with the number of the reading.
	between  func(reading int)
	readings int
	damage   map[string]bool // what cannot be read
}

func (p *place) fault(what string) error {
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
	for i := range int64(4) {
		r := record.Record{ID: record.ID(fmt.Sprintf("r%d", i+1)), Org: org, Event: event, Type: "waste", Seq: i + 1, Rev: 3, Status: record.Approved, ContextRev: 2,
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
	summer, err := total.NewSummer(p.event.Context())
	h := sha256.New()
	for _, c := range p.counted() {
		if err == nil {
			err = summer.Add(c.Type, c.Fields)
		}
		resulttree.HashRecord(h, c)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	sum, err := json.Marshal(summer.Contribution())
	if err != nil {
		p.t.Fatal(err)
	}
	leaf := resulttree.Node{Org: org, Event: event, NodeID: resulttree.NodeID{Type: "waste"}, Version: 1, ContextRev: p.event.ContextRev, Contribution: sum, Hash: hex.EncodeToString(h.Sum(nil))}
	top := leaf
	top.Level = 1
	p.nodes = []resulttree.Node{leaf, top}
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
	if p.headline, err = resulttree.HeadlineOf(r); err != nil {
		p.t.Fatal(err)
	}
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
	return some, nil
}

func (p *place) StoredRecordsByID(_ context.Context, _ record.OrgID, ids []record.ID) (some []record.StoredRecord, err error) {
	for _, r := range p.records {
		if slices.Contains(ids, r.ID) {
			some = append(some, record.StoredRecord{Record: r, Damage: p.fault("record again")})
		}
	}
	return some, nil
}

func (p *place) StoredEvents(_ context.Context, _ record.OrgID, after int64, _ int) ([]record.StoredEvent, error) {
	if after >= p.event.Slot {
		return nil, nil
	}
	return []record.StoredEvent{{Event: p.event, Damage: p.fault("stored event")}}, nil
}

func (p *place) EventContext(context.Context, record.OrgID, record.EventID) (record.Event, error) {
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
	return p.marked, nil
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
	return p.retention, p.fault("retention")
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
