package audit

import (
	"fmt"
	"sync"
	"time"
)

const (
	// refusalsWindow is how long repetitions of one refusal are counted together.
	refusalsWindow = time.Hour
	// maxRefusals bounds the number of separate counters.
	maxRefusals = 10_000
	sweepEvery  = time.Minute
)

// Times states in an entry that a rejection is the nth within the window; empty for the first.
func Times(nth int) string {
	if nth < 2 {
		return ""
	}
	return fmt.Sprintf("%d times within an hour", nth)
}

// Refusals counts rejections by caller and operation, so that repetitions are entered with
// exponentially decreasing frequency and cannot fill the log. The zero value is
// ready for use, and safe for concurrent use.
type Refusals struct {
	mu    sync.Mutex
	seen  map[string]*refusal
	swept time.Time // when expired counters were last removed
}

type refusal struct {
	since time.Time
	n     int
	owed  bool // the last one to be entered was not
}

// Count counts a rejection and reports whether to enter it: the first within the window, the second, the fourth, and
// so on. With too many counters, all others share one.
func (r *Refusals) Count(action, operation, who string, now time.Time) (key string, nth int, enter bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key = action + "\x00" + operation + "\x00" + who
	if r.seen == nil {
		r.seen = map[string]*refusal{}
	}
	one := r.seen[key]
	if one == nil && len(r.seen) >= maxRefusals {
		r.sweep(now)
		if len(r.seen) >= maxRefusals {
			key = action + "\x00others"
			one = r.seen[key]
		}
	}
	if one == nil || now.Sub(one.since) >= refusalsWindow {
		one = &refusal{since: now}
		r.seen[key] = one
	}
	one.n++
	enter = one.owed || one.n&(one.n-1) == 0
	one.owed = false
	return key, one.n, enter
}

// sweep removes expired counters; not each time, since it visits all.
func (r *Refusals) sweep(now time.Time) {
	if now.Sub(r.swept) < sweepEvery {
		return
	}
	r.swept = now
	for key, one := range r.seen {
		if now.Sub(one.since) >= refusalsWindow {
			delete(r.seen, key)
		}
	}
}

// Owe records that an entry could not be made, so that the next rejection is entered.
func (r *Refusals) Owe(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.seen[key]; one != nil {
		one.owed = true
	}
}
