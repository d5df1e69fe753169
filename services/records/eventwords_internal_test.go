package records

import (
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestEventWordsMeanFields verifies that each word is suggested as a field that an event has, and is no other one.
func TestEventWordsMeanFields(t *testing.T) {
	t.Parallel()
	for field, words := range eventWords {
		for _, word := range words {
			body, err := json.Marshal(map[string]any{"title": "A", word: 1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := fields.Parse(body)
			if err != nil {
				t.Fatal(err)
			}
			var event record.Event
			readEvent(r, &event, true)
			if n := r.Notices(); len(n) != 1 || len(n[0].Suggestions) == 0 || n[0].Suggestions[0] != field {
				t.Errorf("%q: notices %+v, want %s to be suggested", word, n, field)
			}
		}
	}
}
