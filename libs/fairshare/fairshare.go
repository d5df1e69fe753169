// Package fairshare schedules expensive work so that no caller can take a service
// away from the others. Work belongs to a key, in this product an organization.
// Of those who wait, the key that has used least so far goes next (start-time
// fair queuing), and no key has more than its share in flight, even when nobody
// else asks: what it leaves free is there at once for whoever comes next.
package fairshare

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrFull is returned when a key has as much work waiting as it may.
var ErrFull = errors.New("fairshare: too much work of one key is waiting")

// Options says how a Scheduler shares.
type Options struct {
	// Slots is how much work runs at a time, Share how much of it is of one key.
	Slots, Share int
	// Waiting is how much work of one key may wait, in what it costs; 0: any amount.
	Waiting int
	// Allowance is what the work of one key may cost (Spend), and Within the time in which
	// all of that comes back, evenly. 0: any amount.
	Allowance int
	Within    time.Duration
	// Alone is how much work of one key runs while no other key has had any for
	// AloneAfter; less than Share: Share. A key that has the scheduler to itself need
	// not leave anything free, and one that comes back every other second finds the
	// room that it needs.
	Alone      int
	AloneAfter time.Duration
	// Least is how long work takes its place at least while other keys have work too: short
	// work costs more than the time between its begin and its end, in what is done before
	// and after it, and a key that has nothing but short work would keep all processors
	// busy with that. Longer work does not notice, nor does a key that has little of it:
	// Burst is how much of Least may be owed before places are kept for it. Nor does one
	// that has had one piece of work at a time for a second: who waits for each answer before
	// asking for the next keeps no processor busy. LeastTimes bounds Least by so many times what
	// the work took, since what is done before and after the shortest work is little, too; 0:
	// it does not.
	Least, Burst time.Duration
	LeastTimes   int
	// Pause is for how long a place is still taken when its work has ended, in times of what
	// that took, and Longest for how long at most, under the conditions of Least but for
	// Burst: work that has all of what one key may have then leaves some of it to others.
	Pause   float64
	Longest time.Duration
	// Now is the clock for AloneAfter, Within, Least and Pause. Default: time.Now.
	Now func() time.Time
	// After calls a function when a time is over. Default: time.AfterFunc.
	After func(time.Duration, func())
}

// Scheduler decides which work runs. It may be used by several goroutines at a
// time.
type Scheduler struct {
	o Options

	mu      sync.Mutex
	running int
	waiting int // of all keys
	// clock is the virtual time: the start of the work begun last. A key that
	// comes back after a while starts from it, so that it cannot save up.
	clock float64
	keys  map[slot]*queue
	// spare is a queue that was forgotten; its place in memory serves the next one.
	spare *queue
	// newest is the key that had work last, and other the one before it.
	newest, other arrival
	// whole is when keys that have spent have all of their allowance again.
	whole   map[string]time.Time
	sweepAt int // how many of them there are when those that have it are dropped
}

// queue is the work of one key; it is forgotten when there is none and its past
// no longer matters.
type queue struct {
	running int
	// resting is how many of its places are still taken by Least though their work has ended,
	// and pausing how many by Pause, by what completes something too. They are no part of
	// Slots: others may work meanwhile.
	resting, pausing int
	// owes is until when places would be taken if each were for Options.Least.
	owes time.Time
	// together is when it had several pieces of work at a time last.
	together time.Time
	// next is the virtual time at which its next work starts.
	next    float64
	waiting []*ticket
}

// ticket is work that waits.
type ticket struct {
	cost  float64
	first bool
	ready chan struct{} // closed when it may run
}

// New returns a Scheduler. Slots and Share below 1 are 1.
func New(o Options) *Scheduler {
	o.Slots = max(o.Slots, 1)
	o.Share = min(max(o.Share, 1), o.Slots)
	o.Alone = min(max(o.Alone, o.Share), o.Slots)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	return &Scheduler{o: o, keys: map[slot]*queue{}, whole: map[string]time.Time{}}
}

// Acquire waits until work of a key may run, and returns what to call when it has
// ended, once or several times. Cost is what it takes compared with other work.
// The error is ErrFull or that of ctx.
func (s *Scheduler) Acquire(ctx context.Context, key string, cost int) (release func(), err error) {
	return s.acquire(ctx, slot{key: key}, cost, false, nil)
}

