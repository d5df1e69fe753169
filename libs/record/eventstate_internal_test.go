package record

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestStateOfOlderEvents asserts that later fields, if absent, do not change the hash of an event.
func TestStateOfOlderEvents(t *testing.T) {
	t.Parallel()
	e := Event{Title: "Gala", StartDate: "2026-05-01", Country: "DE", Method: DefaultMethod, FactorSet: "desnz-2026", ContextRev: 3,
		Boundary: json.RawMessage(`{"included":[]}`)}
	values := []string{strconv.FormatInt(e.ContextRev, 10), strconv.FormatInt(e.Gate.Epoch, 10), string(e.Gate.State)}
	first := []string{"title", "startDate", "endDate", "attendees", "virtualAttendees", "country", "timezone", "description", "boundary", "method", "factorSet", "deleted"}
	for _, name := range first {
		for _, f := range eventFields {
			if f.name == name {
				values = append(values, name, string(jsonOf(f.value(&e))))
			}
		}
	}
	if got, want := stateHash(e), hashOf(values...); got != want {
		t.Errorf("the hash of an event without later fields is %s, want %s", got, want)
	}
	placed := e
	placed.Place, placed.Location = "Kiel", footprint.Venue{Name: "Kiel", Country: "DE", Latitude: "54.3", Longitude: "10.1"}
	if stateHash(placed) == stateHash(e) {
		t.Error("the place is no part of the state")
	}
	var back Event
	if err := back.ApplyChanges(EventChanges(Event{}, placed)); err != nil || back.Location != placed.Location || back.Place != "Kiel" {
		t.Errorf("a proposal of the place came back as %+v, %v", back, err)
	}
	if !Governed(EventChanges(e, placed)) {
		t.Error("the place moves a figure and is not governed")
	}
}
