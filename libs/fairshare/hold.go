package fairshare

import "time"

// oneAtATime is how long a key must have had no two pieces of work at a time until its
// short work is not delayed.
const oneAtATime = time.Second

// rest returns how long the slot of completed work is still held, by Least and by
// Pause.
func (s *Scheduler) rest(h place, q *queue) (rest, pause time.Duration) {
	if h.begun.IsZero() {
		return 0, 0
	}
	now := s.o.Now()
	if now.Sub(q.together) > oneAtATime || s.alone(h.key.key, now) {
		return 0, 0
	}
	took := now.Sub(h.begun)
	if !h.first {
		least := s.o.Least
		if s.o.LeastTimes > 0 {
			least = min(least, took*time.Duration(s.o.LeastTimes))
		}
		rest = s.owed(q, now, least-took)
	}
	return rest, min(time.Duration(float64(took)*s.o.Pause), s.o.Longest)
}

// owed records work shorter than Least, and returns how long its slot is held.
func (s *Scheduler) owed(q *queue, now time.Time, short time.Duration) time.Duration {
	if short <= 0 {
		return 0
	}
	if q.owes.Before(now) {
		q.owes = now
	}
	q.owes = q.owes.Add(short / time.Duration(s.o.Share))
	if q.owes.Sub(now) <= s.o.Burst {
		return 0
	}
	return short
}

// rested releases a slot that was held for longer than its work.
func (s *Scheduler) rested(key slot, places *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*places--
	s.dispatch()
	s.forget(key, s.keys[key])
}
