package resulttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// history writes the revisions of an event in the order of a worker: two segments below
// one node, each of whose records contributes a number.
type history struct {
	t      *testing.T
	store  resulttree.Store
	event  record.Event
	day    time.Time
	top    resulttree.Node
	leaves [2]resulttree.Node
	result resulttree.Result
}

const day = 24 * time.Hour

func (h *history) put(n *resulttree.Node, changed []resulttree.Change, cause resulttree.Cause) {
	h.t.Helper()
	ctx := h.t.Context()
	children := map[string]resulttree.Child{}
	for _, c := range n.Detail.Children {
		children[c.Key] = c
	}
	for _, c := range changed {
		delete(children, c.Before.Key)
		if c.After.Key != "" {
			children[c.After.Key] = c.After
		}
	}
	if len(n.Detail.Changed) > 0 {
		must(h.t, h.store.InsertChanges(ctx, resulttree.NodeChanges{Org: n.Org, Event: n.Event, NodeID: n.NodeID, Version: n.Version,
			ContextRev: n.ContextRev, Changed: n.Detail.Changed, Causes: n.Detail.Causes}))
	}
	n.Version++
	n.Detail = resulttree.Detail{Changed: changed, Causes: []resulttree.Cause{cause}}
	for _, key := range slices.Sorted(maps.Keys(children)) {
		n.Detail.Children = append(n.Detail.Children, children[key])
	}
	must(h.t, h.store.PutNode(ctx, *n, n.Version-1))
}

// revise writes one revision, in which a record of a segment is added, removed or
// changed.
func (h *history) revise(random *rand.Rand) {
	h.t.Helper()
	leaf := random.IntN(len(h.leaves))
	n := &h.leaves[leaf]
	key := fmt.Sprintf("r%d", 10*leaf+random.IntN(3))
	at := slices.IndexFunc(n.Detail.Children, func(c resulttree.Child) bool { return c.Key == key })
	var change resulttree.Change
	if at >= 0 {
		change.Before = n.Detail.Children[at]
	}
	if at < 0 || random.IntN(3) > 0 {
		value := strconv.FormatInt(h.result.Version+1, 10)
		change.After = resulttree.Child{Key: key, Hash: value, Value: value}
	}
	cause := resulttree.Cause{Action: "approve", By: record.Actor{ID: "m"}, At: h.day, Records: 1, RecordIDs: []record.ID{record.ID(key)}}
	before := strconv.FormatInt(n.Version, 10)
	h.put(n, []resulttree.Change{change}, cause)
	child := resulttree.Change{After: resulttree.Child{Key: strconv.Itoa(leaf), Value: strconv.FormatInt(n.Version, 10)}}
	if n.Version > 1 {
		child.Before = resulttree.Child{Key: strconv.Itoa(leaf), Value: before}
	}
	h.put(&h.top, []resulttree.Change{child}, cause)
	counted := map[string]string{}
	for _, leaf := range h.leaves {
		for _, c := range leaf.Detail.Children {
			counted[c.Key] = c.Value
		}
	}
	sum, err := json.Marshal(counted)
	must(h.t, err)
	stored := h.result
	h.result.Version, h.result.Revision = stored.Version+1, stored.Revision+1
	h.result.Contribution, h.result.CalculatedAt, h.result.Causes = sum, h.day, []resulttree.Cause{cause}
	h.result.Children = []resulttree.Child{{Key: "waste/0", Value: strconv.FormatInt(h.top.Version, 10)}}
	if stored.Version > 0 {
		must(h.t, h.store.InsertRevision(h.t.Context(), stored))
	}
	must(h.t, h.store.PutResult(h.t.Context(), h.result, stored.Version))
	h.day = h.day.Add(day)
}

