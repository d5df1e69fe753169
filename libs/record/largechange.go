package record

import (
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

const (
	// largeEntry is the length of the values from which an entry of an event's history is large.
	largeEntry = 4 << 10
	// LargeChangesADay bounds the values of large entries within a window of 24 hours, in bytes. A history keeps each
	// one before and after its change, and nothing of it is ever removed.
	LargeChangesADay = 8 << 20

	largeWindow = 24 * time.Hour
)

// LargeChanges are the large entries of an event's history since the beginning of the present window.
type LargeChanges struct {
	Since time.Time `json:"since"`
	Bytes int64     `json:"bytes"`
}

// with returns the large changes including an entry; RATE_LIMITED if its window has no room for it.
func (l LargeChanges) with(e EventEntry) (LargeChanges, error) {
	size, longest := int64(0), FieldChange{}
	for _, c := range e.Changed {
		size += c.size()
		if c.size() > longest.size() {
			longest = c
		}
	}
	if size < largeEntry {
		return l, nil
	}
	// A clock that was set back begins a window anew, because the present one might last for years.
	if age := e.At.Sub(l.Since); age < 0 || age >= largeWindow {
		l = LargeChanges{Since: e.At}
	}
	if l.Bytes += size; l.Bytes <= LargeChangesADay {
		return l, nil
	}
	err := apperr.New(apperr.RateLimited, "The history of this event has grown by %d MiB within 24 hours. It takes large changes again after %s, and small ones now.",
		LargeChangesADay>>20, l.Since.Add(largeWindow).UTC().Format(time.RFC3339)).
		With(apperr.Detail{Field: longest.Field, Code: "HISTORY_LIMIT",
			Message: fmt.Sprintf("%s is the longest of the changed fields. Texts of %d KiB or more before and after a change may come to %d MiB within 24 hours.", longest.Field, largeEntry>>10, LargeChangesADay>>20)})
	err.RetryAfter = l.Since.Add(largeWindow).Sub(e.At)
	return l, err
}

// size is the length of the values that the history keeps.
func (c FieldChange) size() int64 { return int64(len(c.Before) + len(c.After)) }
