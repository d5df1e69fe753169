package factors

// OfYear returns the newest built-in set that is not newer than a calendar year, including sets of earlier years. An
// event of that year may adopt it; ForStart returns the one assigned by default. It returns nil for a year before all
// sets.
func OfYear(year int) *Set {
	for _, s := range all().sets { // newest first
		if s.Year <= year {
			return s
		}
	}
	return nil
}
