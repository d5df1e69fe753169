package calculation_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestAProposalAboutTheTeam moves no figure: unlike any other one it has no effect and does not become stale with the
// figures, it can be approved while the event is signed, and an administrator outside of the team decides on it too.
func TestAProposalAboutTheTeam(t *testing.T) {
	t.Parallel()
	const (
		administrator = "org1.admin"
		proposer      = manager + ", who proposed it"
	)
	team := func(e *record.Event) {
		e.Team = append(e.Team, record.TeamMember{ID: "u-new", Role: record.TeamViewer})
	}
	attendees := func(e *record.Event) { n := int64(77); e.Attendees = &n }
	both := func(e *record.Event) { team(e); attendees(e) }
	figuresMove := func(s *service) {
		s.add("waste", `{"treatment":"landfill","weightKg":500}`, record.Approved)
		s.settle()
	}
	contextMoves := func(s *service) {
		s.change(func(e *record.Event) { e.Country = "DE" })
		s.settle()
	}
	signed := func(s *service) {
		ev := s.eventNow()
		ev.Gate, ev.Rev = record.Gate{State: record.GateSigned, Epoch: 1}, ev.Rev+1
		if err := s.records.ReplaceEvent(s.t.Context(), org, ev, ev.Rev-1); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		proposed func(*record.Event)
		then     func(*service)
		by       string
		status   int
		code     string
	}{
		"the team":                          {team, nil, manager, http.StatusOK, ""},
		"the team, figures move":            {team, figuresMove, manager, http.StatusOK, ""},
		"the team, the context moves":       {team, contextMoves, manager, http.StatusOK, ""},
		"the team, signed":                  {team, signed, manager, http.StatusOK, ""},
		"the team, by an administrator":     {team, nil, administrator, http.StatusOK, ""},
		"attendees":                         {attendees, nil, manager, http.StatusOK, ""},
		"attendees, figures move":           {attendees, figuresMove, manager, http.StatusConflict, "PROPOSAL_STALE"},
		"attendees, the context moves":      {attendees, contextMoves, manager, http.StatusConflict, "PROPOSAL_STALE"},
		"attendees, signed":                 {attendees, signed, manager, http.StatusConflict, "EVENT_SIGNED"},
		"attendees, by an administrator":    {attendees, nil, administrator, http.StatusForbidden, "FORBIDDEN"},
		"team, attendees, figures move":     {both, figuresMove, manager, http.StatusConflict, "PROPOSAL_STALE"},
		"team, attendees, an administrator": {both, nil, administrator, http.StatusForbidden, "FORBIDDEN"},
		"team, attendees, signed":           {both, signed, manager, http.StatusConflict, "EVENT_SIGNED"},
		"the team, by its proposer":         {team, nil, proposer, http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN"},
		"attendees, by their proposer":      {attendees, nil, proposer, http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
			s.change(func(e *record.Event) {
				e.Team = []record.TeamMember{{ID: "u-manager", Role: record.TeamReviewer}, {ID: "u-other", Role: record.TeamReviewer}}
			})
			s.settle()
			// As the services propose it: without a change of the context.
			ev := s.eventNow()
			after := ev
			after.Team = append([]record.TeamMember{}, ev.Team...)
			c.proposed(&after)
			by, from := c.by, "u-other"
			if by == proposer {
				by, from = manager, "u-manager"
			}
			p := record.Proposal{ID: "p1", Kind: record.EventChanged, By: record.Actor{ID: from, Role: someManager.Role}, At: s.now().UTC(),
				Changed: record.EventChanges(ev, after), ContextRev: ev.ContextRev, ResultRevision: 1}
			if record.Governed(p.Changed) {
				p.Effect = json.RawMessage(`{"differenceKgCO2e":"0.000000"}`)
			}
			if err := ev.AddProposal(p); err != nil {
				t.Fatal(err)
			}
			ev.Rev++
			if err := s.records.ReplaceEvent(t.Context(), org, ev, ev.Rev-1); err != nil {
				t.Fatal(err)
			}
			if c.then != nil {
				c.then(s)
			}
			listed := s.call(http.MethodGet, "/api/v2/events/e1/changes", manager, nil).want(http.StatusOK)
			if stale := listed.data("items", 0, "stale") == "true"; stale != (c.code == "PROPOSAL_STALE") {
				t.Errorf("listed as stale: %t", stale)
			}
			if effect := listed.data("items", 0, "effect") != "<nil>"; effect != record.Governed(p.Changed) {
				t.Errorf("listed with an effect: %t", effect)
			}
			a := s.call(http.MethodPost, "/api/v2/events/e1/changes/p1/approve", by, nil).want(c.status)
			if c.code != "" && a.text("error", "code") != c.code {
				t.Errorf("%s, want %s", a.body, c.code)
			}
			if now := s.eventNow(); (len(now.Proposals) == 0) != (c.code == "") {
				t.Errorf("%d open proposals", len(now.Proposals))
			} else if is := record.EventChanges(now, after); c.code == "" && c.then == nil && len(is) > 0 {
				t.Errorf("what was approved is not made: %+v", is)
			}
		})
	}
}
