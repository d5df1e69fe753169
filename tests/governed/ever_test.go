package governed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// rule sets the policy as a single administrator may.
func (s *system) rule(policy map[string]any) {
	s.t.Helper()
	s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPatch, "/organization", "ada", map[string]any{"policy": policy}))
}

// patch changes the number of attendees as a manager.
func (s *system) patch(attendees int, more ...string) answer {
	s.t.Helper()
	body := map[string]any{"attendees": attendees}
	if len(more) > 0 {
		body["comment"] = more[0]
	}
	return s.ask(s.recordsApp, http.MethodPatch, base, "mia", body)
}

// TestNobodyMovesAnApprovedFigureAlone verifies that one person cannot move an approved
// figure by reopening the records, changing the event, and letting the policy approve
// them again.
func TestNobodyMovesAnApprovedFigureAlone(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.rule(map[string]any{"fourEyes": true, "requireReason": true, "autoApproveBelowKg": 1_000_000})
			s.want(http.StatusOK, s.patch(110)) // nothing was ever approved
			a := s.want(http.StatusCreated, s.ask(s.recordsApp, http.MethodPost, base+"/waste", "ursula", fieldsOf(line{typ: "waste", amount: 1}, "first")))
			path := base + "/waste/" + fmt.Sprint(a.data["_id"])
			submit := func() any {
				t.Helper()
				return s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPost, path+"/submit", "mia", nil)).data["status"]
			}
			if got := submit(); got != "approved" {
				t.Fatalf("a record created by another user is %v", got)
			}
			s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, path+"/reopen", "mia", map[string]any{"comment": "Look again."}))
			if a := s.patch(10_000); a.code != "VALIDATION_ERROR" {
				t.Errorf("without a reason: %d %s", a.status, a.body)
			}
			s.want(http.StatusAccepted, s.patch(10_000, "More came."))
			if got := submit(); got != "submitted" {
				t.Errorf("the policy approved what a person has reopened: it is %v", got)
			}
			s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, path+"/approve", "max", nil))
			// Deleting the approved record does not remove the fact that there was a
			// figure.
			s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, path+"/reopen", "mia", map[string]any{"comment": "Twice."}))
			s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodDelete, path, "mia", nil))
			s.want(http.StatusAccepted, s.patch(10_000, "More came."))
		})
	}
}

// TestNobodyMovesTheFigurePerParticipantAlone verifies that the number of remote participants, by which the approved
// total is divided too, is governed like that of attendees, and that a sign-off freezes it.
func TestNobodyMovesTheFigurePerParticipantAlone(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.rule(map[string]any{"fourEyes": true, "requireReason": true})
			remote := func(s *system, n int, more ...string) answer {
				t.Helper()
				body := map[string]any{"virtualAttendees": n}
				if len(more) > 0 {
					body["comment"] = more[0]
				}
				return s.ask(s.recordsApp, http.MethodPatch, base, "mia", body)
			}
			s.want(http.StatusOK, remote(s, 10)) // nothing was ever approved
			s.approved("first", 10)
			s.calculate(-1, false)
			if a := remote(s, 10_000_000); a.code != "VALIDATION_ERROR" {
				t.Errorf("without a reason: %d %s", a.status, a.body)
			}
			s.want(http.StatusAccepted, remote(s, 10_000_000, "They watched."))
			var changes struct {
				Data struct {
					Items []struct {
						ID     string `json:"_id"`
						Effect struct{ Before, After map[string]any }
					}
				}
			}
			listed := s.want(http.StatusOK, s.ask(s.countApp, http.MethodGet, base+"/changes", "max", nil))
			must(t, json.Unmarshal(listed.body, &changes))
			if len(changes.Data.Items) != 1 {
				t.Fatalf("changes: %s", listed.body)
			}
			if e := changes.Data.Items[0].Effect; e.Before["perParticipantKg"] == nil || e.Before["perParticipantKg"] == e.After["perParticipantKg"] {
				t.Errorf("effect: %+v", e)
			}
			free := found(t, open) // no second manager is required, but the change is seen
			free.approved("first", 10)
			free.calculate(-1, false)
			free.want(http.StatusOK, remote(free, 10))
			free.calculate(-1, false)
			if d := free.read("/results/1/diff/2").data; !strings.Contains(fmt.Sprint(d["parts"]), "attendees_changed") || !strings.Contains(fmt.Sprint(d["cause"]), "virtualAttendees") {
				t.Errorf("the difference does not show it: %v, %v", d["parts"], d["cause"])
			}
			signed := found(t, open)
			signed.approved("first", 10)
			signed.signed()
			if a := remote(signed, 10_000_000); a.code != "EVENT_SIGNED" {
				t.Errorf("of a signed event: %d %s", a.status, a.body)
			}
		})
	}
}

