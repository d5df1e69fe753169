package scale

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// The initial factor set of events, and the one that the largest adopts.
const (
	firstSet = "desnz-2026"
	otherSet = "desnz-2025"
)

// inputs are the inputs of records, in turn.
var inputs = []struct{ typ, body string }{
	{"waste", `{"description":"Catering waste","treatment":"landfill","weightKg":120}`},
	{"flights", `{"description":"Speaker","from":"LHR","to":"JFK","passengers":2}`},
	{"waste", `{"description":"Stand walls","treatment":"landfill","weightKg":815}`},
	{"flights", `{"description":"Team","from":"FRA","to":"LHR","passengers":9}`},
}

// batch is how many records are stored in one transaction.
const batch = 1000

// kind is one of the inputs under one context.
type kind struct {
	fields, preview, contribution json.RawMessage
}

// event is a filled event and its expected result.
type event struct {
	id   string
	size int
	set  string

	mu      sync.Mutex
	waiting []waiting // submitted records, not approved yet
	counts  []int64   // approved records by kind
}

type waiting struct {
	typ, id string
	kind    int
}

// next returns a submitted record to decide on.
func (e *event) next() (waiting, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		return waiting{}, false
	}
	w := e.waiting[0]
	e.waiting = e.waiting[1:]
	return w, true
}

// left returns the number of submitted records.
func (e *event) left() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.waiting)
}

// approved records that a record counts now.
func (e *event) approved(w waiting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts[w.kind]++
}

func (e *event) adopt(t *testing.T, set string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set = set
}

// want returns the expected number of approved records and their total.
func (e *event) want(t *testing.T) (approved int64, mass footprint.Mass) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	var parts []total.Contribution
	for i, k := range kindsUnder(t, e.set) {
		var c total.Contribution
		if err := json.Unmarshal(k.contribution, &c); err != nil {
			t.Fatal(err)
		}
		approved += e.counts[i]
		parts = append(parts, times(c, e.counts[i]))
	}
	return approved, total.Sum(parts...).Total()
}

// times adds a contribution to itself n times, by doubling.
func times(c total.Contribution, n int64) total.Contribution {
	var sum total.Contribution
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			sum = total.Sum(sum, c)
		}
		c = total.Sum(c, c)
	}
	return sum
}

func kindsUnder(t *testing.T, set string) []kind {
	t.Helper()
	ev := record.Event{Country: "GB", StartDate: "2026-06-01", Method: record.DefaultMethod, FactorSet: set}.Context()
	kinds := make([]kind, len(inputs))
	for i, in := range inputs {
		decoded, err := footprint.Decode(in.typ, json.RawMessage(in.body), ev)
		if err != nil {
			t.Fatal(err)
		}
		kinds[i].fields = decoded.Fields
		if kinds[i].preview, kinds[i].contribution, err = record.Evaluate(in.typ, decoded.Fields, nil, ev); err != nil {
			t.Fatal(err)
		}
	}
	return kinds
}

// seed stores an event with the given numbers of approved records and, evenly among
// them, submitted ones. A mark in each segment makes the server calculate it when it
// starts. The records have no histories and the result no revisions, so this does not
// measure storage: that is TestStoredBytes of services/standalone.
func (s *system) seed(title string, size, undecided int) *event {
	t := s.t
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	by := record.Actor{ID: s.userID, Name: "Scale", Role: identity.User}
	e := &event{id: record.NewID(), size: size, set: firstSet, counts: make([]int64, len(inputs))}
	_, err := s.records.InsertEvent(t.Context(), s.org, record.Event{
		ID: record.EventID(e.id), Org: s.org, Title: "Scale " + title, Country: "GB", StartDate: "2026-06-01", Method: record.DefaultMethod, FactorSet: firstSet,
		CreatedBy: by, CreatedAt: now, UpdatedAt: now, Rev: 1, ContextRev: 1, Mark: record.NewMark(now),
	}, record.Unlimited)
	if err != nil {
		t.Fatal(err)
	}
	kinds := kindsUnder(t, firstSet)
	seqs := map[string]int64{}
	many := map[string][]record.Record{}
	flush := func(typ string) {
		_, refused, err := s.records.InsertRecords(t.Context(), s.org, record.Sub{Event: record.EventID(e.id), Type: typ}, many[typ])
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range refused {
			if err != nil {
				t.Fatal(err)
			}
		}
		many[typ] = many[typ][:0]
	}
	all := size + undecided
	for i := range all {
		k := i % len(kinds)
		typ := inputs[k].typ
		r := record.Record{
			ID: record.ID(record.NewID()), Org: s.org, Event: record.EventID(e.id), Type: typ, Rev: 1, Status: record.Approved,
			Fields: kinds[k].fields, Preview: kinds[k].preview, Contribution: kinds[k].contribution, ContextRev: 1,
			CreatedBy: by, EditedBy: by, CreatedAt: now, UpdatedAt: now, SubmittedAt: &now, SubmittedBy: &by,
			Last: record.Entry{Rev: 1, Move: record.Create, To: record.Approved, By: by, At: now},
		}
		if (i+1)*undecided/all > i*undecided/all {
			r.Status, r.Last.To = record.Submitted, record.Submitted
			e.waiting = append(e.waiting, waiting{typ, string(r.ID), k})
		} else {
			e.counts[k]++
		}
		if seqs[typ]%resulttree.Fanout == 0 {
			r.Mark = record.NewMark(now)
		}
		seqs[typ]++
		if many[typ] = append(many[typ], r); len(many[typ]) == batch {
			flush(typ)
		}
	}
	for typ := range many {
		if len(many[typ]) > 0 {
			flush(typ)
		}
	}
	return e
}
