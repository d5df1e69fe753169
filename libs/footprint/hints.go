package footprint

import "github.com/eventcarbon/ecf/libs/locations"

// maxHints bounds how many unknown names and codes of places in one request are compared with all known ones for
// suggestions: each takes half a millisecond of a processor. In a list of unknown names, the first suggestions
// suffice.
const maxHints = 10

// Hints bounds the suggestions for places. It must be used by one goroutine at a time.
type Hints struct{ used int }

// hint reports whether the next fault of a place may suggest something.
func (d *decoder) hint() bool {
	if d.hints == nil {
		d.hints = &Hints{}
	}
	d.hints.used++
	return d.hints.used <= maxHints
}

// airports returns the known codes that resemble a code, while hints remain.
func (d *decoder) airports(code string) []string {
	if !d.hint() {
		return nil
	}
	return locations.Suggest(code)
}
