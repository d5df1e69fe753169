package mongostore

// SetSweepBatch lets a test with few documents see a sweep of several batches.
func (s *Store) SetSweepBatch(n int) { s.sweepBatch = n }
