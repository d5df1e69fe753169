package factors

// OfYear returns the newest built-in set that is not newer than a calendar year:
// the set of the year itself where one is held, those of earlier years included.
// It is what an event of the year can adopt, not what it is given, which ForStart
// says. It is nil for a year before all sets.
func OfYear(year int) *Set {
	for _, s := range all().sets { // newest first
		if s.Year <= year {
			return s
		}
	}
	return nil
}
