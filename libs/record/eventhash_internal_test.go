package record

import (
	"encoding/json"
	"testing"
)

// TestHashesOfEarlierHistoriesHold: the hash of an event's contents is stored with every entry of its history, so for
// events without later fields it must not change. The constant predates all of them.
func TestHashesOfEarlierHistoriesHold(t *testing.T) {
	t.Parallel()
	attendees := int64(250)
	e := Event{Title: "Gala", StartDate: "2026-05-01", EndDate: "2026-05-03", Attendees: &attendees, Country: "DE", Timezone: "Europe/Berlin",
		Description: "An evening.", Boundary: json.RawMessage(`{"included":["flights"],"excluded":[]}`),
		Method: Method{RadiativeForcing: true, GWP: "AR6", Engine: "2.0.0"}, FactorSet: "desnz-2026", ContextRev: 3}
	const before = "718d1f146eff516ba86a40cbe583e10c6e103efc1445afa6c2fdf0e9d642b145"
	if got := stateHash(e); got != before {
		t.Errorf("the hash is %s, want %s", got, before)
	}
	for name, later := range map[string]func(*Event){
		"externalReference": func(e *Event) { e.Reference = "A" },
		"metadata":          func(e *Event) { e.Metadata = map[string]string{"k": "v"} },
	} {
		changed := e
		later(&changed)
		if stateHash(changed) == before {
			t.Errorf("the hash does not cover %s", name)
		}
	}
}
