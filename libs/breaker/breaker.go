// Package breaker is a circuit breaker. It pauses the use of a dependency after a failure, so
// that one that hangs delays one caller by its timeout and not every caller.
package breaker

import (
	"sync/atomic"
	"time"
)

// Breaker is a circuit breaker: Allow reports whether to try, Trip reports a failure. It is
// safe for concurrent use.
type Breaker struct {
	pause time.Duration
	now   func() time.Time
	// until keeps its monotonic clock reading, so that setting the system clock does not change
	// the length of a pause.
	until atomic.Pointer[time.Time]
}

// New returns a Breaker that pauses for the given duration after each failure. A nil now is
// time.Now.
func New(pause time.Duration, now func() time.Time) *Breaker {
	if now == nil {
		now = time.Now
	}
	return &Breaker{pause: pause, now: now}
}

// Allow reports whether the dependency may be used: there was no failure, or the pause after
// the last one is over.
func (b *Breaker) Allow() bool {
	until := b.until.Load()
	if until == nil {
		return true
	}
	// More than a whole pause can be left only if a clock without monotonic readings was set
	// back.
	left := until.Sub(b.now())
	return left <= 0 || left > b.pause
}

// Trip starts a pause.
func (b *Breaker) Trip() {
	until := b.now().Add(b.pause)
	b.until.Store(&until)
}
