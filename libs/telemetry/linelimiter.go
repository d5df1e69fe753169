package telemetry

import (
	"sync"
	"time"
)

// seldomKinds bounds the number of kinds that are distinguished.
const seldomKinds = 100

// Seldom limits log lines to one per kind every RemindEvery. It is for libraries that
// report failures only; if successes are known too, Outage is to be used. The zero
// value uses the system clock. It is safe for concurrent use.
type Seldom struct {
	now func() time.Time

	mu    sync.Mutex
	kinds map[string]told
}

// told is the time of the last line of a kind, and how many were suppressed since.
type told struct {
	at      time.Time
	skipped int
}

// NewSeldom returns a Seldom with the given clock.
func NewSeldom(now func() time.Time) *Seldom { return &Seldom{now: now} }

// Take reports whether a line of a kind is to be logged, and how many were suppressed
// since the previous one.
func (s *Seldom) Take(kind string) (skipped int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.now != nil {
		now = s.now()
	}
	last, known := s.kinds[kind]
	// A negative age means that the clock was set back.
	if age := now.Sub(last.at); known && age >= 0 && age < RemindEvery {
		last.skipped++
		s.kinds[kind] = last
		return 0, false
	}
	if s.kinds == nil || !known && len(s.kinds) >= seldomKinds {
		s.kinds = map[string]told{}
	}
	s.kinds[kind] = told{at: now}
	return last.skipped, true
}
