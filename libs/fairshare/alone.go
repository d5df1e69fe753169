package fairshare

import "time"

// arrival is the time of a key's most recent work.
type arrival struct {
	key string
	at  time.Time
}

// Seen records that a key has work which another Scheduler of the process schedules, so
// that it counts as active here.
func (s *Scheduler) Seen(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived(key, s.o.Now())
}

// Alone reports whether no other key has had work for Options.AloneAfter.
func (s *Scheduler) Alone(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alone(key, s.o.Now())
}

// timed reports whether arrival times matter.
func (s *Scheduler) timed() bool { return s.o.Alone != s.o.Share || s.o.Least > 0 || s.o.Pause > 0 }

// arrived records that a key has work.
func (s *Scheduler) arrived(key string, now time.Time) {
	if !s.timed() {
		return
	}
	if s.newest.key != key {
		s.other = s.newest
	}
	s.newest = arrival{key, now}
}

// share returns how much work of a key may run at a time.
func (s *Scheduler) share(key string, now time.Time) int {
	if s.o.Alone == s.o.Share || !s.alone(key, now) {
		return s.o.Share
	}
	return s.o.Alone
}

// alone reports whether no other key has had work for AloneAfter.
func (s *Scheduler) alone(key string, now time.Time) bool {
	other := s.newest
	if other.key == key {
		other = s.other
	}
	return other.at.IsZero() || now.Sub(other.at) >= s.o.AloneAfter
}
