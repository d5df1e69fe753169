package records

import (
	"fmt"
	"time"
	_ "time/tzdata" // for checking time zone names on systems without zone files

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/places"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	maxAttendees    = 10_000_000
	maxDescription  = 5000
	maxBoundaryList = 50
	maxReason       = 500
	maxReference    = 128
	maxMetadata     = 20
	maxMetadatum    = 500
)

// serverFields returns the fields of an event that are ignored when a client sends them.
func serverFields() []string {
	return []string{"_id", "createdBy", "createdAt", "updatedAt", "revision", "factorSet", "counts", "updatedBy", "signOff", "openChanges", "result", "location", "whatIf"}
}

// readReason reads the comment of a change.
func readReason(r *fields.Reader) string {
	if r.IsNull("comment") {
		return ""
	}
	return r.Remark("comment", record.MaxComment)
}

// readEvent reads the fields that a client may set into event. A new event must have the
// required ones; in a change only the present ones count, and null removes an optional field.
// The errors are in r. A body without errors may be read again.
func readEvent(r *fields.Reader, event *record.Event, isNew bool) {
	r.ServerOwned(serverFields()...)
	r.NameBy(eventFieldsNamed)
	r.Meaning("location", "place sets it.")
	r.Meaning("factorSet", "The year of startDate chooses that of a new event; another one is adopted later (POST /events/{eventId}/factor-set).")
	if isNew {
		r.Require("title")
	} else if r.IsNull("title") {
		r.Fault(apperr.Detail{Field: "title", Code: fields.Required, Message: "title is required: an event must have a title."})
	}
	set := func(name string, read, remove func()) {
		switch {
		case r.IsNull(name):
			remove()
		case r.Has(name):
			read()
		}
	}
	text := func(name string, to *string, minimum, maximum int) {
		set(name, func() {
			if v, ok := r.String(name, minimum, maximum); ok {
				*to = v
			}
		}, func() { *to = "" })
	}
	date := func(name string, to *string) {
		set(name, func() {
			if v, ok := r.Date(name); ok {
				*to = v
			}
		}, func() { *to = "" })
	}
	count := func(name string, to **int64) {
		set(name, func() {
			if v, ok := r.Integer(name, 0, maxAttendees); ok {
				*to = &v
			}
		}, func() { *to = nil })
	}
	if v, ok := r.String("title", 1, 200); ok {
		event.Title = v
	}
	date("startDate", &event.StartDate)
	date("endDate", &event.EndDate)
	count("attendees", &event.Attendees)
	count("virtualAttendees", &event.VirtualAttendees)
	set("country", func() {
		if v, ok := r.Country("country"); ok {
			event.Country = v
		}
	}, func() { event.Country = "" })
	set("place", func() { readPlace(r, event, isNew) }, func() { event.Place, event.Location = "", footprint.Venue{} })
	set("timezone", func() { readTimezone(r, event) }, func() { event.Timezone = "" })
	text("description", &event.Description, 0, maxDescription)
	set("boundary", func() { readBoundary(r, event) }, func() { event.Boundary = nil })
	set("externalReference", func() { readEventReference(r, event) }, func() { event.Reference = "" })
	set("metadata", func() {
		if v, ok := r.StringMap("metadata", maxMetadata, maxMetadatum); ok {
			event.Metadata = v
		}
	}, func() { event.Metadata = nil })
	set("compensation", func() { readCompensation(r, event) }, func() { event.Compensation = nil })
	set("method", func() { readMethod(r, event) }, func() {
		engine := event.Method.Engine
		event.Method = record.DefaultMethod
		event.Method.Engine = engine // a default does not reset a chosen engine
	})
	set("team", func() { readTeam(r, event) }, func() { event.Team = nil })
	if event.StartDate != "" && event.EndDate != "" && event.EndDate < event.StartDate {
		r.Fault(apperr.Detail{Field: "endDate", Code: fields.OutOfRange,
			Message: fmt.Sprintf("endDate must be on or after startDate (%s); got %s.", event.StartDate, event.EndDate)})
	}
}

// readPlace resolves the place of an event in its country. An event that does not exist has no
// country, so only the format is checked.
func readPlace(r *fields.Reader, event *record.Event, isNew bool) {
	text, ok := r.String("place", 1, places.MaxText)
	if !ok || !isNew && event.ID == "" {
		return
	}
	venue, _, detail := footprint.ResolveVenue(text, event.Country)
	if detail != nil {
		r.Fault(*detail)
		return
	}
	event.Place, event.Location = text, venue
}

// placeNotices returns what was assumed about the place in a body.
func placeNotices(r *fields.Reader, event record.Event) (notices []fields.Notice) {
	if !r.Has("place") || event.Place == "" {
		return nil
	}
	_, assumed, _ := footprint.ResolveVenue(event.Place, event.Country)
	for _, n := range assumed {
		notices = append(notices, fields.Notice{Code: n.Code, Message: n.Message, Field: n.Field, Suggestions: n.Suggestions})
	}
	return notices
}

func readEventReference(r *fields.Reader, event *record.Event) {
	reference, ok := r.String("externalReference", 1, maxReference)
	if !ok {
		return
	}
	if fault, bad := record.BadReference(reference); bad {
		r.Fault(fault)
		return
	}
	event.Reference = reference
}

func readTimezone(r *fields.Reader, event *record.Event) {
	name, ok := r.String("timezone", 1, 64)
	if !ok {
		return
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		r.Fault(apperr.Detail{Field: "timezone", Code: fields.UnknownCode,
			Message: fmt.Sprintf("timezone must be a name from the IANA time zone database, such as Europe/London; got %q.", name)})
		return
	}
	event.Timezone = name
}

func readMethod(r *fields.Reader, event *record.Event) {
	m, ok := r.Object("method")
	if !ok {
		return
	}
	method := record.DefaultMethod
	if v, ok := m.Bool("radiativeForcing"); ok {
		method.RadiativeForcing = v
	}
	if v, ok := m.Enum("gwp", "published", "AR6"); ok {
		method.GWP = v
	}
	// Another method does not reset a chosen engine.
	method.Engine = event.Method.Engine
	if v, ok := m.Enum("engine", footprint.Engines()...); ok {
		method.Engine = footprint.Pin(v)
	}
	event.Method = method
}
