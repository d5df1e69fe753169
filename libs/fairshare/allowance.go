package fairshare

import "time"

// Allowance is the state of a key's allowance.
type Allowance struct {
	// Left is what is left now.
	Left int
	// Whole is the time until the allowance is replenished completely.
	Whole time.Duration
	// Wait is the time until a rejected cost would be allowed.
	Wait time.Duration
}

// leastSwept is the number of keys that have spent anything above which those that are
// replenished are dropped.
const leastSwept = 64

// Spend deducts the cost of work from the allowance of a key, and reports whether there
// was enough. While no other key has had work for AloneAfter it always succeeds,
// although it deducts the cost: a key that is alone takes nothing from others.
func (s *Scheduler) Spend(key string, cost int) (a Allowance, ok bool) {
	if s.o.Allowance <= 0 {
		return Allowance{}, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	s.sweep(now)
	whole := s.whole[key]
	if whole.Before(now) {
		whole = now
	}
	after := whole.Add(s.comesBack(cost))
	if over := after.Sub(now) - s.o.Within; over > 0 {
		if !s.alone(key, now) {
			return s.allowance(whole.Sub(now), over), false
		}
		after = now.Add(s.o.Within)
	}
	s.whole[key] = after
	return s.allowance(after.Sub(now), 0), true
}

// Refund returns to the allowance what Spend deducted for work that was not done.
func (s *Scheduler) Refund(key string, cost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if whole, ok := s.whole[key]; ok {
		s.whole[key] = whole.Add(-s.comesBack(cost))
	}
}

// Room returns the maximum cost of further work of a key that may wait now.
func (s *Scheduler) Room(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.keys[slot{key: key}]; q != nil {
		return max(0, s.o.Waiting-int(q.waitingCost()))
	}
	return s.o.Waiting
}

// waitingCost returns the total cost of the waiting work.
func (q *queue) waitingCost() (cost float64) {
	for _, t := range q.waiting {
		cost += t.cost
	}
	return cost
}

// comesBack returns the time in which cost is replenished.
func (s *Scheduler) comesBack(cost int) time.Duration {
	return time.Duration(int64(cost) * int64(s.o.Within) / int64(s.o.Allowance))
}

func (s *Scheduler) allowance(whole, wait time.Duration) Allowance {
	left := int64(s.o.Allowance) * int64(s.o.Within-whole) / int64(s.o.Within)
	return Allowance{Left: int(left), Whole: whole, Wait: wait}
}

// sweep drops the keys whose allowance is replenished, each time their number has
// doubled since the last sweep.
func (s *Scheduler) sweep(now time.Time) {
	if len(s.whole) < max(s.sweepAt, leastSwept) {
		return
	}
	for key, whole := range s.whole {
		if !whole.After(now) {
			delete(s.whole, key)
		}
	}
	s.sweepAt = 2 * len(s.whole)
}
