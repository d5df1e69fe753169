// Package fairshare schedules expensive work so that no caller can monopolize a service. Work
// belongs to a key, in this product an organization. Among the waiting keys the one that has
// used least is next (start-time fair queueing), and no key has more than its share in flight,
// even if no other is waiting: the remaining slots are free for the next one to arrive.
package fairshare

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrFull is returned if a key has too much work waiting.
var ErrFull = errors.New("fairshare: too much work of one key is waiting")

// Options configure a Scheduler.
type Options struct {
	// Slots is how much work may run at a time, Share how much of it of one key.
	Slots, Share int
	// Waiting is the maximum total cost of waiting work of one key; 0: unlimited.
	Waiting int
	// Allowance is the total cost that a key may spend (see Spend), and Within the time in
	// which it is replenished, evenly. 0: unlimited.
	Allowance int
	Within    time.Duration
	// Alone is how much work of one key may run while no other key has had any for AloneAfter;
	// values below Share count as Share. A key that is alone need not leave slots free, and one
	// that returns every other second finds free slots.
	Alone      int
	AloneAfter time.Duration
	// Least is the minimum time for which a slot is held while other keys have work too, because
	// short work costs more than the time between its start and end. It does not affect a key
	// with little short work: Burst is how much of Least may accumulate before slots are held
	// longer. Nor does it affect a key that has had one piece of work at a time for a second: a
	// client that waits for each response keeps no processor busy. LeastTimes limits Least to
	// a multiple of the duration, as little surrounds the shortest work; 0: no limit.
	Least, Burst time.Duration
	LeastTimes   int
	// Pause is how long a slot is held after its work has ended, as a multiple of the duration
	// of the work, and Longest the maximum, under the conditions of Least except for Burst.
	// Work of a key that uses its whole share then leaves some processor time to others.
	Pause   float64
	Longest time.Duration
	// Now is the clock for AloneAfter, Within, Least and Pause. Default: time.Now.
	Now func() time.Time
	// After calls a function after a duration. Default: time.AfterFunc.
	After func(time.Duration, func())
}

// Scheduler decides which work runs. It is safe for concurrent use.
type Scheduler struct {
	o Options

	mu      sync.Mutex
	running int
	waiting int // of all keys
	// clock is the virtual time: the start of the work begun most recently. A key that returns
	// after a while starts from it, so that it cannot save up.
	clock float64
	keys  map[slot]*queue
	// spare is a discarded queue, reused for the next key.
	spare *queue
	// newest is the key with the most recent work, and other the one before it.
	newest, other arrival
	// whole is when the allowance of each key that has spent will be replenished.
	whole   map[string]time.Time
	sweepAt int // the size of whole at which to sweep
}

// queue is the work of one key. It is discarded when it is empty and its past no longer
// matters.
type queue struct {
	running int
	// resting is the number of its slots held by Least although their work has ended, and
	// pausing the number held by Pause, which AcquireFirst waits for too. They do not count
	// against Slots: others may run meanwhile.
	resting, pausing int
	// owes is until when slots would be held if each were held for Options.Least.
	owes time.Time
	// together is when it last had several pieces of work at a time.
	together time.Time
	// next is the virtual start time of its next work.
	next    float64
	waiting []*ticket
}

// ticket is waiting work.
type ticket struct {
	cost  float64
	first bool
	ready chan struct{} // closed when it may run
}

// New returns a Scheduler. Slots and Share below 1 count as 1.
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

// Acquire blocks until work of a key may run, and returns the function to call, once or more,
// when it has ended. Cost is relative to other work. The error is ErrFull or that of ctx.
func (s *Scheduler) Acquire(ctx context.Context, key string, cost int) (release func(), err error) {
	return s.acquire(ctx, slot{key: key}, cost, false, nil)
}

// AcquireFirst is Acquire for work that completes what its key has begun: it goes ahead of all
// waiting work of the key, is not rejected because of that, and holds its slot only while it
// runs. Between keys it is scheduled like other work.
func (s *Scheduler) AcquireFirst(ctx context.Context, key string, cost int) (release func(), err error) {
	return s.acquire(ctx, slot{key: key}, cost, true, nil)
}

