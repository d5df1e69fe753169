package fairshare

// Running returns how much work is in flight.
func (s *Scheduler) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// AllWaiting returns how much work waits.
func (s *Scheduler) AllWaiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, q := range s.keys {
		n += len(q.waiting)
	}
	return n
}

// Keys returns how many keys are remembered.
func (s *Scheduler) Keys() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.keys)
}

// Spenders returns of how many keys is remembered what they have spent.
func (s *Scheduler) Spenders() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.whole)
}