func newHistory(t *testing.T, store resulttree.Store) *history {
	h := &history{t: t, store: store, event: record.Event{Org: org, ID: event}, day: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
	h.top = resulttree.Node{Org: org, Event: event, NodeID: resulttree.NodeID{Type: "waste", Level: resulttree.TopLevel}, Contribution: json.RawMessage(`{}`)}
	for i := range h.leaves {
		h.leaves[i] = resulttree.Node{Org: org, Event: event, NodeID: resulttree.NodeID{Type: "waste", Index: int64(i)}, Contribution: json.RawMessage(`{}`)}
	}
	h.result = resulttree.Result{Org: org, Event: event}
	return h
}

// kept returns the revisions that a reader sees, oldest first.
func (h *history) kept() []resulttree.Result {
	h.t.Helper()
	retention, err := h.store.Retention(h.t.Context(), org, event)
	must(h.t, err)
	stored, err := h.store.Revisions(h.t.Context(), org, event, 1, h.result.Revision-1)
	must(h.t, err)
	stored = slices.DeleteFunc(stored, func(r resulttree.Result) bool { return retention.Dropped(r.Revision) })
	slices.Reverse(stored)
	return append(stored, h.result)
}

// check compares each of the oldest remaining revisions with the next and with the newest, and returns all remaining
// ones. The differences must add up.
func (h *history) check() []resulttree.Result {
	h.t.Helper()
	kept := h.kept()
	for i, older := range kept[:min(len(kept), 4)] {
		for _, newer := range []resulttree.Result{kept[min(i+1, len(kept)-1)], h.result} {
			must(h.t, compare(h.t.Context(), h.store, older, newer))
		}
	}
	return kept
}

// compare returns an error if the differences between two results do not lead from the
// older sums to the newer.
func compare(ctx context.Context, store resulttree.Store, older, newer resulttree.Result) error {
	changed, err := resulttree.Comparer{Results: store}.Between(ctx, older, newer)
	if err != nil {
		return err
	}
	var counts, want map[string]string
	if err := errors.Join(json.Unmarshal(older.Contribution, &counts), json.Unmarshal(newer.Contribution, &want)); err != nil {
		return err
	}
	for _, c := range changed {
		if c.Before.Value != counts[c.RecordID()] {
			return fmt.Errorf("from revision %d to %d: %s was %q, the difference has %q", older.Revision, newer.Revision, c.RecordID(), counts[c.RecordID()], c.Before.Value)
		}
		delete(counts, c.RecordID())
		if c.After.Key != "" {
			counts[c.After.Key] = c.After.Value
		}
	}
	if !maps.Equal(counts, want) {
		return fmt.Errorf("from revision %d to %d: the differences add up to %v, want %v", older.Revision, newer.Revision, counts, want)
	}
	return nil
}

// causesIn returns the number of record changes that the causes of revisions count.
func causesIn(kept []resulttree.Result) (records int64) {
	for _, r := range kept {
		for _, c := range r.Causes {
			records += c.Records
		}
	}
	return records
}

// changesIn returns the number of stored node changes.
func (h *history) changesIn() (n int) {
	h.t.Helper()
	for _, id := range []resulttree.NodeID{h.top.NodeID, h.leaves[0].NodeID, h.leaves[1].NodeID} {
		stored, err := h.store.Changes(h.t.Context(), org, event, id, 0, 1<<60)
		must(h.t, err)
		n += len(stored)
	}
	return n
}

// mortal is a store whose process crashes before a given write.
type mortal struct {
	resulttree.Store
	left int
}

var errDied = errors.New("the process died")

func (m *mortal) write(do func() error) error {
	if m.left--; m.left < 0 {
		return errDied
	}
	return do()
}

func (m *mortal) PutRetention(ctx context.Context, r resulttree.Retention, prevVersion int64) error {
	return m.write(func() error { return m.Store.PutRetention(ctx, r, prevVersion) })
}

func (m *mortal) ReplaceRevision(ctx context.Context, r resulttree.Result, prevSince int64) error {
	return m.write(func() error { return m.Store.ReplaceRevision(ctx, r, prevSince) })
}

func (m *mortal) DeleteRevisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) error {
	return m.write(func() error { return m.Store.DeleteRevisions(ctx, org, event, from, to) })
}

