package resulttree_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

const (
	glass    = `{"treatment":"recycling","material":"glass","weightKg":7,"group":"staff"}`
	rubbish  = `{"treatment":"landfill","weightKg":12.5,"group":"attendees"}`
	organics = `{"treatment":"composting","material":"food","weightKg":31,"group":"speakers"}`
)

// TestEveryRecordCountsInTheContextOfTheEvent, also one whose stored figure is of an earlier context: recalculated
// with all others, or approved later.
func TestEveryRecordCountsInTheContextOfTheEvent(t *testing.T) {
	t.Parallel()
	x := newTree(t, glass, rubbish)
	late, later := x.add("waste", rubbish), x.add("waste", organics)
	before := x.result()
	x.adopt("desnz-2024")
	x.settle()
	want := x.anew()
	same(t, "adopted", x.result(), want)
	if string(want.Contribution) == string(before.Contribution) {
		t.Fatal("the sets have the same factors")
	}
	for _, id := range []record.ID{late, later} {
		x.move(id, record.Approve)
		x.settle()
		same(t, "approved later", x.result(), x.anew())
	}
	x.move(late, record.Reopen)
	x.settle()
	same(t, "reopened", x.result(), x.anew())
}

// ofOldEngine returns a sum as an older engine stored it: without its name, and with a notice of another code.
func (x *tree) ofOldEngine(contribution json.RawMessage) json.RawMessage {
	x.Helper()
	old := bytes.Replace(contribution, []byte(`{"engine":"`+footprint.EngineVersion+`",`), []byte("{"), 1)
	changed := bytes.Replace(old, []byte("TREATMENT_IS_TRANSPORT_ONLY|"), []byte("AN_OLDER_CODE|"), 1)
	if bytes.Equal(old, contribution) || bytes.Equal(changed, old) {
		x.Fatalf("nothing of an older engine in %s", contribution)
	}
	return changed
}

// upgraded makes what is stored of the waste that of an older engine, and starts the worker anew.
func (x *tree) upgraded() {
	x.Helper()
	for level := range resulttree.TopLevel + 1 {
		nodes, err := x.results.Nodes(x.Context(), "org", "event", "waste", level, 0, math.MaxInt64)
		x.must(err)
		for _, found := range nodes {
			n, err := x.results.Node(x.Context(), "org", "event", found.NodeID)
			x.must(err)
			n.Contribution, n.Version = x.ofOldEngine(n.Contribution), n.Version+1
			x.must(x.results.PutNode(x.Context(), n, n.Version-1))
		}
	}
	r, err := x.records.FindRecord(x.Context(), "org", "event", x.ids[0])
	x.must(err)
	x.must(x.records.StoreContributions(x.Context(), "org", []record.Recalculated{{ID: r.ID, Rev: r.Rev, ContextRev: r.ContextRev, Preview: r.Preview, Contribution: x.ofOldEngine(r.Contribution)}}))
	fanout := x.worker.Fanout
	x.worker = resulttree.NewRecalculator(x.records, x.results, time.Now)
	x.worker.Fanout = fanout
}

