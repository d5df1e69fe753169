package gateway

import (
	"math"
	"sync"
	"time"
)

// pacesMax bounds the number of callers that are tracked.
const pacesMax = 10_000

// pace limits the rate of each caller: one unit per each, and a burst of up to burst
// units (a leaky bucket).
type pace struct {
	each, burst time.Duration

	mu    sync.Mutex
	until map[string]time.Time // by caller: when all its units are used up
}

func newPace(each, burst time.Duration) *pace {
	return &pace{each: each, burst: burst, until: map[string]time.Time{}}
}

// reserve counts units of a caller and returns how long to wait before they begin.
func (p *pace) reserve(who string, units int, now time.Time) time.Duration {
	wait, _ := p.within(who, units, now, math.MaxInt64)
	return wait
}

// within is like reserve, but if the wait would be longer than limit it counts nothing
// and returns false.
func (p *pace) within(who string, units int, now time.Time, limit time.Duration) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := p.until[who]
	if begin.Before(now) {
		begin = now
		if len(p.until) >= pacesMax {
			p.forget(now)
		}
	}
	if wait = max(0, begin.Sub(now)-p.burst); wait > limit {
		return 0, false
	}
	p.until[who] = begin.Add(time.Duration(units) * p.each)
	return wait, true
}

// forget removes callers that have nothing to wait for, or all callers if too many
// remain.
func (p *pace) forget(now time.Time) {
	for who, until := range p.until {
		if !until.After(now) {
			delete(p.until, who)
		}
	}
	if len(p.until) >= pacesMax {
		clear(p.until)
	}
}
