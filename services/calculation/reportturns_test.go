package calculation_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// countPauses starts the service with one slot, and counts the pauses between the slots of an organization that has
// several requests.
func (s *service) countPauses() *atomic.Int64 {
	s.t.Helper()
	pauses := new(atomic.Int64)
	s.deps.Work = fairshare.New(fairshare.Options{Slots: 1, Share: 1, AloneAfter: time.Hour, Pause: 1, Longest: time.Second,
		After: func(_ time.Duration, over func()) { pauses.Add(1); go over() }})
	s.restart()
	return pauses
}

// TestReportsLetOthersGoBetweenParts: a report yields after some dozens of records, so that a flood of reports has no
// long slots.
func TestReportsLetOthersGoBetweenParts(t *testing.T) {
	t.Parallel()
	const reports, segments = 2, 4 // of each kind of record one
	s := start(t)
	s.fill(140 * segments)
	pauses := s.countPauses()
	// Twice while a segment is calculated, before it is written and after that, and twice while a bundle is: 34 times
	// in a table and 50 in a bundle.
	for form, least := range map[string]int64{"application/json": 34, "text/csv": 26, "text/html": 34} {
		s.deps.Work.Seen("another organization")
		pauses.Store(0)
		var all sync.WaitGroup
		for range reports { // a client with one request at a time does not pause
			all.Go(func() {
				if got := s.of("/report", "Accept", form); got.status != http.StatusOK {
					t.Errorf("%s: %d %.200s", form, got.status, got.body)
				}
			})
		}
		all.Wait()
		if n := pauses.Load(); n <= least {
			t.Errorf("%s: %d reports of %d segments of 140 records paused %d times, want more than %d", form, reports, segments, n, least)
		}
	}
}

// TestAdoptionsLetOthersGoBetweenParts: the dry run of another factor set also yields after some dozens of records.
func TestAdoptionsLetOthersGoBetweenParts(t *testing.T) {
	t.Parallel()
	const rehearsals, segments, parts = 2, 4, 3 // of 140 records, 64 at a time
	s := start(t)
	s.fill(140 * segments)
	pauses := s.countPauses()
	s.deps.Work.Seen("another organization")
	var all sync.WaitGroup
	for range rehearsals {
		all.Go(func() {
			got := s.call(http.MethodPost, "/api/v2/events/e1/factor-set", "org1.manager", map[string]any{"engine": footprint.Engine4}, "X-Dry-Run", "true")
			if got.status != http.StatusOK {
				t.Errorf("%d %.200s", got.status, got.body)
			}
		})
	}
	all.Wait()
	if n := pauses.Load(); n < rehearsals*segments*parts {
		t.Errorf("%d rehearsals of %d segments paused %d times, want %d at least", rehearsals, segments, n, rehearsals*segments*parts)
	}
}
