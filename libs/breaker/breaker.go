// Package breaker is a circuit breaker: after a failure it avoids a dependency for a
// while, so that a hanging one costs one caller its timeout instead of every caller.
package breaker

import (
	"sync/atomic"
	"time"
)

// Breaker is a circuit breaker: Allow reports whether to try, Trip reports a
// failure. It may be used by several goroutines at a time.
type Breaker struct {
	pause time.Duration
	now   func() time.Time
	// until keeps its reading of the monotonic clock, so that setting the
	// computer's clock makes a pause neither longer nor shorter.
	until atomic.Pointer[time.Time]
}

// New returns a Breaker that pauses for that long after each failure. A nil now
// is time.Now.
func New(pause time.Duration, now func() time.Time) *Breaker {
	if now == nil {
		now = time.Now
	}
	return &Breaker{pause: pause, now: now}
}

// Allow reports whether the dependency may be used: there was no failure, or the
// pause after the last one is over.
func (b *Breaker) Allow() bool {
	until := b.until.Load()
	if until == nil {
		return true
	}
	// More than a whole pause is left only by a clock without a monotonic
	// reading that was set back since.
	left := until.Sub(b.now())
	return left <= 0 || left > b.pause
}

// Trip begins a pause.
func (b *Breaker) Trip() {
	until := b.now().Add(b.pause)
	b.until.Store(&until)
}