func (m *mortal) ReplaceChanges(ctx context.Context, c resulttree.NodeChanges) error {
	return m.write(func() error { return m.Store.ReplaceChanges(ctx, c) })
}

func (m *mortal) DeleteChanges(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID, after, to int64) error {
	return m.write(func() error { return m.Store.DeleteChanges(ctx, org, event, id, after, to) })
}

// tooLate is a store in which another pruner always is faster.
type tooLate struct {
	resulttree.Store
	times int
}

func (l *tooLate) PutRetention(context.Context, resulttree.Retention, int64) error {
	l.times++
	return resulttree.ErrConflict
}

// retention verifies the retention rules that a Pruner applies.
func retention(t *testing.T, open func(t *testing.T) resulttree.Store) {
	t.Run("dropped revisions are summed up, wherever the process dies", func(t *testing.T) {
		t.Parallel()
		seed := rand.Uint64() //nolint:gosec // it is printed
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a seed that can be repeated
		h := newHistory(t, open(t))
		const signed, revisions, floor = 3, 9, 6
		for range revisions {
			h.revise(random)
		}
		h.event.Editions = []record.Edition{{Edition: 1, Revision: signed}}
		all, changes := causesIn(h.check()), h.changesIn()
		// The last revision older than this time replaced the floor.
		before := h.day.Add(-(revisions - floor - 1) * day)
		dry := resulttree.Pruner{Results: h.store, DryRun: true, Step: 2}
		if n, err := dry.Prune(t.Context(), h.event, before); err != nil || n != floor-2 {
			t.Fatalf("%d would be dropped, %v", n, err)
		}
		if got := h.kept(); len(got) != revisions {
			t.Fatalf("a dry run left %d of %d revisions", len(got), revisions)
		}
		for life := 0; ; life++ {
			dying := &mortal{Store: h.store, left: life}
			_, err := resulttree.Pruner{Results: dying, Step: 2}.Prune(t.Context(), h.event, before)
			h.check()
			if err == nil {
				break
			}
			if !errors.Is(err, errDied) {
				t.Fatal(err)
			}
		}
		kept := h.check()
		numbers := []int64{}
		for _, r := range kept {
			numbers = append(numbers, r.Revision)
		}
		if want := []int64{signed, 6, 7, 8, 9}; !slices.Equal(numbers, want) {
			t.Fatalf("kept %v, want %v", numbers, want)
		}
		if stored, err := h.store.Revisions(t.Context(), org, event, 0, 1<<60); err != nil || int64(len(stored)) != 1+revisions-floor {
			// Neither the newest revision nor the retention are counted.
			t.Fatalf("%d revisions are stored, %v", len(stored), err)
		}
		if kept[0].Since != 1 || kept[1].Since != signed+1 || kept[2].Since != 0 {
			t.Errorf("the kept revisions count changes since %d, %d, %d", kept[0].Since, kept[1].Since, kept[2].Since)
		}
		if got := causesIn(kept); got != all {
			t.Errorf("the causes count %d record changes, want %d", got, all)
		}
		// At most one for each node between the two oldest, and all above.
		if got := h.changesIn(); got > 3+2*(revisions-floor)+3 || got >= changes {
			t.Errorf("%d of %d node changes remain", got, changes)
		}
		if n, err := (resulttree.Pruner{Results: h.store}).Prune(t.Context(), h.event, before); err != nil || n != 0 {
			t.Errorf("the second pruning drops %d, %v", n, err)
		}
		h.revise(random)
		h.check()
		if n, err := (resulttree.Pruner{Results: h.store}).Prune(t.Context(), h.event, h.day); err != nil || n != revisions-floor {
			t.Errorf("a later pruning drops %d, %v", n, err)
		}
		if kept := h.check(); len(kept) != 3 {
			t.Errorf("%d remain", len(kept))
		}
	})
	t.Run("a revision that is being signed is kept", func(t *testing.T) {
		t.Parallel()
		h := newHistory(t, open(t))
		for range 6 {
			h.revise(rand.New(rand.NewPCG(1, 0))) //nolint:gosec // any history will do
		}
		h.event.Editions = []record.Edition{{Edition: 1, Revision: 2, Withdrawn: &record.Withdrawal{}}, {Edition: 2, Revision: 2}}
		h.event.Gate = record.Gate{Epoch: 3, State: record.GateClosing, Pending: &record.PendingSignOff{Revision: 4}}
		if n, err := (resulttree.Pruner{Results: h.store}).Prune(t.Context(), h.event, h.day.Add(day)); err != nil || n != 2 {
			t.Errorf("%d were dropped, %v", n, err)
		}
		kept, err := h.store.Retention(t.Context(), org, event)
		must(t, err)
		if stored, err := h.store.Revisions(t.Context(), org, event, 1, 1<<60); err != nil || len(stored) != 3 || !slices.Equal(kept.Signed, []int64{2, 4}) {
			t.Errorf("%d revisions are stored, and signed are %v; %v", len(stored), kept.Signed, err)
		}
	})
	t.Run("a pruner that is always too late gives up", func(t *testing.T) {
		t.Parallel()
		h := newHistory(t, open(t))
		for range 4 {
			h.revise(rand.New(rand.NewPCG(1, 0))) //nolint:gosec // any history will do
		}
		late := &tooLate{Store: h.store}
		if n, err := (resulttree.Pruner{Results: late}).Prune(t.Context(), h.event, h.day.Add(day)); !errors.Is(err, resulttree.ErrConflict) || n != 0 || late.times < 2 {
			t.Errorf("after %d conflicts %d were dropped, %v", late.times, n, err)
		}
	})
	t.Run("pruned between the reads of a page", func(t *testing.T) { prunedWhileRead(t, open) })
	t.Run("pruners at once, beside readers and a worker", func(t *testing.T) { prunersAtOnce(t, open(t)) })
	t.Run("retention has guards", func(t *testing.T) {
		t.Parallel()
		s, ctx := open(t), context.Background()
		if r, err := s.Retention(ctx, org, event); err != nil || r.Version != 0 || r.Dropped(1) || r.Kept(5) != 5 {
			t.Fatalf("of an event without revisions: %+v, %v", r, err)
		}
		r := resulttree.Retention{Org: org, Event: event, Version: 1, Floor: 5, Signed: []int64{2}, Pending: 1}
		must(t, s.PutRetention(ctx, r, 0))
		wantConflict(t, s.PutRetention(ctx, r, 0))
		r.Version, r.Pending = 2, 0
		must(t, s.PutRetention(ctx, r, 1))
		wantConflict(t, s.PutRetention(ctx, r, 1))
		if got, err := s.Retention(ctx, org, event); err != nil || got.Floor != 5 || !slices.Equal(got.Signed, r.Signed) || got.Version != 2 || got.Pending != 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		if got, err := s.Retention(ctx, other, event); err != nil || got.Version != 0 {
			t.Fatalf("of another organization: %+v, %v", got, err)
		}
		must(t, s.InsertRevision(ctx, result(1, 1)))
		sum := result(1, 1)
		sum.Since = 1
		must(t, s.ReplaceRevision(ctx, sum, 0))
		wantConflict(t, s.ReplaceRevision(ctx, sum, 0))
		wantConflict(t, s.ReplaceRevision(ctx, result(9, 9), 0))
		wantConflict(t, s.ReplaceChanges(ctx, resulttree.NodeChanges{Org: org, Event: event, NodeID: id(0), Version: 1}))
		must(t, s.DeleteRevisions(ctx, org, event, 0, 9))
		if got, err := s.Retention(ctx, org, event); err != nil || got.Version != 2 {
			t.Fatalf("after the revisions were deleted: %+v, %v", got, err)
		}
	})
}
