package footprint

import (
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/factors"
)

// SetNotice reports that the factor set of an event is of a later year than the event,
// or that a newer suitable one is available. Its suggestions name the set to adopt
// instead, if there is one. ok is false if the set fits, the event has no
// date, or its set cannot be read now.
//
// It depends on the available sets, so it must be computed on
// reading: a stored result, and a bundle of it, contains only [NoticeSetNewer], with
// a fixed text.
func SetNotice(ev EventContext) (n Notice, ok bool) {
	year := YearOf(ev.StartDate)
	if year == 0 {
		return Notice{}, false
	}
	set, err := ev.Set()
	if err != nil {
		return Notice{}, false // reading must not fail because of a notice
	}
	fits := factors.OfYear(year)
	switch {
	case set.Year > year:
		n = Notice{Code: NoticeSetNewer, Field: "factorSet", Message: SetYears(year, set.Year)}
		if fits != nil && fits.Year == year {
			n.Message += fmt.Sprintf(" The event can adopt %s, the set of its own year.", fits.ID)
			n.Suggestions = []string{fits.ID}
		}
		return n, true
	case fits != nil && fits.Year > set.Year:
		n = Notice{Code: NoticeSetOlder, Field: "factorSet", Suggestions: []string{fits.ID},
			Message: fmt.Sprintf("%s The event can adopt %s, which is newer.", SetYears(year, set.Year), fits.ID)}
		if set.Pack != nil {
			n.Message += fmt.Sprintf(" The rows of the pack %s are not in it.", set.ID)
		}
		return n, true
	}
	return Notice{}, false
}

// SetYears returns the sentence on the years of an event and its factors. It is the whole message of [NoticeSetNewer]
// in a result, which bundles pin: it never changes.
func SetYears(year, setYear int) string {
	return fmt.Sprintf("The event is of %d; the factors are those of %d.", year, setYear)
}

// WithSetNotice returns the notices of an event's result as served: with that of [SetNotice] in place of the result's
// own notice of its set. The given slice is not modified.
func WithSetNotice(notices []Notice, ev EventContext) []Notice {
	n, ok := SetNotice(ev)
	if !ok {
		return notices
	}
	rest := slices.DeleteFunc(slices.Clone(notices), func(n Notice) bool { return n.Code == NoticeSetNewer })
	return append([]Notice{n}, rest...)
}
