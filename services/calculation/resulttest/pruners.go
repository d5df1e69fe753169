package resulttest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// prunersAtOnce runs two pruners, readers and the worker that writes revisions
// concurrently on one event. Each page that a reader sees must have every cause once
// and the signed revisions, the differences between listed revisions must be right, and
// the pruners together must drop each revision once.
func prunersAtOnce(t *testing.T, store resulttree.Store) {
	t.Parallel()
	seed := rand.Uint64() //nolint:gosec // it is printed
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a seed that can be repeated
	h, rounds := newHistory(t, store), 3
	if testkit.Long(t) {
		rounds = 30
	}
	for range 6 {
		h.revise(random)
	}
	signed := []int64{2, 4}
	for i, revision := range signed {
		h.event.Editions = append(h.event.Editions, record.Edition{Edition: int64(i + 1), Revision: revision})
	}
	ev, ctx := h.event, t.Context()
	far := h.day.Add(1000 * day)
	var group sync.WaitGroup
	var dropped, pages, pruned atomic.Int64
	faults := make(chan error, 4)
	end := make(chan struct{})
	repeat := func(do func() error) {
		group.Go(func() {
			for {
				if err := do(); err != nil {
					faults <- err
					return
				}
				select {
				case <-end:
					return
				default:
				}
			}
		})
	}
	for range 2 {
		repeat(func() error {
			n, err := resulttree.Pruner{Results: store, Step: 2}.Prune(ctx, ev, far)
			dropped.Add(n)
			pruned.Add(1)
			return err
		})
		repeat(func() error {
			pages.Add(1)
			return readBeside(ctx, store, signed)
		})
	}
	for range rounds {
		h.revise(random)
	}
	testkit.Eventually(t, time.Minute, func() error {
		if len(faults) == 0 && (pruned.Load() < 2 || pages.Load() < 2) {
			return fmt.Errorf("%d prunings and %d pages read", pruned.Load(), pages.Load())
		}
		return nil
	})
	close(end)
	group.Wait()
	close(faults)
	for err := range faults {
		t.Error(err)
	}
	n, err := resulttree.Pruner{Results: store, Step: 2}.Prune(ctx, ev, far)
	must(t, err)
	kept := h.check()
	numbers := []int64{}
	for _, r := range kept {
		numbers = append(numbers, r.Revision)
	}
	newest := h.result.Revision
	if want := append(slices.Clone(signed), newest-1, newest); !slices.Equal(numbers, want) {
		t.Errorf("kept %v, want %v", numbers, want)
	}
	if got, want := dropped.Load()+n, newest-int64(len(kept)); got != want {
		t.Errorf("the pruners report %d dropped revisions, but %d are gone", got, want)
	}
	if got := causesIn(kept); got != newest {
		t.Errorf("the causes count %d record changes after %d", got, newest)
	}
	t.Logf("%d revisions, %d pages read, %d prunings", newest, pages.Load(), pruned.Load())
}

// readBeside reads the remaining revisions and compares consecutive ones, concurrently.
func readBeside(ctx context.Context, store resulttree.Store, signed []int64) error {
	page, newest, kept, err := resulttree.History{Results: store}.Page(ctx, org, event, 0, 1000)
	if err != nil {
		return err
	}
	var numbers []int64
	for _, r := range page {
		numbers = append(numbers, r.Revision)
	}
	if got := causesIn(page); got != newest.Revision || int64(len(page)) != kept.Kept(newest.Revision) {
		return fmt.Errorf("the causes of revisions %v count %d record changes, want %d; kept %+v", numbers, got, newest.Revision, kept)
	}
	for _, revision := range signed {
		if !slices.Contains(numbers, revision) {
			return fmt.Errorf("the signed revision %d is not among %v", revision, numbers)
		}
	}
	for i := range page[1:] {
		older, newer := page[i+1], page[i]
		wrong := compare(ctx, store, older, newer)
		now, err := store.Retention(ctx, org, event)
		if err != nil {
			return err
		}
		if wrong != nil && !now.Dropped(older.Revision) && !now.Dropped(newer.Revision) {
			return errors.Join(wrong, fmt.Errorf("kept %+v", now))
		}
		between, err := resulttree.History{Results: store}.Span(ctx, org, event, older.Revision+1, min(newer.Revision, newest.Revision-1))
		if err != nil {
			return err
		}
		if now, err = store.Retention(ctx, org, event); err != nil {
			return err
		}
		if newer.Revision < newest.Revision && causesIn(between) != newer.Revision-older.Revision && now.Pending == 0 && !now.Dropped(older.Revision) && !now.Dropped(newer.Revision) {
			return fmt.Errorf("between revisions %d and %d the causes count %d record changes", older.Revision, newer.Revision, causesIn(between))
		}
	}
	return nil
}

// meddled is a store that calls a function once, before a given read of a History.
type meddled struct {
	resulttree.Store
	left   int
	meddle func()
}

func (m *meddled) read() {
	if m.left--; m.left == 0 {
		m.meddle()
	}
}

func (m *meddled) Retention(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Retention, error) {
	m.read()
	return m.Store.Retention(ctx, org, event)
}

func (m *meddled) Result(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Result, error) {
	m.read()
	return m.Store.Result(ctx, org, event)
}

func (m *meddled) Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]resulttree.Result, error) {
	m.read()
	return m.Store.Revisions(ctx, org, event, from, to)
}

// prunedWhileRead verifies that a page of revisions has every cause once if, between
// any two of its reads, a worker replaces the newest revision and a pruner drops all
// others.
func prunedWhileRead(t *testing.T, open func(t *testing.T) resulttree.Store) {
	t.Parallel()
	for at := 1; ; at++ {
		h := newHistory(t, open(t))
		random := rand.New(rand.NewPCG(1, 0)) //nolint:gosec // a seed that can be repeated
		for range 4 {
			h.revise(random)
		}
		store := &meddled{Store: h.store, left: at}
		store.meddle = func() {
			h.revise(random)
			if _, err := (resulttree.Pruner{Results: h.store}).Prune(t.Context(), h.event, h.day.Add(day)); err != nil {
				t.Error(err)
			}
		}
		page, newest, kept, err := resulttree.History{Results: store}.Page(t.Context(), org, event, 0, 100)
		must(t, err)
		if got := causesIn(page); got != newest.Revision || int64(len(page)) != kept.Kept(newest.Revision) {
			t.Errorf("before read %d: %d revisions, whose causes count %d record changes, want %d", at, len(page), got, newest.Revision)
		}
		if store.left > 0 {
			return
		}
	}
}
