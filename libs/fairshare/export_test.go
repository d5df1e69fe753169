package fairshare

// Running returns the number of slots in use.
func (s *Scheduler) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// AllWaiting returns the number of waiting pieces of work.
func (s *Scheduler) AllWaiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, q := range s.keys {
		n += len(q.waiting)
	}
	return n
}

// Keys returns the number of queues.
func (s *Scheduler) Keys() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.keys)
}

// Spenders returns the number of keys with a reduced allowance.
func (s *Scheduler) Spenders() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.whole)
}
