package mongostore

// WriteDeltas sets the form in which nodes are written, whatever the schema states.
func (s *Store) WriteDeltas(on bool) {
	s.form.separates.Store(on)
	s.form.asked.Store(1 << 60)
}

// AskAgain makes the next write determine the form again.
func (s *Store) AskAgain() { s.form.asked.Store(0) }
