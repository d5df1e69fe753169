package calculation_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/factors/pack"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestARecalculationWaitsForItsSet: while the store of packs is unavailable, a worker that has not cached the set of
// an event leaves result and marks unchanged. Repeated once the store is available, it counts every record by that
// set.
func TestARecalculationWaitsForItsSet(t *testing.T) {
	t.Parallel()
	s := start(t)
	original, err := factors.ByID("desnz-2025")
	if err != nil {
		t.Fatal(err)
	}
	document := pack.Export(original, "store-comes-back", 1)
	set, err := document.Set()
	if err != nil {
		t.Fatal(err)
	}
	errAway := errors.New("the store is away")
	var asked atomic.Int64
	var back atomic.Bool
	t.Cleanup(factors.Follow(func(_ context.Context, id string) (*factors.Set, error) {
		switch {
		case id != set.ID:
			return nil, factors.ErrNotHeld
		case !back.Load():
			asked.Add(1)
			return nil, errAway
		}
		return set, nil
	}))
	conference(s)
	before := s.of("").want(http.StatusOK)
	want := s.call(http.MethodPost, "/api/v2/events/e1/factor-set", "org1.manager", map[string]any{"factorSet": original.ID}, "X-Dry-Run", "true").want(http.StatusOK)

	// Another process, which has the set, lets the event adopt it.
	ev, err := s.records.Event(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	rev := ev.Rev
	ev.FactorSet, ev.Rev, ev.ContextRev, ev.Mark = set.ID, rev+1, ev.ContextRev+1, record.NewMark(s.now())
	if err := s.records.ReplaceEvent(t.Context(), org, ev, rev); err != nil {
		t.Fatal(err)
	}
	// A worker without caches, as one just started.
	worker := resulttree.NewRecalculator(s.records, s.results, s.now)
	for range 2 {
		if err := worker.Recalculate(t.Context(), org, "e1"); !errors.Is(err, errAway) {
			t.Fatalf("the recalculation ended with %v", err)
		}
		a := s.of("").want(http.StatusOK)
		if a.data("status") != "recalculating" || a.data("revision") != "1" || a.data("total") != before.data("total") || a.data("notices") != before.data("notices") {
			t.Fatalf("while the store was away: %.500s", a.body)
		}
	}
	if asked.Load() == 0 {
		t.Fatal("the set was never asked for")
	}
	back.Store(true)
	if err := worker.Recalculate(t.Context(), org, "e1"); err != nil {
		t.Fatal(err)
	}
	a := s.of("").want(http.StatusOK)
	if a.data("status") != "current" || a.data("revision") != "2" || a.data("factorSet", "id") != set.ID ||
		a.data("total", "kgCO2e") != want.data("after", "total", "kgCO2e") || a.data("byType") != want.data("after", "byType") {
		t.Errorf("after it came back: %.800s\nwant %.800s", a.body, want.body)
	}
}
