package footprint

// maxHints is how many names and codes of places that are not known are compared with all that
// are, for what may have been meant, in the bodies of one request: each time takes a processor for
// half a millisecond. Who has sent a list of such names finds the reason in the first of them.
const maxHints = 10

// Hints bounds what is suggested for places, for one goroutine.
type Hints struct{ used int }

// hint reports whether the next fault of a place may suggest something.
func (d *decoder) hint() bool {
	if d.hints == nil {
		d.hints = &Hints{}
	}
	d.hints.used++
	return d.hints.used <= maxHints
}

// hinted returns what suggest does, while there are hints.
func (d *decoder) hinted(suggest func(string) []string, text string) []string {
	if !d.hint() {
		return nil
	}
	return suggest(text)
}
