package ratelimit

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"
)

// defaultKeys is the default number of keys of a Local.
const defaultKeys = 50_000

// Local is a Log of this process alone. It holds a bounded number of keys and evicts the least
// recently used one, so a flood of addresses uses a bounded amount of memory.
type Local struct {
	now func() time.Time
	max int

	mu   sync.Mutex
	keys map[string]*list.Element // of *window
	used *list.List               // most recently used first
}

type window struct {
	key   string
	takes []int64 // microseconds, oldest first
}

// NewLocal returns a log of at most maxKeys keys (defaultKeys if 0).
func NewLocal(now func() time.Time, maxKeys int) *Local {
	if maxKeys <= 0 {
		maxKeys = defaultKeys
	}
	return &Local{now: now, max: maxKeys, keys: make(map[string]*list.Element), used: list.New()}
}

// Take implements Log. It never fails.
func (l *Local) Take(_ context.Context, key string, rule Rule) (Result, error) {
	return l.look(key, rule, true), nil
}

// Peek implements Log. It never fails.
func (l *Local) Peek(_ context.Context, key string, rule Rule) (Result, error) {
	return l.look(key, rule, false), nil
}

// Refund implements Log. It never fails.
func (l *Local) Refund(_ context.Context, key string, taken Result) error {
	l.refund(key, taken)
	return nil
}

func (l *Local) refund(key string, taken Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.keys[key]
	if !ok {
		return
	}
	w := e.Value.(*window)
	if i := slices.Index(w.takes, taken.at); i >= 0 {
		w.takes = slices.Delete(w.takes, i, i+1)
	}
}

func (l *Local) look(key string, rule Rule, take bool) Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now().UnixMicro()
	e, ok := l.keys[key]
	if !ok {
		if !take {
			return Result{Allowed: rule.Limit > 0, Remaining: rule.Limit, at: now}
		}
		e = l.add(key)
	}
	l.used.MoveToFront(e)
	w := e.Value.(*window)
	if n := len(w.takes); n > 0 && w.takes[n-1] > now+rule.Window.Microseconds() {
		w.takes = nil // as in the script
	} else if n > 0 {
		now = max(now, w.takes[n-1])
	}
	old := 0
	for old < len(w.takes) && w.takes[old] <= now-rule.Window.Microseconds() {
		old++
	}
	w.takes = w.takes[old:] // the next reallocation drops the skipped elements
	r := Result{Allowed: len(w.takes) < rule.Limit, at: now}
	if r.Allowed && take {
		w.takes = append(w.takes, now)
	}
	r.Remaining = max(rule.Limit-len(w.takes), 0)
	if len(w.takes) > 0 {
		r.Reset = time.Duration(w.takes[0]+rule.Window.Microseconds()-now) * time.Microsecond
	}
	return r
}

func (l *Local) add(key string) *list.Element {
	if l.used.Len() >= l.max {
		last := l.used.Back()
		delete(l.keys, l.used.Remove(last).(*window).key)
	}
	e := l.used.PushFront(&window{key: key})
	l.keys[key] = e
	return e
}
