package resulttree_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

var (
	editor  = record.Actor{ID: "editor", Role: identity.User}
	manager = record.Actor{ID: "manager", Role: identity.Manager}
)

// tree is an event with records of waste in real stores, with a worker.
type tree struct {
	*testing.T
	records *recordsqlite.Store
	results *sqlitestore.Store
	worker  resulttree.Recalculator
	ids     []record.ID
}

func empty(t *testing.T, event record.Event) *tree {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordsqlite.Schema(), sqlitestore.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	x := &tree{T: t, records: recordsqlite.New(db), results: sqlitestore.New(db)}
	x.worker = resulttree.NewRecalculator(x.records, x.results, time.Now)
	_, err = x.records.InsertEvent(t.Context(), "org", event, record.Unlimited)
	x.must(err)
	return x
}

// newTree returns an event with an approved record of each of the given fields, counted.
func newTree(t *testing.T, fields ...string) *tree {
	t.Helper()
	at := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	x := empty(t, record.Event{ID: "event", Org: "org", Country: "GB", StartDate: "2026-06-10", EndDate: "2026-06-11", Method: record.DefaultMethod,
		FactorSet: factors.Sets()[0].ID, CreatedAt: at, UpdatedAt: at, Rev: 1, ContextRev: 1})
	for _, f := range fields {
		x.move(x.add("waste", f), record.Approve)
	}
	x.settle()
	return x
}

func (x *tree) must(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

func (x *tree) event() record.Event {
	x.Helper()
	ev, err := x.records.EventContext(x.Context(), "org", "event")
	x.must(err)
	return ev
}

// add submits a record, calculated in the present context of the event.
func (x *tree) add(typ, fields string) record.ID {
	x.Helper()
	ev := x.event()
	r := record.Record{ID: record.ID(fmt.Sprintf("%s-%02d", typ, len(x.ids))), Event: "event", Type: typ, ContextRev: ev.ContextRev}
	x.fill(&r, ev, fields)
	_, err := x.workflow().Insert(x.Context(), "org", r, editor)
	x.must(err)
	x.ids = append(x.ids, r.ID)
	x.move(r.ID, record.Submit)
	return r.ID
}

func (x *tree) fill(r *record.Record, ev record.Event, fields string) {
	x.Helper()
	decoded, err := footprint.Decode(r.Type, []byte(fields), ev.Context())
	x.must(err)
	r.Fields = decoded.Fields
	r.Preview, r.Contribution, err = record.Evaluate(r.Type, r.Fields, nil, ev.Context())
	x.must(err)
}

func (x *tree) workflow() record.Workflow {
	return record.Workflow{Store: x.records, Now: time.Now, NewMark: func() string { return record.NewMark(time.Now()) }}
}

func (x *tree) move(id record.ID, moves ...record.Move) {
	x.Helper()
	r, err := x.records.FindRecord(x.Context(), "org", "event", id)
	x.must(err)
	for _, m := range moves {
		by := manager
		if m == record.Submit {
			by = editor
		}
		_, err = x.workflow().Apply(x.Context(), record.Request{Org: "org", Key: r.Key(), Move: m, By: by, Comment: "because"})
		x.must(err)
	}
}

// edit replaces the fields of an approved record, which is approved again.
func (x *tree) edit(id record.ID, fields string) {
	x.Helper()
	x.move(id, record.Reopen)
	r, err := x.records.FindRecord(x.Context(), "org", "event", id)
	x.must(err)
	_, err = x.workflow().Apply(x.Context(), record.Request{Org: "org", Key: r.Key(), Move: record.Edit, By: editor, Change: func(r *record.Record) ([]string, error) {
		x.fill(r, x.event(), fields)
		return []string{"fields"}, nil
	}})
	x.must(err)
	x.move(id, record.Submit, record.Approve)
}

// adopt changes the factor set of the event, and so its context.
func (x *tree) adopt(set string) {
	x.Helper()
	ev, err := x.records.Event(x.Context(), "org", "event")
	x.must(err)
	ev.FactorSet, ev.Rev, ev.ContextRev, ev.Mark = set, ev.Rev+1, ev.ContextRev+1, record.NewMark(time.Now())
	x.must(x.records.ReplaceEvent(x.Context(), "org", ev, ev.Rev-1))
}

func (x *tree) settle() {
	x.Helper()
	x.must(x.worker.Recalculate(x.Context(), "org", "event"))
}

func (x *tree) result() resulttree.Result {
	x.Helper()
	r, err := x.results.Result(x.Context(), "org", "event")
	x.must(err)
	return r
}

// anew returns the result that the present records have in a database without history.
func (x *tree) anew() resulttree.Result {
	x.Helper()
	ev := x.event()
	ev.Mark = record.NewMark(time.Now())
	y := empty(x.T, ev)
	for _, typ := range []string{"flights", "ground-transport", "waste"} {
		sub := record.Sub{Event: "event", Type: typ}
		all, err := x.records.RecordRange(x.Context(), "org", sub, 1, math.MaxInt64)
		x.must(err)
		slices.SortFunc(all, func(a, b record.Record) int { return int(a.Seq - b.Seq) })
		for i := range all {
			all[i].Mark = record.NewMark(time.Now())
			all[i].Preview, all[i].Contribution, all[i].ContextRev = nil, nil, 0
		}
		if len(all) > 0 {
			_, _, err = y.records.InsertRecords(x.Context(), "org", sub, all)
			x.must(err)
		}
	}
	y.settle()
	return y.result()
}

// same verifies that a result is that of records without history.
func same(t *testing.T, what string, got, want resulttree.Result) {
	t.Helper()
	if string(got.Contribution) != string(want.Contribution) || got.InputsHash != want.InputsHash || got.Failures() != want.Failures() ||
		got.EngineVersion != want.EngineVersion || got.Context != want.Context {
		t.Errorf("%s: the result is\n%s of %s\nbut its records are\n%s of %s", what, got.Contribution, got.InputsHash, want.Contribution, want.InputsHash)
	}
}
