package footprint

import (
	"cmp"
	"slices"
	"strings"
)

// The engines: an engine names the method and code of a calculation. It rises
// with every change that can move a number and is part of every result. The
// arithmetic of each engine that was released is kept, so that a figure moves
// only when its event adopts another engine. CHANGELOG.md says what each changed.
const (
	// Engine1 takes lines of one factor to err alike and all others to be
	// independent; its intervals hold data quality only.
	Engine1 = "1.2.0"
	// Engine2 keeps the doubts of the activity, of the factor's row and of its fit
	// apart, so that intervals hold what lines have in common, and none is empty.
	Engine2 = "2.0.0"
	// Engine3 uses what was found wrong in published sets or revised by their
	// publishers, counts the upstream part of grids outside of the UK, and hostels by
	// the guest.
	Engine3 = "2.1.0"
	// Engine4 leaves records of attendee travel out of the total without the journeys
	// of attendees, as their flights and journeys on the ground are, and uses rows of
	// short flights outside the UK where a set has them.
	Engine4 = "2.2.0"
	// Engine5 stores the widest records of a sum separately, so that the ends of intervals
	// are right if a survey of few responses is added to well-known data. Scopes
	// and stages have intervals too.
	Engine5 = "2.3.0"
)

// EngineVersion is the engine of an event that names none: those from before
// engines were pinned.
const EngineVersion = Engine1

// NewestEngine is the engine of new events.
const NewestEngine = Engine5

// Engines returns the engines held, oldest first.
func Engines() []string { return []string{Engine1, Engine2, Engine3, Engine4, Engine5} }

// KnownEngine reports whether an engine is held.
func KnownEngine(version string) bool { return slices.Contains(Engines(), version) }

// Since reports whether an engine is the one named first, or a later one. Versions are
// compared number by number: 2.10.0 comes after 2.3.0, and no engine before all.
func Since(engine, first string) bool { return compareEngines(engine, first) >= 0 }

// LaterEngine returns the later one of two engines.
func LaterEngine(a, b string) string {
	if Since(a, b) {
		return a
	}
	return b
}

// compareEngines orders versions, whose numbers have no leading zeros: of two numbers the
// one with more digits is higher.
func compareEngines(a, b string) int {
	for a != b {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if order := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); order != 0 {
			return order
		}
	}
	return 0
}

// HasAllRows reports whether bundles by an engine hold the factor rows of all tables
// that their lines use; those by older engines hold the rows of the set alone.
func HasAllRows(version string) bool { return version != Engine1 && version != Engine2 }

// Pin returns how an event stores its engine: the one of events that name none is
// not stored.
func Pin(version string) string {
	if version == EngineVersion {
		return ""
	}
	return version
}
