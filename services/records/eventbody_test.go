package records

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

func TestEventBody(t *testing.T) {
	t.Parallel()
	attendees := int64(100)
	stored := record.Event{Title: "Old", StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: &attendees, Country: "GB",
		Timezone: "Europe/London", Description: "text", Boundary: json.RawMessage(`{}`), Method: record.Method{GWP: "AR6"},
		VirtualAttendees: &attendees, Place: "Lyon", Location: footprint.Venue{Code: "LYS"}, Reference: "r", Metadata: map[string]string{"a": "b"}}
	for name, c := range map[string]struct {
		body   string
		isNew  bool
		faults []string // field and code
		check  func(record.Event) bool
	}{
		"all fields": {isNew: true, body: `{"title":"T","startDate":"2026-01-01","endDate":"2026-01-01","attendees":5,"virtualAttendees":0,
			"country":"fr","place":"Lyon","location":{"name":"Mars"},"timezone":"Europe/Paris","description":"d","boundary":{"included":["flights"],"excluded":[{"type":"waste","reason":"r"}]},
			"method":{"radiativeForcing":false,"gwp":"AR6"},"createdBy":"me","factorSet":"x","revision":7,"unknown":1}`,
			check: func(e record.Event) bool {
				return e.Country == "FR" && *e.Attendees == 5 && *e.VirtualAttendees == 0 && !e.Method.RadiativeForcing && e.Method.GWP == "AR6" &&
					e.FactorSet == "" && e.Rev == 0 && e.Place == "Lyon" && e.Location.Country == "FR" && e.Location.Code == "LYS" && e.Location.Area && string(e.Boundary) == `{"included":["flights"],"excluded":[{"type":"waste","reason":"r"}]}`
			}},
		"an empty body of a new event": {isNew: true, faults: []string{"title REQUIRED"}},
		"an empty change":              {check: func(e record.Event) bool { return e.Title == "Old" }},
		"null takes away": {body: `{"attendees":null,"virtualAttendees":null,"country":null,"description":null,"timezone":null,"boundary":null,"method":null,"startDate":null,"endDate":null,
			"place":null,"externalReference":null,"metadata":null}`, check: func(e record.Event) bool {
			return reflect.DeepEqual(e, record.Event{Title: "Old", Method: record.DefaultMethod})
		}},
		"a title cannot be taken away":   {body: `{"title":null}`, faults: []string{"title REQUIRED"}},
		"an end before the stored start": {body: `{"endDate":"2026-06-09"}`, faults: []string{"endDate OUT_OF_RANGE"}},
		"all faults at once":             {body: `{"title":"","startDate":"2026-02-30","attendees":-1,"country":"ZZ","timezone":"Mars/Olympus","method":{"gwp":"AR9"}}`, faults: []string{"title TOO_SHORT", "startDate BAD_FORMAT", "attendees OUT_OF_RANGE", "country UNKNOWN_CODE", "timezone UNKNOWN_CODE", "method.gwp NOT_ALLOWED"}},
		"types are not guessed":          {body: `{"title":5,"attendees":"7","method":[]}`, faults: []string{"title WRONG_TYPE", "attendees WRONG_TYPE", "method WRONG_TYPE"}},
		"a code of a place stays a code": {isNew: true, body: `{"title":"T","place":"LHR"}`, check: func(e record.Event) bool {
			return e.Location.Code == "LHR" && !e.Location.Area && e.Location.Latitude != ""
		}},
		"a place of several meanings": {isNew: true, body: `{"title":"T","place":"Newcastle"}`, faults: []string{"place AMBIGUOUS_PLACE"}},
		"a place that is not known":   {isNew: true, body: `{"title":"T","place":"Qwertzuiopville"}`, faults: []string{"place UNKNOWN_PLACE"}},
		"a boundary needs reasons":    {body: `{"boundary":{"excluded":[{"type":"waste"}]}}`, faults: []string{"boundary.excluded[0].reason REQUIRED"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event := stored
			if c.isNew {
				event = record.Event{Method: record.DefaultMethod}
			}
			r, err := fields.Parse([]byte(c.body))
			if r == nil {
				t.Fatal(err)
			}
			readEvent(r, &event, c.isNew)
			err = r.Err()
			var e *apperr.Error
			if errors.As(err, &e) != (len(c.faults) > 0) {
				t.Fatalf("error %v", err)
			}
			var got []string
			if e != nil {
				for _, d := range e.Details {
					got = append(got, d.Field+" "+d.Code)
				}
			}
			for _, want := range c.faults {
				found := false
				for _, g := range got {
					found = found || g == want
				}
				if !found || len(got) != len(c.faults) {
					t.Fatalf("faults %v, want %v", got, c.faults)
				}
			}
			if c.check != nil && !c.check(event) {
				t.Errorf("event %+v", event)
			}
		})
	}
}
