package record

import (
	"testing"
	"time"
)

// TestWhatTheSystemDoesLeavesUpdatedBy: UpdatedBy is the last person to change an event; changes by the system are
// only in the history.
func TestWhatTheSystemDoesLeavesUpdatedBy(t *testing.T) {
	t.Parallel()
	flow := EventFlow{Now: func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }}
	mia := Actor{ID: "mia", Name: "Mia", Role: 2}
	change := func(e Event, by Actor, title string) Event {
		t.Helper()
		after, err := flow.next(EventRequest{Action: EventChanged, By: by, Change: func(e *Event) error { e.Title = title; return nil }}, e)
		if err != nil {
			t.Fatal(err)
		}
		if after.Last.By != by || after.Rev != e.Rev+1 {
			t.Errorf("the entry is by %+v at revision %d", after.Last.By, after.Rev)
		}
		return after
	}
	made := NewEvent("org1", "gala", Event{Title: "Gala"}, Actor{ID: "ada", Role: 1}, flow.Now())
	byMia := change(made, mia, "Ball")
	if byMia.UpdatedBy != mia {
		t.Errorf("updated by %+v", byMia.UpdatedBy)
	}
	if bySystem := change(byMia, System(), "Given up"); bySystem.UpdatedBy != mia {
		t.Errorf("after the system updated by %+v", bySystem.UpdatedBy)
	}
}
