package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// TestNothingVanishesUnsaid verifies that a misspelt or server-owned field of any write
// is named in the response, or refused without storing anything if the client asks for
// that.
func TestNothingVanishesUnsaid(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	user, manager, admin := s.user(t), s.manager(t), s.as(t, "admin@example.test")
	event := manager.post("/events", map[string]any{"title": "Spelling", "country": "GB"}).want(http.StatusCreated).str("_id")
	record := user.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 5}).want(http.StatusCreated).str("_id")
	item := "/events/" + event + "/waste/" + record
	strict := map[string]string{"Prefer": "handling=strict"}
	for name, c := range map[string]struct {
		as           *caller
		method, path string
		body         map[string]any
		field        string // the misspelt field
		suggestion   string
	}{
		"a policy":                {admin, http.MethodPatch, "/organization", map[string]any{"policy": map[string]any{"foureyes": true}}, "policy.foureyes", "policy.fourEyes"},
		"an event":                {manager, http.MethodPatch, "/events/" + event, map[string]any{"atendees": 5}, "atendees", "attendees"},
		"an event in other words": {manager, http.MethodPatch, "/events/" + event, map[string]any{"Online-Teilnehmer": 5}, "Online-Teilnehmer", "virtualAttendees"},
		"a record in other words": {user, http.MethodPatch, item, map[string]any{"entsorgungsweg": "recycling"}, "entsorgungsweg", "treatment"},
		"a method":                {manager, http.MethodPatch, "/events/" + event, map[string]any{"method": map[string]any{"radiativeforcing": true}}, "method.radiativeforcing", "method.radiativeForcing"},
		"a record":                {user, http.MethodPatch, item, map[string]any{"weightkg": 7}, "weightkg", "weightKg"},
		"a user":                  {admin, http.MethodPost, "/users", map[string]any{"email": "jo@example.test", "role": "user", "nmae": "Jo"}, "nmae", "name"},
	} {
		t.Run(name, func(t *testing.T) {
			refused := c.as.do(c.method, c.path, c.body, strict).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
			if got := refused.header.Get("Preference-Applied"); got != "handling=strict" {
				t.Errorf("Preference-Applied %q", got)
			}
			a := c.as.do(c.method, c.path, c.body, nil)
			if a.status != http.StatusOK && a.status != http.StatusCreated {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if code, field, near := a.str("notices", 0, "code"), a.str("notices", 0, "field"), a.str("notices", 0, "suggestions", 0); code != "UNKNOWN_FIELD_IGNORED" || field != c.field || near != c.suggestion {
				t.Errorf("notices %s", a.body)
			}
		})
	}
	if a := manager.do(http.MethodPatch, "/events/"+event, map[string]any{"_id": "x", "title": "Spelling"}, strict).want(http.StatusOK); a.str("notices", 0, "code") != "SERVER_FIELD_IGNORED" {
		t.Errorf("a server-owned field: %s", a.body)
	}
	if a := manager.do(http.MethodPatch, "/events/"+event, map[string]any{"location": "Leeds"}, nil).want(http.StatusOK); !strings.Contains(a.str("notices", 0, "message"), "place sets it") {
		t.Errorf("a server-owned field that another one sets: %s", a.body)
	}
	before := user.get(item).want(http.StatusOK)
	if same := user.do(http.MethodPatch, item, map[string]any{"weightKg": 5}, nil).want(http.StatusOK); same.header.Get("ETag") != before.header.Get("ETag") {
		t.Error("a change without a difference made a revision")
	}
}
