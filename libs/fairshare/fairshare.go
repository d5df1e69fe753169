// Package fairshare schedules expensive work so that no caller can take a service
// away from the others. Work belongs to a key, in this product an organization.
// Of those who wait, the key that has used least so far goes next (start-time
// fair queuing), and no key has more than its share in flight, even when nobody
// else asks: what it leaves free is there at once for whoever comes next.
package fairshare

import (
	"context"
	"errors"
	"sync"
)

// ErrFull is returned when a key has as much work waiting as it may.
var ErrFull = errors.New("fairshare: too much work of one key is waiting")

// Options says how a Scheduler shares.
type Options struct {
	// Slots is how much work runs at a time, Share how much of it is of one key.
	Slots, Share int
	// Waiting is how much work of one key may wait; 0: any amount.
	Waiting int
}

// Scheduler decides which work runs. It may be used by several goroutines at a
// time.
type Scheduler struct {
	o Options

	mu      sync.Mutex
	running int
	// clock is the virtual time: the start of the work begun last. A key that
	// comes back after a while starts from it, so that it cannot save up.
	clock float64
	keys  map[string]*queue
}

// queue is the work of one key; it is forgotten when there is none and its past
// no longer matters.
type queue struct {
	running int
	// next is the virtual time at which its next work starts.
	next    float64
	waiting []*ticket
}

// ticket is work that waits.
type ticket struct {
	cost  float64
	ready chan struct{} // closed when it may run
}

// New returns a Scheduler. Slots and Share below 1 are 1.
func New(o Options) *Scheduler {
	o.Slots = max(o.Slots, 1)
	o.Share = min(max(o.Share, 1), o.Slots)
	return &Scheduler{o: o, keys: map[string]*queue{}}
}

// Acquire waits until work of a key may run, and returns what to call when it has
// ended, once or several times. Cost is what it takes compared with other work.
// The error is ErrFull or that of ctx.
func (s *Scheduler) Acquire(ctx context.Context, key string, cost int) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := s.enqueue(key, float64(max(cost, 1)))
	if err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() { s.release(key) })
	select {
	case <-t.ready:
		return release, nil
	case <-ctx.Done():
	}
	if !s.cancel(key, t) {
		release() // it was begun meanwhile
	}
	return nil, ctx.Err()
}

// Waiting returns how much work of a key waits.
func (s *Scheduler) Waiting(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.keys[key]; q != nil {
		return len(q.waiting)
	}
	return 0
}

func (s *Scheduler) enqueue(key string, cost float64) (*ticket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.keys[key]
	if q == nil {
		q = &queue{}
		s.keys[key] = q
	}
	if s.o.Waiting > 0 && len(q.waiting) >= s.o.Waiting {
		return nil, ErrFull
	}
	if q.running == 0 && len(q.waiting) == 0 {
		q.next = max(q.next, s.clock)
	}
	t := &ticket{cost: cost, ready: make(chan struct{})}
	q.waiting = append(q.waiting, t)
	s.dispatch()
	return t, nil
}

// cancel takes work out of its queue and reports whether it was still there.
func (s *Scheduler) cancel(key string, t *ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.keys[key]
	if q == nil {
		return false
	}
	for i, w := range q.waiting {
		if w == t {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			s.forget(key, q)
			return true
		}
	}
	return false
}

func (s *Scheduler) release(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	q := s.keys[key]
	q.running--
	s.dispatch()
	s.forget(key, q)
}

// forget drops a key that has no work. What it has used beyond the clock is kept
// until the clock has caught up.
func (s *Scheduler) forget(key string, q *queue) {
	if q.running == 0 && len(q.waiting) == 0 && (q.next <= s.clock || s.running == 0) {
		delete(s.keys, key)
	}
	if s.running == 0 {
		for k, other := range s.keys {
			if other.running == 0 && len(other.waiting) == 0 {
				delete(s.keys, k)
			}
		}
	}
}

// dispatch begins as much work as there is room for.
func (s *Scheduler) dispatch() {
	for s.running < s.o.Slots {
		key, q := "", (*queue)(nil)
		for k, candidate := range s.keys {
			if len(candidate.waiting) == 0 || candidate.running >= s.o.Share {
				continue
			}
			// Equal keys go by name, so that the order is always the same.
			if q == nil || candidate.next < q.next || candidate.next == q.next && k < key {
				key, q = k, candidate
			}
		}
		if q == nil {
			return
		}
		t := q.waiting[0]
		q.waiting = q.waiting[1:]
		s.clock = max(s.clock, q.next)
		q.next += t.cost
		q.running++
		s.running++
		close(t.ready)
	}
}