// AcquireFirst is Acquire for work that completes what its key has begun: it goes before
// all that the key has waiting, is not refused for that, and takes a place for as long as it
// lasts. Among keys it is shared as other work is.
func (s *Scheduler) AcquireFirst(ctx context.Context, key string, cost int) (release func(), err error) {
	return s.acquire(ctx, slot{key: key}, cost, true, nil)
}

// AcquireNext is AcquireFirst for the next part of work that has a place: end, which gives that
// back, is called when the part is the first of what waits of its key.
func (s *Scheduler) AcquireNext(ctx context.Context, key string, cost int, end func()) (release func(), err error) {
	return s.acquire(ctx, slot{key: key}, cost, true, end)
}

// AcquireBehind is Acquire for work that begins only while no other waits: not by what
// its key has used, however little that is. Among itself it is shared as other work is.
func (s *Scheduler) AcquireBehind(ctx context.Context, key string, cost int) (release func(), err error) {
	return s.acquire(ctx, slot{key: key, behind: true}, cost, false, nil)
}

// place is that of work that has begun.
type place struct {
	key   slot
	queue *queue
	begun time.Time // zero where it is free as soon as the work ends
	first bool
}

// held is a place that may be given back several times.
type held struct {
	place
	scheduler *Scheduler
	ended     atomic.Bool
}

func (h *held) end() {
	if !h.ended.Swap(true) {
		h.scheduler.release(h.place)
	}
}

// Place is that of work that has begun. It is given back once.
type Place struct {
	place
	scheduler *Scheduler
}

// Release gives the place back.
func (p Place) Release() { p.scheduler.release(p.place) }

// TryAcquire is Acquire for work that does not wait: it reports whether it may run at once. Now
// is the time by Options.Now. It allocates nothing where the key has work already.
func (s *Scheduler) TryAcquire(key string, cost int, now time.Time) (p Place, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.keys[slot{key: key}]
	if q == nil {
		q = s.newQueue(slot{key: key})
	}
	if !s.atOnce(slot{key: key}, q, float64(max(cost, 1)), false, now) {
		s.forget(slot{key: key}, q)
		return Place{}, false
	}
	p = Place{place{key: slot{key: key}, queue: q}, s}
	if s.o.Least > 0 || s.o.Pause > 0 {
		p.begun = now
	}
	return p, true
}

// slot names a queue: work that is behind has its own.
type slot struct {
	key    string
	behind bool
}

func (s *Scheduler) acquire(ctx context.Context, key slot, cost int, first bool, before func()) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q, t, err := s.enqueue(key, float64(max(cost, 1)), first)
	if err != nil {
		return nil, err
	}
	if before != nil {
		before()
	}
	h := &held{place: place{key: key, queue: q, first: first}, scheduler: s}
	if t != nil {
		select {
		case <-t.ready:
		case <-ctx.Done():
			if !s.cancel(key, t) {
				h.end() // it was begun meanwhile
			}
			return nil, ctx.Err()
		}
	}
	if s.o.Least > 0 && !first || s.o.Pause > 0 {
		h.begun = s.o.Now()
	}
	return h.end, nil
}

// Waiting returns how much work of a key waits.
func (s *Scheduler) Waiting(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := 0
	for _, behind := range []bool{false, true} {
		if q := s.keys[slot{key, behind}]; q != nil {
			waiting += len(q.waiting)
		}
	}
	return waiting
}

// newQueue returns the queue of a key that has none.
func (s *Scheduler) newQueue(key slot) (q *queue) {
	q, s.spare = s.spare, nil
	if q == nil {
		q = &queue{}
	}
	s.keys[key] = q
	return q
}

// enqueue begins work at once, and returns no ticket, or lets it wait: first or last of its key.
func (s *Scheduler) enqueue(key slot, cost float64, first bool) (*queue, *ticket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.keys[key]
	if q == nil {
		q = s.newQueue(key)
	}
	if !first && s.o.Waiting > 0 && len(q.waiting) > 0 && q.waitingCost()+cost > float64(s.o.Waiting) {
		return nil, nil, ErrFull
	}
	var now time.Time
	if s.timed() {
		now = s.o.Now()
	}
	if s.atOnce(key, q, cost, first, now) {
		return q, nil, nil
	}
	t := &ticket{cost: cost, first: first, ready: make(chan struct{})}
	s.waiting++
	if first {
		q.waiting = slices.Insert(q.waiting, 0, t)
	} else {
		q.waiting = append(q.waiting, t)
	}
	s.dispatch() // a key that has become alone meanwhile may take more
	return q, t, nil
}

