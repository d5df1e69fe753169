package telemetry

import (
	"sync"
	"time"
)

// limiterKinds bounds the number of kinds that are distinguished.
const limiterKinds = 100

// LineLimiter limits log lines to one per kind every RemindEvery. It is for libraries that
// report failures only; if successes are known too, Outage is to be used. The zero
// value uses the system clock. It is safe for concurrent use.
type LineLimiter struct {
	now func() time.Time

	mu    sync.Mutex
	kinds map[string]lastLine
}

// lastLine is the time of the last line of a kind, and how many were suppressed since.
type lastLine struct {
	at      time.Time
	skipped int
}

// NewLineLimiter returns a LineLimiter with the given clock.
func NewLineLimiter(now func() time.Time) *LineLimiter { return &LineLimiter{now: now} }

// Take reports whether a line of a kind is to be logged, and how many were suppressed
// since the previous one.
func (s *LineLimiter) Take(kind string) (skipped int, ok bool) {
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
	if s.kinds == nil || !known && len(s.kinds) >= limiterKinds {
		s.kinds = map[string]lastLine{}
	}
	s.kinds[kind] = lastLine{at: now}
	return last.skipped, true
}
