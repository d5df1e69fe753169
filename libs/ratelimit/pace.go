package ratelimit

import (
	"math"
	"sync"
	"time"
)

// maxPaced bounds the number of callers that a Pace tracks.
const maxPaced = 10_000

// Pace limits the rate of each caller within a process: one unit per each, and a burst
// of up to burst units (a leaky bucket). It delays callers where a Limiter refuses them.
// K identifies callers; a struct saves composing a string for each request.
type Pace[K comparable] struct {
	each, burst time.Duration

	mu    sync.Mutex
	until map[K]time.Time // by caller: when all its units are used up
}

// NewPace returns a Pace of one unit per each. Burst is the time of the units that a
// caller may use at once.
func NewPace[K comparable](each, burst time.Duration) *Pace[K] {
	return &Pace[K]{each: each, burst: burst, until: map[K]time.Time{}}
}

// Reserve counts units of a caller and returns how long to wait before they begin.
func (p *Pace[K]) Reserve(who K, units int, now time.Time) time.Duration {
	wait, _ := p.Within(who, units, now, math.MaxInt64)
	return wait
}

// Within is like Reserve, but if the wait would be longer than limit it counts nothing
// and returns false.
func (p *Pace[K]) Within(who K, units int, now time.Time, limit time.Duration) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin, known := p.until[who]
	if !known && len(p.until) >= maxPaced {
		p.forget(now)
	}
	if begin.Before(now) {
		begin = now
	}
	if wait = max(0, begin.Sub(now)-p.burst); wait > limit {
		return 0, false
	}
	p.until[who] = begin.Add(time.Duration(units) * p.each)
	return wait, true
}

// forget removes callers that have nothing to wait for, or all if more than half of them
// have: so it runs once for many new callers, and not for each of them.
func (p *Pace[K]) forget(now time.Time) {
	for who, until := range p.until {
		if !until.After(now) {
			delete(p.until, who)
		}
	}
	if len(p.until) > maxPaced/2 {
		clear(p.until)
	}
}