// atOnce notes that work of a key has come, and begins it if it may run at once.
func (s *Scheduler) atOnce(key slot, q *queue, cost float64, first bool, now time.Time) bool {
	if q.running == 0 && len(q.waiting) == 0 {
		q.next = max(q.next, s.clock)
	}
	s.arrived(key.key, now)
	if (s.o.Least > 0 || s.o.Pause > 0) && q.running+len(q.waiting) > 0 {
		q.together = now
	}
	// Whoever waits while there are places waits for its own share.
	if s.running >= s.o.Slots || len(q.waiting) > 0 || !q.hasPlace(s.share(key.key, now), first) {
		return false
	}
	s.begin(q, cost)
	return true
}

// hasPlace reports whether work may begin by the share of its key.
func (q *queue) hasPlace(share int, first bool) bool {
	if first {
		return q.running+q.pausing < share
	}
	return q.running+q.resting+q.pausing < share
}

// cancel takes work out of its queue and reports whether it was still there.
func (s *Scheduler) cancel(key slot, t *ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.keys[key]
	if q == nil {
		return false
	}
	for i, w := range q.waiting {
		if w == t {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			s.waiting--
			s.forget(key, q)
			return true
		}
	}
	return false
}

func (s *Scheduler) release(h place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	q := h.queue
	q.running--
	rest, pause := s.rest(h, q)
	switch {
	case rest > pause:
		q.resting++
		s.o.After(rest, func() { s.rested(h.key, &q.resting) })
	case pause > 0:
		q.pausing++
		s.o.After(pause, func() { s.rested(h.key, &q.pausing) })
	}
	s.dispatch()
	s.forget(h.key, q)
}

// forget drops a key that has no work. What it has used beyond the clock is kept
// until the clock has caught up, and what it owes until that time is over.
func (s *Scheduler) forget(key slot, q *queue) {
	if s.idle(q) && (q.next <= s.clock || s.running == 0) {
		delete(s.keys, key)
		*q = queue{waiting: q.waiting[:0]}
		s.spare = q
	}
	if s.running == 0 {
		for k, other := range s.keys {
			if s.idle(other) {
				delete(s.keys, k)
			}
		}
	}
}

// idle reports whether there is nothing to remember a queue for but what it has used.
func (s *Scheduler) idle(q *queue) bool {
	return q.running == 0 && q.resting == 0 && q.pausing == 0 && len(q.waiting) == 0 && (q.owes.IsZero() || !q.owes.After(s.o.Now()))
}

// dispatch begins as much work as there is room for.
func (s *Scheduler) dispatch() {
	if s.waiting == 0 {
		return
	}
	now := s.o.Now()
	for s.waiting > 0 && s.running < s.o.Slots {
		var key slot
		var q *queue
		for k, candidate := range s.keys {
			if len(candidate.waiting) == 0 || !candidate.hasPlace(s.share(k.key, now), candidate.waiting[0].first) {
				continue
			}
			if q == nil || candidate.before(k, q, key) {
				key, q = k, candidate
			}
		}
		if q == nil {
			return
		}
		t := q.waiting[0]
		q.waiting = q.waiting[1:]
		s.waiting--
		s.begin(q, t.cost)
		close(t.ready)
	}
}

// begin counts work that begins.
func (s *Scheduler) begin(q *queue, cost float64) {
	s.clock = max(s.clock, q.next)
	q.next += cost
	q.running++
	s.running++
}

// before reports whether the work of one queue goes before that of another. Equal
// ones go by name, so that the order is always the same.
func (q *queue) before(key slot, other *queue, otherKey slot) bool {
	switch {
	case key.behind != otherKey.behind:
		return otherKey.behind
	case q.next != other.next:
		return q.next < other.next
	}
	return key.key < otherKey.key
}
