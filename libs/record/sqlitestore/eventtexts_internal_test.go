package sqlitestore

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestDecodedEventsAreNobodyElses: a caller's modifications of an event do not affect later reads from the cache.
func TestDecodedEventsAreNobodyElses(t *testing.T) {
	t.Parallel()
	for i, governance := range []string{
		`{"updatedBy":{"_id":"u1","name":"Ada","role":"user"},"last":{"revision":1,"action":"create","by":{"_id":"u1","name":"Ada","role":"user"},"at":"2026-05-01T08:00:00Z","contextRevision":1,"stateHash":"s","previousHash":"","hash":"h"},"gate":{"epoch":0}}`,
		`{"updatedBy":{"_id":"u1"},"last":{"revision":2,"action":"change","by":{"_id":"u1"},"at":"2026-05-01T08:00:00Z","changed":[{"field":"title","before":1,"after":2}],"contextRevision":1,"stateHash":"s","previousHash":"h","hash":"i"},"gate":{"epoch":1,"state":"closing","pending":{"revision":1,"statement":"Yes","by":{"_id":"u1"},"at":"2026-05-01T08:00:00Z","until":"2026-05-01T09:00:00Z"}},"editions":[{"edition":1}],"proposals":[{"_id":"p1","kind":"delete"}]}`,
	} {
		body := fmt.Sprintf(`{"title":"Event %d","attendees":12,"virtualAttendees":3,"radiativeForcing":true,"gwp":"published","factorSet":"desnz-2026","createdBy":{"id":"u1","role":"user"},"metadata":{"a":"b"},"compensation":[{"kind":"credits","kgCO2e":1,"description":"Trees"}]}`, i)
		read := func() eventTexts {
			got, err := decodeEvent([]byte(body), &governance)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		first, unchanged := read(), read()
		first.body.Metadata["a"] = "changed"
		first.body.Compensation[0].Kind = "changed"
		*first.body.Attendees, *first.body.VirtualAttendees = 0, 0
		for j := range first.governance.Proposals {
			first.governance.Proposals[j].ID = "changed"
		}
		for j := range first.governance.Last.Changed {
			first.governance.Last.Changed[j].Field = "changed"
		}
		if again := read(); !reflect.DeepEqual(again, unchanged) || again.body.Metadata["a"] != "b" || *again.body.Attendees != 12 {
			t.Errorf("read again: %+v, want %+v", again, unchanged)
		}
		var want eventBody
		if err := json.Unmarshal([]byte(body), &want); err != nil || !reflect.DeepEqual(unchanged.body, want) {
			t.Errorf("%+v, want %+v, %v", unchanged.body, want, err)
		}
	}
	if _, err := decodeEvent([]byte(`{"createdBy":{"role":"nobody"}}`), nil); err == nil {
		t.Error("a role that there is not was read")
	}
}

func TestAllocationsOfADecodedEvent(t *testing.T) {
	testkit.WithoutRace(t)
	body := []byte(`{"title":"Allocated","attendees":12,"radiativeForcing":true,"gwp":"published","factorSet":"desnz-2026","createdBy":{"id":"u1","role":"user"}}`)
	// Every event has one from its creation: the entry states the changes.
	governance := `{"updatedBy":{"_id":"u1"},"begin":1,"last":{"revision":1,"action":"create","by":{"_id":"u1","role":"user"},"at":"2026-05-01T08:00:00Z","changed":[{"field":"title","before":null,"after":"Allocated"}],"contextRevision":1,"stateHash":"s","previousHash":"","hash":"h"},"gate":{"epoch":0}}`
	got := testing.AllocsPerRun(100, func() {
		if _, err := decodeEvent(body, &governance); err != nil {
			t.Error(err)
		}
	})
	if got > 5 {
		t.Errorf("%v allocations for an event that was decoded before, want 5: its texts, both as a key, what was changed, and the number of its attendees", got)
	}
}
