package record

import (
	"encoding/json"
	"errors"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// eventField is a field of an event that its history records.
type eventField struct {
	name string
	is   fieldKind
	// value returns what jsonOf takes, and set sets the field to what jsonOf returned.
	value func(*Event) any
	set   func(e *Event, value json.RawMessage) error
}

type fieldKind int

const (
	// governed fields move a published figure.
	governed fieldKind = 1 << iota
	// reported fields are governed ones outside of the context that results state, or are calculated with when they are
	// served: a change of one is a revision of the result too, or the same revision would be served with other figures.
	reported
	// later fields were added after histories: for an event without them, the hash of its state is unchanged.
	later
)

// eventFields are in the order of the hash of an event's state. Nothing changes them.
var eventFields = []eventField{
	fieldOf("title", 0, func(e *Event) *string { return &e.Title }),
	fieldOf("startDate", governed, func(e *Event) *string { return &e.StartDate }),
	fieldOf("endDate", governed, func(e *Event) *string { return &e.EndDate }),
	fieldOf("attendees", governed, func(e *Event) **int64 { return &e.Attendees }),
	fieldOf("virtualAttendees", governed|reported, func(e *Event) **int64 { return &e.VirtualAttendees }),
	fieldOf("country", governed, func(e *Event) *string { return &e.Country }),
	fieldOf("timezone", 0, func(e *Event) *string { return &e.Timezone }),
	fieldOf("description", 0, func(e *Event) *string { return &e.Description }),
	{"boundary", governed | reported, func(e *Event) any { return e.Boundary }, setBoundary},
	fieldOf("method", governed, func(e *Event) *Method { return &e.Method }),
	fieldOf("factorSet", governed, func(e *Event) *string { return &e.FactorSet }),
	{"team", later, func(e *Event) any { return teamOf(e.Team) }, setTeam},
	fieldOf("place", governed|later, func(e *Event) *string { return &e.Place }),
	fieldOf("location", governed|later, func(e *Event) *footprint.Venue { return &e.Location }),
	fieldOf("externalReference", later, func(e *Event) *string { return &e.Reference }),
	fieldOf("metadata", later, func(e *Event) *map[string]string { return &e.Metadata }),
	fieldOf("compensation", governed|reported|later, func(e *Event) *[]Compensation { return &e.Compensation }),
	fieldOf("deleted", governed, func(e *Event) *bool { return &e.Deleted }),
}

// fieldOf returns the field that at points to.
func fieldOf[T any](name string, is fieldKind, at func(*Event) *T) eventField {
	return eventField{
		name: name, is: is,
		value: func(e *Event) any { return *at(e) },
		set: func(e *Event, value json.RawMessage) error {
			var v T // null, and members that the value lacks, such as the engine of a method, leave it so
			err := json.Unmarshal(value, &v)
			*at(e) = v
			return err
		},
	}
}

func setBoundary(e *Event, value json.RawMessage) error {
	if e.Boundary = value; string(value) == "null" {
		e.Boundary = nil
	}
	return nil
}

func setTeam(e *Event, value json.RawMessage) error {
	var team teamView
	err := json.Unmarshal(value, &team)
	e.Team = team.Members
	return err
}

// eventFieldOf returns the field with a name.
func eventFieldOf(name string) (eventField, bool) {
	for _, f := range eventFields {
		if f.name == name {
			return f, true
		}
	}
	return eventField{}, false
}

// set sets a field to a value that jsonOf returned.
func (e *Event) set(field string, value json.RawMessage) error {
	f, ok := eventFieldOf(field)
	if !ok {
		return errors.New("there is no such field")
	}
	return f.set(e, value)
}

// jsonOf returns a field's value as in the API, null for none.
func jsonOf(v any) json.RawMessage {
	none := false
	switch v := v.(type) {
	case string:
		none = v == ""
	case map[string]string:
		none = len(v) == 0
	case []Compensation:
		none = len(v) == 0
	case json.RawMessage:
		none = len(v) == 0
	case footprint.Venue:
		none = v.IsZero()
	}
	if none {
		return json.RawMessage("null")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // the types above cannot fail
	}
	return text
}
