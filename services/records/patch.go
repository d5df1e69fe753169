package records

import (
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/fields"
)

// patchBody merges a change into the stored fields (RFC 7396, one level): fields of the change
// replace, null removes, others stay. The result is decoded like a new record, so a change
// cannot produce a record that could not have been created.
func patchBody(stored json.RawMessage, change []byte) ([]byte, error) {
	if _, err := fields.Parse(change); err != nil {
		return nil, err
	}
	merged := map[string]json.RawMessage{}
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &merged); err != nil {
			return nil, err
		}
	}
	var named map[string]json.RawMessage
	if len(change) > 0 {
		if err := json.Unmarshal(change, &named); err != nil {
			return nil, err
		}
	}
	onceOnly(merged, named)
	for name, value := range named {
		if string(value) == "null" {
			delete(merged, name)
			continue
		}
		merged[name] = value
	}
	return json.Marshal(merged)
}

// onceOnly removes stored fields that the change states in the alternative form: a number
// instead of a quantity with a unit, or the reverse.
func onceOnly(stored, change map[string]json.RawMessage) {
	var before, now map[string]string
	if json.Unmarshal(stored["stated"], &before) == nil && change["stated"] == nil {
		for name := range change {
			delete(before, name)
		}
		if left, err := json.Marshal(before); err == nil {
			stored["stated"] = left
		}
	}
	if json.Unmarshal(change["stated"], &now) == nil {
		for name := range now {
			delete(stored, name)
		}
	}
}
