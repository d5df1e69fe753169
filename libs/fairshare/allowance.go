package fairshare

import "time"

// Allowance is what a key has left to spend.
type Allowance struct {
	// Left is how much that is now.
	Left int
	// Whole is the time until it is all that there is.
	Whole time.Duration
	// Wait is, of what was refused, the time until it is enough.
	Wait time.Duration
}

// leastSwept is how many keys have spent before those that have all of it again are dropped.
const leastSwept = 64

// Spend takes what work of a key costs from its allowance, and reports whether there was
// enough. While no other key has had work for AloneAfter there always is: what is left falls,
// but whoever has the scheduler to itself takes nothing from anybody.
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

// Refund restores what Spend took for work that was not done.
func (s *Scheduler) Refund(key string, cost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if whole, ok := s.whole[key]; ok {
		s.whole[key] = whole.Add(-s.comesBack(cost))
	}
}

// Room returns what work of a key may cost that comes to wait now.
func (s *Scheduler) Room(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.keys[slot{key: key}]; q != nil {
		return max(0, s.o.Waiting-int(q.waitingCost()))
	}
	return s.o.Waiting
}

// waitingCost returns what all that waits costs.
func (q *queue) waitingCost() (cost float64) {
	for _, t := range q.waiting {
		cost += t.cost
	}
	return cost
}

// comesBack returns the time in which a part of an allowance comes back.
func (s *Scheduler) comesBack(cost int) time.Duration {
	return time.Duration(int64(cost) * int64(s.o.Within) / int64(s.o.Allowance))
}

func (s *Scheduler) allowance(whole, wait time.Duration) Allowance {
	left := int64(s.o.Allowance) * int64(s.o.Within-whole) / int64(s.o.Within)
	return Allowance{Left: int(left), Whole: whole, Wait: wait}
}

// sweep drops keys that have all of their allowance, each time there are twice as many
// keys as were left.
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
