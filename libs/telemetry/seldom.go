package telemetry

import (
	"sync"
	"time"
)

// seldomKinds bounds the kinds of lines that are told apart.
const seldomKinds = 100

// Seldom lets one line of a kind into the log every RemindEvery. It is for libraries
// that tell what fails and never what works; what does both is an Outage. The zero value
// is ready, by the clock of the computer. It may be used by several goroutines at a time.
type Seldom struct {
	now func() time.Time

	mu    sync.Mutex
	kinds map[string]told
}

// told is when a line of a kind was last let through, and how many were not since.
type told struct {
	at      time.Time
	skipped int
}

// NewSeldom returns a Seldom by a clock.
func NewSeldom(now func() time.Time) *Seldom { return &Seldom{now: now} }

// Take reports whether a line of a kind is to be logged, and how many were not since the
// last one that was.
func (s *Seldom) Take(kind string) (skipped int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.now != nil {
		now = s.now()
	}
	last, known := s.kinds[kind]
	// A negative age is of a clock that was put back.
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
