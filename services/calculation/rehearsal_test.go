package calculation_test

import (
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestRehearsal compares the response of a dry run with the result before, and verifies that nothing has changed.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	s := start(t)
	try := func(who string, body map[string]any) reply {
		t.Helper()
		return s.call(http.MethodPost, "/api/v2/events/e1/results/rehearsal", who, body)
	}
	none := try("org1.manager", map[string]any{"attendees": 5}).want(http.StatusOK)
	if none.data("before") != "<nil>" || none.data("differenceKgCO2e") != "<nil>" || none.data("basedOnRevision") != "0" {
		t.Errorf("nothing approved: %s", none.body)
	}
	s.add("flights", `{"from":"LHR","to":"JFK","passengers":2}`, record.Approved)
	s.settle()
	current := s.of("").want(http.StatusOK)
	low := try("org1.manager", map[string]any{"method": map[string]any{"radiativeForcing": false}}).want(http.StatusOK)
	if low.data("before", "total", "kgCO2e") != current.data("total", "kgCO2e") || low.data("differenceKgCO2e")[0] != '-' || low.data("basedOnRevision") != "1" {
		t.Errorf("without effects at altitude: %s", low.body)
	}
	more := try("org1.manager", map[string]any{"attendees": 3}).want(http.StatusOK)
	if more.data("differenceKgCO2e") != "0.000000" || more.data("after", "perAttendeeKg") == more.data("before", "perAttendeeKg") {
		t.Errorf("more attendees: %s", more.body)
	}
	if again := s.of("").want(http.StatusOK); again.data("total") != current.data("total") || again.data("revision") != "1" {
		t.Errorf("a rehearsal has moved the figure: %s", again.body)
	}
	try("org1.manager", map[string]any{}).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	try("org1.manager", map[string]any{"factorSet": "none-1900"}).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	try("org1.user", map[string]any{"attendees": 5}).wantError(http.StatusForbidden, "FORBIDDEN")
	try("org2.admin", map[string]any{"attendees": 5}).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
}
