package footprint

import (
	"cmp"
	"slices"
	"strings"
)

// The engines: an engine identifies the method and code of a calculation. A change that can affect a figure makes a
// new engine, and every result names its engine. The code of every released engine remains available, so that a
// figure changes only if its event adopts another engine. CHANGELOG.md describes their differences.
const (
	// Engine1 treats lines of one factor as fully correlated and all others as independent; its intervals reflect
	// data quality only.
	Engine1 = "1.2.0"
	// Engine2 separates the uncertainties of the activity, of the factor's row and of its fit, so that intervals
	// reflect correlations, and none is empty.
	Engine2 = "2.0.0"
	// Engine3 applies corrections of published sets by us or their publishers, counts the upstream part of grids
	// outside of the UK, and hostels per guest.
	Engine3 = "2.1.0"
	// Engine4 excludes records of attendee travel without the journeys of attendees from the total, as it does their
	// flights and ground transport, and uses rows of short flights outside the UK if a set has them.
	Engine4 = "2.2.0"
	// Engine5 stores the widest records of a sum separately, so that the ends of intervals are right if a survey with
	// few responses is added to accurate data. Scopes and stages have intervals too.
	Engine5 = "2.3.0"
)

// EngineVersion is the engine of events without one, which predate pinned engines.
const EngineVersion = Engine1

// NewestEngine is the engine of new events.
const NewestEngine = Engine5

// Engines returns the available engines, oldest first.
func Engines() []string { return []string{Engine1, Engine2, Engine3, Engine4, Engine5} }

// KnownEngine reports whether an engine is available.
func KnownEngine(version string) bool { return slices.Contains(Engines(), version) }

// Since reports whether engine is first or a later one. Versions are compared numerically: 2.10.0 is later than
// 2.3.0, and an empty one earlier than all.
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

// HasAllRows reports whether bundles by an engine contain the factor rows of all tables that their lines use; those
// by older engines contain only the rows of the set.
func HasAllRows(version string) bool { return version != Engine1 && version != Engine2 }

// Pin returns the stored form of an event's engine: the default one is not stored.
func Pin(version string) string {
	if version == EngineVersion {
		return ""
	}
	return version
}
