package record

import (
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// ContextsOf returns the contexts of an event, by ContextRev, as far back as
// its history goes, by undoing its changes. The entries are ordered oldest first and include
// the latest one.
func ContextsOf(e Event, entries []EventEntry) (map[int64]footprint.EventContext, error) {
	contexts := map[int64]footprint.EventContext{e.ContextRev: e.Context()}
	for i, entry := range slices.Backward(entries) {
		if i == 0 { // the context before it is unknown, or there was none
			break
		}
		for _, c := range entry.Changed {
			if c.Field == "boundary" || c.Field == "team" {
				continue // no context has this revision
			}
			if err := e.set(c.Field, c.Before); err != nil {
				return nil, fmt.Errorf("event %s: revision %d of its history: %s: %w", e.ID, entry.Rev, c.Field, err)
			}
		}
		before := entries[i-1]
		if _, known := contexts[before.ContextRev]; !known {
			contexts[before.ContextRev] = e.Context()
		}
	}
	return contexts, nil
}
