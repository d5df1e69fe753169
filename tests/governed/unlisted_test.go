package governed

import (
	"fmt"
	"net/http"
	"testing"
)

// TestAChangeIsApprovedWithoutALookAtItsEffect verifies that approving a change whose
// effect was never listed approves its effect on the present figures, and is refused
// while the figures are about to change.
func TestAChangeIsApprovedWithoutALookAtItsEffect(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPatch, "/organization", "ada", map[string]any{"policy": map[string]any{"fourEyes": true}}))
			s.approved("first", 10)
			propose := func(attendees int) string {
				a := s.want(http.StatusAccepted, s.ask(s.recordsApp, http.MethodPatch, base, "mia", map[string]any{"attendees": attendees}))
				return base + "/changes/" + fmt.Sprint(a.data["change"].(map[string]any)["_id"])
			}
			change := propose(50)
			// While the result is stale there is nothing to calculate the effect on.
			if a := s.ask(s.countApp, http.MethodPost, change+"/approve", "max", nil); a.status != http.StatusServiceUnavailable {
				t.Errorf("approved while the result is stale: %d %s", a.status, a.body)
			}
			s.calculate(-1, false)
			ev, err := s.records.Event(t.Context(), org, event)
			must(t, err)
			if a := s.ask(s.countApp, http.MethodPost, change+"/approve", "mia", nil); a.code != "SELF_APPROVAL_FORBIDDEN" {
				t.Errorf("approved by its author: %d %s", a.status, a.body)
			}
			s.want(http.StatusOK, s.ask(s.countApp, http.MethodPost, change+"/approve", "max", nil, "X-Dry-Run", "true"))
			a := s.want(http.StatusOK, s.ask(s.countApp, http.MethodPost, change+"/approve", "max", nil, "If-Match", ev.ETag()))
			if fmt.Sprint(a.data["attendees"]) != "50" {
				t.Errorf("%s", a.body)
			}
			// A change that was listed is stale once the event has moved.
			s.calculate(-1, false)
			change = propose(60)
			s.read("/changes")
			s.approved("second", 20)
			s.calculate(-1, false)
			if a := s.ask(s.countApp, http.MethodPost, change+"/approve", "max", nil); a.code != "PROPOSAL_STALE" {
				t.Errorf("approved on figures that have moved: %d %s", a.status, a.body)
			}
		})
	}
}