// TestNothingOfAnOlderEngineIsReused: after an upgrade the next change recalculates what an older engine stored, be it
// one record or many, of the same segment or another type.
func TestNothingOfAnOlderEngineIsReused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(x *tree){
		"an approval":  func(x *tree) { x.move(x.add("waste", rubbish), record.Approve) },
		"a withdrawal": func(x *tree) { x.move(x.ids[1], record.Reopen) },
		"many approvals": func(x *tree) {
			for range 12 {
				x.move(x.add("waste", rubbish), record.Approve)
			}
		},
		"another type": func(x *tree) {
			x.move(x.add("flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy"}`), record.Approve)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTree(t, glass, rubbish)
			x.upgraded()
			change(x)
			x.settle()
			same(t, name, x.result(), x.anew())
		})
	}
}

// TestSegmentsWithoutFacts: those of a large event, for which no facts are stored, are recalculated for the same
// reasons as all others.
func TestSegmentsWithoutFacts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(x *tree){
		"another engine":  (*tree).upgraded,
		"another context": func(x *tree) { x.adopt("desnz-2024") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTree(t)
			x.worker.Fanout = 3
			all := make([]string, x.worker.Fanout*(resulttree.FactSegments+2))
			for range all {
				x.move(x.add("waste", glass), record.Approve)
			}
			x.settle()
			change(x)
			x.move(x.ids[len(all)-1], record.Reopen)
			x.settle()
			want := x.anew()
			if got := x.result(); string(got.Contribution) != string(want.Contribution) {
				t.Errorf("the result is\n%s\nbut its records are\n%s", got.Contribution, want.Contribution)
			}
		})
	}
}

// TestADeletedRecord leaves the sum, although the worker cannot read it any more.
func TestADeletedRecord(t *testing.T) {
	t.Parallel()
	x := newTree(t, glass, rubbish, organics)
	x.move(x.ids[1], record.Reopen, record.Delete)
	x.settle()
	same(t, "deleted", x.result(), x.anew())
}

// careless is a store that gives away the events of any organization.
type careless struct{ *recordsqlite.Store }

func (c careless) EventContext(ctx context.Context, _ record.OrgID, id record.EventID) (record.Event, error) {
	return c.Store.EventContext(ctx, "org", id)
}

// TestATaskOfAnotherOrganization has no effect, even if the store gives it the event.
func TestATaskOfAnotherOrganization(t *testing.T) {
	t.Parallel()
	x := newTree(t, glass)
	x.move(x.add("waste", rubbish), record.Approve)
	x.adopt("desnz-2024")
	worker := resulttree.NewRecalculator(careless{x.records}, x.results, time.Now)
	if err := worker.Recalculate(t.Context(), "other", "event"); err == nil {
		t.Error("it was carried out")
	}
	if _, err := x.results.Result(t.Context(), "other", "event"); !errors.Is(err, resulttree.ErrNotFound) {
		t.Errorf("the other organization has a result: %v", err)
	}
	x.settle()
	same(t, "afterwards", x.result(), x.anew())
}

// TestAnEditOfEqualTotalMovesTheBreakdown: what is taken off a sum is what was in it, also where the record has
// another content of the same total by now.
func TestAnEditOfEqualTotalMovesTheBreakdown(t *testing.T) {
	t.Parallel()
	x := newTree(t, rubbish, rubbish, `{"treatment":"landfill","weightKg":12.5,"group":"staff"}`)
	x.edit(x.ids[2], rubbish)
	x.settle()
	same(t, "edited", x.result(), x.anew())
}

// meddled runs a function once, before the worker reads a record or an event for the nth time.
type meddled struct {
	*recordsqlite.Store
	beforeRecord func()
	beforeEvent  map[int]func()
	events       int
}

func (m *meddled) FindRecord(ctx context.Context, org record.OrgID, event record.EventID, id record.ID) (record.Record, error) {
	if f := m.beforeRecord; f != nil {
		m.beforeRecord = nil
		f()
	}
	return m.Store.FindRecord(ctx, org, event, id)
}

func (m *meddled) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	m.events++
	if f := m.beforeEvent[m.events]; f != nil {
		delete(m.beforeEvent, m.events)
		f()
	}
	return m.Store.EventContext(ctx, org, id)
}

// seen collects the results that a worker stores.
type seen struct {
	resulttree.Store
	all []resulttree.Result
}

func (s *seen) PutResult(ctx context.Context, r resulttree.Result, prev int64) error {
	err := s.Store.PutResult(ctx, r, prev)
	if err == nil {
		s.all = append(s.all, r)
	}
	return err
}

// TestARecordMovesOnWhileItIsRead: a result is of one state of each record, whose figure and hash it has, whatever
// happens to the record between the reads of a worker.
func TestARecordMovesOnWhileItIsRead(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(x *tree, id record.ID){
		"edited":                 func(x *tree, id record.ID) { x.edit(id, organics) },
		"reopened":               func(x *tree, id record.ID) { x.move(id, record.Reopen) },
		"reopened, approved":     func(x *tree, id record.ID) { x.move(id, record.Reopen, record.Submit, record.Approve) },
		"another one is removed": func(x *tree, _ record.ID) { x.move(x.ids[0], record.Reopen) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTree(t, glass, rubbish)
			id := x.add("waste", rubbish)
			x.move(id, record.Approve)
			states := []resulttree.Result{x.anew()}
			results := &seen{Store: x.results}
			x.worker = resulttree.NewRecalculator(&meddled{Store: x.records, beforeRecord: func() {
				meddle(x, id)
				states = append(states, x.anew())
			}}, results, time.Now)
			x.settle()
			if len(states) != 2 {
				t.Fatal("the worker read no single record")
			}
			same(t, "in the end", x.result(), states[1])
			for _, r := range results.all {
				if i := slices.IndexFunc(states, func(s resulttree.Result) bool { return s.InputsHash == r.InputsHash }); i < 0 || string(states[i].Contribution) != string(r.Contribution) {
					t.Errorf("revision %d is of no state of the records:\n%s of %s", r.Revision, r.Contribution, r.InputsHash)
				}
			}
		})
	}
}

// TestTheContextMovesOnDuringARecalculation: every revision has the figures of the context that it names, at whatever
// moment the event changes.
func TestTheContextMovesOnDuringARecalculation(t *testing.T) {
	t.Parallel()
	const first, second = "desnz-2024", "desnz-2025"
	moments := 0
	for moment := 1; moment == 1 || moment <= moments; moment++ {
		x := newTree(t, glass, rubbish)
		x.adopt(first)
		of := map[string]resulttree.Result{first: x.anew()}
		results := &seen{Store: x.results}
		records := &meddled{Store: x.records}
		records.beforeEvent = map[int]func(){moment: func() {
			x.adopt(second)
			of[second] = x.anew()
		}}
		x.worker = resulttree.NewRecalculator(records, results, time.Now)
		x.settle()
		if len(of) == 2 {
			moments = max(moments, records.events) // of one pass or more
			same(t, fmt.Sprint("moment ", moment), x.result(), of[second])
		}
		for _, r := range results.all {
			same(t, fmt.Sprintf("moment %d, revision %d", moment, r.Revision), r, of[r.Context.FactorSet])
		}
		if moment > 100 {
			t.Fatal("a recalculation reads its event without end")
		}
	}
	if moments < 4 {
		t.Errorf("the event was read %d times", moments)
	}
}

// TestRevisionsAreChained: each revision has the digest of the one before it, also where a recalculation without a
// change has raised its version in between, so that none can be replaced unnoticed.
func TestRevisionsAreChained(t *testing.T) {
	t.Parallel()
	x := newTree(t, glass)
	for range 3 {
		x.move(x.add("waste", rubbish), record.Approve)
		x.settle()
		x.move(x.ids[0], record.Reopen, record.Submit, record.Approve) // the same inputs
		x.settle()
	}
	newest := x.result()
	all, err := x.results.Revisions(t.Context(), "org", "event", 1, newest.Revision-1)
	x.must(err)
	if newest.Revision != 4 || len(all) != 3 {
		t.Fatalf("revision %d after %d", newest.Revision, len(all))
	}
	next := newest
	for _, r := range all { // newest first
		if next.Previous != r.Digest() {
			t.Errorf("revision %d follows %q, want %q of revision %d", next.Revision, next.Previous, r.Digest(), r.Revision)
		}
		next = r
	}
	if next.Previous != "" {
		t.Errorf("the first revision follows %q", next.Previous)
	}
}

// TestNothingIsCountedWithoutItsSet: while a set cannot be read, no record is left out of the result for it.
func TestNothingIsCountedWithoutItsSet(t *testing.T) {
	t.Parallel()
	x := newTree(t, glass, rubbish)
	before := x.result()
	away := errors.New("the store is away")
	id := "unavailable-here-v1"
	if !factors.IsPackID(id) {
		t.Fatalf("%s names no pack", id)
	}
	t.Cleanup(factors.Follow(func(_ context.Context, asked string) (*factors.Set, error) {
		if asked == id {
			return nil, away
		}
		return nil, factors.ErrNotHeld
	}))
	x.adopt(id)
	if err := x.worker.Recalculate(t.Context(), "org", "event"); !errors.Is(err, away) {
		t.Errorf("it ended with %v", err)
	}
	if now := x.result(); now.Version != before.Version || now.Failures() != 0 || x.event().Mark == "" {
		t.Errorf("meanwhile version %d was stored, with %d failures", now.Version, now.Failures())
	}
}
