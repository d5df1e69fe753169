package record_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// The contexts of an event at any time follow from its current state and its history.
func TestContextsOfAnEvent(t *testing.T) {
	t.Parallel()
	var entries []record.EventEntry
	want := map[int64]footprint.EventContext{}
	by := record.Actor{ID: "u1"}
	e := record.NewEvent("acme", "e1", record.Event{Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2025"}, by, time.Unix(0, 0))
	keep := func() {
		entries = append(entries, e.Last)
		want[e.ContextRev] = e.Context()
	}
	keep()
	flow := record.EventFlow{Now: func() time.Time { return time.Unix(1, 0) }}
	for _, change := range []func(*record.Event){
		func(e *record.Event) { e.Attendees = new(int64(40)) },
		func(e *record.Event) { e.Title = "Ball" }, // of the same context
		func(e *record.Event) { e.Boundary = json.RawMessage(`{"excluded":[]}`) },
		func(e *record.Event) {
			e.Method, e.FactorSet = record.Method{GWP: "AR6", Engine: footprint.NewestEngine}, "desnz-2026"
		},
		func(e *record.Event) {
			e.StartDate, e.EndDate, e.Country, e.Attendees = "2026-01-01", "2026-01-02", "DE", nil
		},
	} {
		flow.Store = oneEvent{&e}
		if _, err := flow.Apply(t.Context(), record.EventRequest{Org: "acme", ID: "e1", Action: record.EventChanged, By: by, AnyGate: true,
			Change: func(e *record.Event) error { change(e); return nil }}); err != nil {
			t.Fatal(err)
		}
		keep()
	}
	got, err := record.ContextsOf(e, entries)
	if err != nil || len(got) != len(want) || len(want) != 5 {
		t.Fatalf("%d contexts of %d, %v", len(got), len(want), err)
	}
	for rev, context := range want {
		if got[rev] != context {
			t.Errorf("context %d is %+v, want %+v", rev, got[rev], context)
		}
	}
	// A history that begins later has only the later ones.
	if got, err = record.ContextsOf(e, entries[4:]); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// EventEntries implements record.EventStore: nothing is stored.
func (oneEvent) EventEntries(context.Context, record.OrgID, record.EventID, int64, int64) ([]record.EventEntry, error) {
	return nil, nil
}

// oneEvent is a store of one event.
type oneEvent struct{ e *record.Event }

func (s oneEvent) Event(context.Context, record.OrgID, record.EventID) (record.Event, error) {
	return *s.e, nil
}

func (s oneEvent) ReplaceEvent(_ context.Context, _ record.OrgID, e record.Event, _ int64) error {
	*s.e = e
	return nil
}

func (oneEvent) InsertEventEntry(context.Context, record.OrgID, record.EventID, record.EventEntry) error {
	return nil
}

func (oneEvent) EventByReference(context.Context, record.OrgID, string) (record.Event, error) {
	return record.Event{}, record.ErrNotFound
}
