package resulttree_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

var errWrite = errors.New("the disk is full")

// failure lets one write fail: that after left others.
type failure struct {
	left int
	what string // has failed
}

func (f *failure) write(what string, do func() error) error {
	if f.left--; f.left == -1 {
		f.what = what
		return errWrite
	}
	return do()
}

type failingResults struct {
	resulttree.Store
	*failure
}

func (f failingResults) PutNode(ctx context.Context, n resulttree.Node, prev int64) error {
	return f.write("node", func() error { return f.Store.PutNode(ctx, n, prev) })
}

func (f failingResults) InsertChanges(ctx context.Context, c resulttree.NodeChanges) error {
	return f.write("changes", func() error { return f.Store.InsertChanges(ctx, c) })
}

func (f failingResults) InsertRevision(ctx context.Context, r resulttree.Result) error {
	return f.write("revision", func() error { return f.Store.InsertRevision(ctx, r) })
}

func (f failingResults) PutResult(ctx context.Context, r resulttree.Result, prev int64) error {
	return f.write("result", func() error { return f.Store.PutResult(ctx, r, prev) })
}

type failingRecords struct {
	*recordsqlite.Store
	*failure
}

func (f failingRecords) PutHeadline(ctx context.Context, o record.OrgID, e record.EventID, h record.Headline) error {
	return f.write("headline", func() error { return f.Store.PutHeadline(ctx, o, e, h) })
}

func (f failingRecords) ClearRecordMarks(ctx context.Context, o record.OrgID, e record.EventID, marked []record.MarkedRecord) error {
	return f.write("marks of records", func() error { return f.Store.ClearRecordMarks(ctx, o, e, marked) })
}

func (f failingRecords) ClearEventMark(ctx context.Context, o record.OrgID, e record.EventID, mark string) error {
	return f.write("mark of the event", func() error { return f.Store.ClearEventMark(ctx, o, e, mark) })
}

// withoutTransactions is of an engine that keeps what was written before the failure.
type withoutTransactions struct{ failingRecords }

func (withoutTransactions) Together(ctx context.Context, fn func(context.Context) error) error {
	return fn(ctx)
}

// TestEveryWriteThatFails: whichever write of a recalculation fails is an error, and the next recalculation comes to the
// result of the records, with every revision before it and every change of its nodes.
func TestEveryWriteThatFails(t *testing.T) {
	t.Parallel()
	var seen []string
	for n := 0; ; n++ {
		x := newTree(t, glass, rubbish)
		x.edit(x.ids[0], organics)
		ev, err := x.records.Event(t.Context(), "org", "event")
		x.must(err)
		ev.Rev, ev.Mark = ev.Rev+1, record.NewMark(time.Now())
		x.must(x.records.ReplaceEvent(t.Context(), "org", ev, ev.Rev-1))
		before := x.result()
		f := &failure{left: n}
		x.worker = resulttree.NewRecalculator(withoutTransactions{failingRecords{x.records, f}}, failingResults{x.results, f}, time.Now)
		err = x.worker.Recalculate(t.Context(), "org", "event")
		if f.what == "" {
			x.must(err)
			break
		}
		seen = append(seen, f.what)
		if !errors.Is(err, errWrite) {
			t.Errorf("write %d, of the %s, has failed: %v", n, f.what, err)
		}
		f.left = -2
		x.settle()
		what := fmt.Sprintf("after write %d, of the %s", n, f.what)
		now := x.result()
		same(t, what, now, x.anew())
		stored, err := x.results.Revisions(t.Context(), "org", "event", 1, 1<<60)
		x.must(err)
		if now.Revision != before.Revision+1 || int64(len(stored)) != now.Revision-1 || now.Previous != before.Digest() {
			t.Errorf("%s: %d revisions are kept before revision %d, which follows %s", what, len(stored), now.Revision, now.Previous)
		}
		for level := range 2 {
			id := resulttree.NodeID{Type: "waste", Level: level}
			node, err := x.results.Node(t.Context(), "org", "event", id)
			x.must(err)
			changes, err := x.results.Changes(t.Context(), "org", "event", id, 0, 1<<60)
			x.must(err)
			if int64(len(changes)) != node.Version-1 {
				t.Errorf("%s: %d changes are kept of version %d of the node of level %d", what, len(changes), node.Version, level)
			}
		}
		headline, err := resulttree.HeadlineOf(now)
		x.must(err)
		summaries, err := x.records.Summaries(t.Context(), "org", []record.EventID{"event"})
		x.must(err)
		if got := summaries["event"].Headline; got.Version != headline.Version || string(got.Total) != string(headline.Total) {
			t.Errorf("%s: lists show %+v, want %+v", what, got, headline)
		}
		if marked, err := x.records.HasMarks(t.Context(), "org", "event"); err != nil || marked {
			t.Errorf("%s: something is due: %t, %v", what, marked, err)
		}
	}
	slices.Sort(seen)
	if want := []string{"changes", "headline", "mark of the event", "marks of records", "node", "result", "revision"}; !slices.Equal(slices.Compact(seen), want) {
		t.Errorf("there were writes of %v, want %v", seen, want)
	}
}

// TestManyTopNodes: with many nodes on each level, whose numbers are not in the order of their names, each record counts
// once, as is proven by the hash over all inputs.
func TestManyTopNodes(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	x.worker.Fanout = 2
	check := func(what string) {
		t.Helper()
		x.settle()
		counted, err := x.records.Approved(t.Context(), "org", record.Sub{Event: "event", Type: "waste"}, 1, 1<<60)
		x.must(err)
		inputs := make([]bundle.Input, len(counted))
		for i, c := range counted {
			inputs[i] = bundle.Input{ID: string(c.ID), Type: c.Type, Seq: c.Seq, Revision: c.Rev, Fields: c.Fields}
		}
		got := x.result()
		if want := (bundle.Tree{Fanout: 2, Levels: 2}).Root(x.event().Context(), inputs); got.InputsHash != want {
			t.Errorf("%s: the hash of the inputs is %s, want %s", what, got.InputsHash, want)
		}
		if want := x.anew().Contribution; string(got.Contribution) != string(want) {
			t.Errorf("%s: the sum is %s, want %s", what, got.Contribution, want)
		}
		if !slices.IsSortedFunc(got.Children, func(a, b resulttree.Child) int { return strings.Compare(a.Key, b.Key) }) {
			t.Errorf("%s: the nodes are in the order %v", what, got.Children)
		}
	}
	for range 45 {
		x.move(x.add("waste", rubbish), record.Approve)
	}
	check("all at once")
	x.move(x.add("waste", glass), record.Approve)
	check("one more")
	x.edit(x.ids[20], organics)
	x.move(x.ids[44], record.Reopen)
	check("one of others, and one less")
}
