package gateway

import (
	"math"
	"sync"
	"time"
)

// pacesMax bounds the callers that are remembered apart.
const pacesMax = 10_000

// pace spreads over time what each caller does. A unit takes each of the caller's own
// time; who has done nothing for a while may do as much at once as fits into burst.
type pace struct {
	each, burst time.Duration

	mu    sync.Mutex
	until map[string]time.Time // what each caller has asked for takes until then
}

func newPace(each, burst time.Duration) *pace {
	return &pace{each: each, burst: burst, until: map[string]time.Time{}}
}

// reserve counts units of a caller and returns how long to wait before them.
func (p *pace) reserve(who string, units int, now time.Time) time.Duration {
	wait, _ := p.within(who, units, now, math.MaxInt64)
	return wait
}

// within is reserve where the wait is no longer than limit; else nothing is counted, and ok
// is false.
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

// forget removes who has nothing left to wait for; where too many have, everybody.
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
