package resulttree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

var errCrash = errors.New("the process has died")

// mortal is an engine without transactions, for a process that dies after some writes.
type mortal struct {
	resulttree.Store
	left int
}

func (m *mortal) write(err func() error) error {
	if m.left == 0 {
		return errCrash
	}
	m.left--
	return err()
}

func (m *mortal) Together(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

func (m *mortal) PutNode(ctx context.Context, n resulttree.Node, prev int64) error {
	return m.write(func() error { return m.Store.PutNode(ctx, n, prev) })
}

func (m *mortal) PutResult(ctx context.Context, r resulttree.Result, prev int64) error {
	return m.write(func() error { return m.Store.PutResult(ctx, r, prev) })
}

// TestACrashBetweenANodeAndItsParent: a change that was written to a segment only is not lost when another one follows,
// by the same worker or another.
func TestACrashBetweenANodeAndItsParent(t *testing.T) {
	t.Parallel()
	for writes := range 4 {
		for _, again := range []bool{true, false} {
			what := fmt.Sprintf("dead after %d writes, the same worker again: %t", writes, again)
			x := newTree(t, glass, rubbish)
			x.move(x.add("waste", rubbish), record.Approve)
			x.settle() // it has the hashes of the children
			life := &mortal{Store: x.results, left: writes}
			x.worker.Results = life
			x.move(x.add("waste", organics), record.Approve)
			if err := x.worker.Recalculate(t.Context(), "org", "event"); (err == nil) != (writes == 3) {
				t.Fatalf("%s: %v", what, err)
			}
			if life.left = -1; !again {
				x.worker = resulttree.NewRecalculator(x.records, x.results, time.Now)
			}
			x.move(x.add("waste", rubbish), record.Approve)
			x.settle()
			same(t, what, x.result(), x.anew())
			x.move(x.ids[0], record.Reopen)
			x.settle()
			same(t, what+", reopened", x.result(), x.anew())
		}
	}
}

// TestResultNamesTheFailedRecords: the result names the records that cannot be calculated, of small changes and large ones, and
// no others.
func TestResultNamesTheFailedRecords(t *testing.T) {
	t.Parallel()
	for _, beside := range []int{0, 1, 12} {
		x := newTree(t, glass, rubbish)
		ev := x.event()
		failing := record.Record{ID: "failing", Org: "org", Event: "event", Type: "waste", Rev: 1, Status: record.Approved, Fields: json.RawMessage(`{"treatment":"wished-away","weightKg":1}`),
			Mark: record.NewMark(time.Now()), CreatedAt: ev.CreatedAt, UpdatedAt: ev.CreatedAt, Last: record.Entry{Rev: 1, Move: record.Create, To: record.Approved, At: ev.CreatedAt}}
		_, err := x.records.InsertRecord(t.Context(), "org", failing)
		x.must(err)
		for step, want := range []int64{1, 0} {
			for range beside {
				x.move(x.add("waste", rubbish), record.Approve)
			}
			if step == 1 {
				x.move("failing", record.Reopen)
			}
			x.settle()
			what := fmt.Sprintf("step %d beside %d", step, beside)
			same(t, what, x.result(), x.anew())
			if got := x.result().Failures(); got != want {
				t.Errorf("%s: %d failures, want %d", what, got, want)
			}
		}
	}
}

// TestAnotherEngineOfEqualTotals: a change of the context that leaves all totals as they are, as that of the engine of
// intervals, is not mixed with the figures before because of another change at the same time.
func TestAnotherEngineOfEqualTotals(t *testing.T) {
	t.Parallel()
	const wide = `{"mode":"car","distanceKm":80,"passengers":2,"group":"attendees","population":900,"respondents":2}`
	x := newTree(t)
	pin := func(engine string) {
		ev, err := x.records.Event(t.Context(), "org", "event")
		x.must(err)
		ev.Method.Engine, ev.Rev, ev.ContextRev, ev.Mark = engine, ev.Rev+1, ev.ContextRev+1, record.NewMark(time.Now())
		x.must(x.records.ReplaceEvent(t.Context(), "org", ev, ev.Rev-1))
	}
	pin(footprint.Engine4)
	for range 2 {
		x.move(x.add("ground-transport", wide), record.Approve)
	}
	x.settle()
	pin(footprint.Engine5)
	x.move(x.add("ground-transport", wide), record.Approve)
	x.settle()
	same(t, "adopted", x.result(), x.anew())
}