// AcquireNext is AcquireFirst for the next part of work that holds a slot: end, which releases
// that slot, is called once the part is first in the queue of its key.
func (s *Scheduler) AcquireNext(ctx context.Context, key string, cost int, end func()) (release func(), err error) {
	return s.acquire(ctx, slot{key: key}, cost, true, end)
}

// AcquireLowPriority is Acquire with low priority: the work starts only while no other is waiting,
// however little its key has used. Work of this kind is shared fairly among itself.
func (s *Scheduler) AcquireLowPriority(ctx context.Context, key string, cost int) (release func(), err error) {
	return s.acquire(ctx, slot{key: key, behind: true}, cost, false, nil)
}

// place is the slot of running work.
type place struct {
	key   slot
	queue *queue
	begun time.Time // zero: released as soon as the work ends
	first bool
}

// held is a slot that may be released repeatedly.
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

// Place is a slot acquired by TryAcquire. It must be released once.
type Place struct {
	place
	scheduler *Scheduler
}

// Release releases the slot.
func (p Place) Release() { p.scheduler.release(p.place) }

// TryAcquire acquires a slot without blocking, and reports whether it could. Now is the time by
// Options.Now. It does not allocate if the key has work already.
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

// slot identifies a queue: low-priority work has separate ones.
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
				h.end() // it has been started meanwhile
			}
			return nil, ctx.Err()
		}
	}
	if s.o.Least > 0 && !first || s.o.Pause > 0 {
		h.begun = s.o.Now()
	}
	return h.end, nil
}

// Waiting returns the number of pieces of work of a key that are waiting.
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

func (s *Scheduler) newQueue(key slot) (q *queue) {
	q, s.spare = s.spare, nil
	if q == nil {
		q = &queue{}
	}
	s.keys[key] = q
	return q
}

// enqueue starts work and returns no ticket, or queues it, at the front if first is set.
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
	s.dispatch() // a key that has become alone meanwhile may run more
	return q, t, nil
}

// atOnce records the arrival of work and starts it if it may run at once.
func (s *Scheduler) atOnce(key slot, q *queue, cost float64, first bool, now time.Time) bool {
	if q.running == 0 && len(q.waiting) == 0 {
		q.next = max(q.next, s.clock)
	}
	s.arrived(key.key, now)
	if (s.o.Least > 0 || s.o.Pause > 0) && q.running+len(q.waiting) > 0 {
		q.together = now
	}
	// Work that waits while slots are free waits for its own share.
	if s.running >= s.o.Slots || len(q.waiting) > 0 || !q.hasPlace(s.share(key.key, now), first) {
		return false
	}
	s.begin(q, cost)
	return true
}

// hasPlace reports whether work may start by the share of its key.
func (q *queue) hasPlace(share int, first bool) bool {
	if first {
		return q.running+q.pausing < share
	}
	return q.running+q.resting+q.pausing < share
}

// cancel removes work from its queue and reports whether it was still there.
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

// forget discards the queue of a key without work. A virtual time ahead of the clock is kept
// until the clock has reached it, and what the key owes until that time is over.
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

// idle reports whether a queue holds no state but its virtual time.
func (s *Scheduler) idle(q *queue) bool {
	return q.running == 0 && q.resting == 0 && q.pausing == 0 && len(q.waiting) == 0 && (q.owes.IsZero() || !q.owes.After(s.o.Now()))
}

// dispatch starts as much work as there are slots for.
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

func (s *Scheduler) begin(q *queue, cost float64) {
	s.clock = max(s.clock, q.next)
	q.next += cost
	q.running++
	s.running++
}

// before reports whether q is before other. Ties are broken by key: the order is deterministic.
func (q *queue) before(key slot, other *queue, otherKey slot) bool {
	switch {
	case key.behind != otherKey.behind:
		return otherKey.behind
	case q.next != other.next:
		return q.next < other.next
	}
	return key.key < otherKey.key
}