// TestAnApprovalWhileAChangeIsDecided verifies that an approval between the moment a
// change counts approved records and its write is not missed: the change is decided
// again.
func TestAnApprovalWhileAChangeIsDecided(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.rule(map[string]any{"fourEyes": true})
			happened := false
			s.process.counted = func() {
				happened = true
				s.approved("first", 10)
			}
			s.want(http.StatusAccepted, s.patch(10_000))
			if !happened {
				t.Error("nothing was counted")
			}
		})
	}
}

// TestEventsFromBeforeAreGovernedByWhatIsApproved verifies that an event older than the
// flag EverApproved is governed by its approved records, and gets the flag as soon as
// one is reopened.
func TestEventsFromBeforeAreGovernedByWhatIsApproved(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.rule(map[string]any{"fourEyes": true})
			flow := record.Workflow{Store: s.records, History: s.records, Now: s.now, NewMark: func() string { return record.NewMark(s.now()) }}
			a := s.want(http.StatusCreated, s.ask(s.recordsApp, http.MethodPost, base+"/waste", "ursula", fieldsOf(line{typ: "waste", amount: 1}, "old")))
			key := record.Key{Event: event, Type: "waste", ID: record.ID(fmt.Sprint(a.data["_id"]))}
			for _, m := range []record.Move{record.Submit, record.Approve} {
				_, err := flow.Apply(t.Context(), record.Request{Org: org, Key: key, Move: m, By: actor("max")})
				must(t, err)
			}
			s.want(http.StatusAccepted, s.patch(10_000))
			s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, base+"/waste/"+string(key.ID)+"/reopen", "mia", map[string]any{"comment": "Look again."}))
			s.want(http.StatusAccepted, s.patch(20_000))
		})
	}
}

// TestNobodyApprovesAFigureThatTheyHaveNotSeen: the entity tag of a record does not approve it in another context of its
// event, where it counts for something else.
func TestNobodyApprovesAFigureThatTheyHaveNotSeen(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.rule(map[string]any{"fourEyes": true})
			id := s.submitted("venue", map[string]any{"electricityKWh": 1000})
			path := base + "/venue/" + id
			tag := func() string {
				t.Helper()
				e, err := s.records.Event(t.Context(), org, event)
				must(t, err)
				r, err := s.records.Record(t.Context(), org, record.Key{Event: event, Type: "venue", ID: record.ID(id)})
				must(t, err)
				return r.Under(e).ETag()
			}
			seen := tag()
			s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPatch, base, "mia", map[string]any{"method": map[string]any{"gwp": "AR6"}})) // nothing is approved yet
			if a := s.ask(s.reviewApp, http.MethodPost, path+"/approve", "max", nil, "If-Match", seen); a.code != "PRECONDITION_FAILED" {
				t.Errorf("approved as seen before the event was changed: %d %s", a.status, a.body)
			}
			s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, path+"/approve", "max", nil, "If-Match", tag()))
		})
	}
}

// TestNobodyApprovesManyFiguresThatTheyHaveNotSeen: the same of several records at once, as the console approves.
func TestNobodyApprovesManyFiguresThatTheyHaveNotSeen(t *testing.T) {
	t.Parallel()
	for name, open := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := found(t, open)
			s.rule(map[string]any{"fourEyes": true})
			var ids []string
			for _, passengers := range []int{1, 2} {
				ids = append(ids, s.submitted("flights", map[string]any{"from": "LHR", "to": "JFK", "class": "economy", "passengers": passengers}))
			}
			figures := func() map[string]any {
				t.Helper()
				all := map[string]any{}
				for _, id := range ids {
					a := s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodGet, base+"/flights/"+id, "max", nil))
					all[id] = a.data["footprint"].(map[string]any)["kgCO2e"]
				}
				return all
			}
			seen := figures()
			s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPatch, base, "mia", map[string]any{"method": map[string]any{"radiativeForcing": false}})) // nothing is approved yet
			now := figures()
			if seen[ids[0]] == now[ids[0]] {
				t.Fatalf("the change of the event moves no figure: %v", now)
			}
			approve := func(figures map[string]any, header ...string) (approved int, codes []string) {
				t.Helper()
				a := s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, base+"/review/approve", "max", map[string]any{"ids": ids, "figures": figures}, header...))
				for _, item := range a.data["items"].([]any) {
					if e, ok := item.(map[string]any)["error"].(map[string]any); ok {
						codes = append(codes, fmt.Sprint(e["code"]))
					} else {
						approved++
					}
				}
				return approved, codes
			}
			if n, codes := approve(seen, "X-Dry-Run", "true"); n != 0 || len(codes) != 2 {
				t.Errorf("a dry run approves as seen before the event was changed: %d, %v", n, codes)
			}
			if n, codes := approve(seen); n != 0 || !slices.Equal(codes, []string{"PRECONDITION_FAILED", "PRECONDITION_FAILED"}) {
				t.Errorf("approved as seen before the event was changed: %d, %v", n, codes)
			}
			if n, codes := approve(map[string]any{ids[1]: now[ids[1]]}); n != 1 || !slices.Equal(codes, []string{"PRECONDITION_FAILED"}) {
				t.Errorf("one of two as seen: %d, %v", n, codes)
			}
		})
	}
}
