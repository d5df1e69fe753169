package calculation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestAnApprovalDoesNotNameAHiddenEvent: who approves a proposed reference that an event outside their teams
// has learns that it is taken, as the organization has each once, and not by which event.
func TestAnApprovalDoesNotNameAHiddenEvent(t *testing.T) {
	t.Parallel()
	s := start(t)
	hidden, err := s.records.InsertEvent(t.Context(), org, record.Event{
		ID: "hidden-event", Org: org, Title: "Merger", Reference: "CRM-7", Rev: 1, CreatedBy: someManager, CreatedAt: s.now(), UpdatedAt: s.now(),
		Team: []record.TeamMember{{ID: "u-other", Role: record.TeamReviewer}},
	}, record.Unlimited)
	if err != nil {
		t.Fatal(err)
	}
	s.propose("p1", record.EventChanged, func(e *record.Event) { e.Reference = "CRM-7" })
	a := s.call(http.MethodPost, "/api/v2/events/e1/changes/p1/approve", manager, nil).want(http.StatusConflict)
	if text := string(a.body); !strings.Contains(text, "DUPLICATE_REFERENCE") || strings.Contains(text, string(hidden.ID)) || strings.Contains(text, "Merger") {
		t.Errorf("%s", text)
	}
}
