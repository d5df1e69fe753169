package calculation_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

const signOffPath = "/api/v2/events/e1/sign-off"

// inAllStates adds two records that wait, three that were sent back, four rejected ones and a draft to a conference.
func (s *service) inAllStates() {
	s.t.Helper()
	s.change(func(ev *record.Event) { ev.Boundary = json.RawMessage(`{"included":["freight"],"excluded":[]}`) }) // which warns
	conference(s)
	waiting := func() record.Record {
		return s.add("waste", `{"treatment":"landfill","weightKg":1}`, record.Submitted)
	}
	waiting()
	s.move(waiting(), record.Review)
	for range 3 {
		s.move(waiting(), record.RequestChanges)
	}
	for range 4 {
		s.move(waiting(), record.Reject)
	}
}

// TestSignOff signs an event and withdraws the sign-off: who asks for another revision or has seen another state of the
// event is refused, a dry run changes nothing, and what is stored is what was said at the time.
func TestSignOff(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.inAllStates()
	sign := func(revision int, header ...string) reply {
		return s.call(http.MethodPost, signOffPath, "org1.manager", map[string]any{"revision": revision, "statement": "As agreed."}, header...)
	}
	tag := s.eventNow().ETag()

	s.add("waste", `{"treatment":"landfill","weightKg":500}`, record.Approved)
	due := sign(1).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	if due.text("error", "details", 0, "code") != "CALCULATION_PENDING" {
		t.Errorf("while the result is due: %s", due.body)
	}
	s.settle()
	for _, other := range []int{1, 3} {
		if a := sign(other).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED"); a.text("error", "details", 0, "code") != "NOT_NEWEST" {
			t.Errorf("revision %d: %s", other, a.body)
		}
	}
	sign(2, "If-Match", `"99.e1"`).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	sign(2, "If-Match", `"99.e1"`, "X-Dry-Run", "true").wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	dry := sign(2, "X-Dry-Run", "true").want(http.StatusOK)
	for field, want := range map[string]string{"revision": "2", "status": "current", "waiting": "2", "changesRequested": "3", "rejected": "4", "unsubmitted": "1", "openChanges": "0"} {
		if got := dry.data("checklist", field); got != want {
			t.Errorf("the checklist says %s: %s, want %s", field, got, want)
		}
	}
	var warnings []any
	findings, _ := s.of("").want(http.StatusOK).at("data", "findings").([]any)
	for _, f := range findings {
		if f.(map[string]any)["severity"] == "warning" {
			warnings = append(warnings, f)
		}
	}
	if got := dry.data("checklist", "warnings"); len(warnings) == 0 || len(warnings) == len(findings) || got != fmt.Sprint(warnings) {
		t.Errorf("the checklist warns of %s, and %d of the %d findings are warnings", got, len(warnings), len(findings))
	}
	if now := s.eventNow(); now.ETag() != tag || dry.header.Get("X-Ecf-Audit") != "" {
		t.Errorf("a dry run changed the event to %+v", now.Gate)
	}

	begun := sign(2, "If-Match", tag).want(http.StatusAccepted)
	if begun.header.Get("ETag") == tag || begun.header.Get("X-Ecf-Audit") == "" || begun.data("checklist") != dry.data("checklist") {
		t.Errorf("the sign-off begins with %v: %.600s", begun.header, begun.body)
	}
	testkit.Eventually(t, 30*time.Second, func() error {
		if gate := s.eventNow().Gate; gate.State != record.GateSigned {
			return fmt.Errorf("the gate is %+v", gate)
		}
		return nil
	})
	signed := s.eventNow()
	edition := signed.Editions[0]
	var open any
	if err := json.Unmarshal(edition.Open, &open); err != nil {
		t.Fatal(err)
	}
	if edition.Revision != 2 || edition.Edition != 1 || edition.Statement != "As agreed." || edition.By.ID != someManager.ID || edition.FourEyes ||
		edition.At.IsZero() || fmt.Sprint(open.(map[string]any)["warnings"]) != dry.data("checklist", "warnings") {
		t.Errorf("the edition is %+v", edition)
	}
	sign(2).wantError(http.StatusConflict, "EVENT_SIGNED")

	withdraw := func(body any, header ...string) reply {
		return s.call(http.MethodPost, signOffPath+"/withdraw", "org1.manager", body, header...)
	}
	for _, body := range []any{nil, map[string]any{}, map[string]any{"comment": ""}, map[string]any{"comment": nil}} {
		if a := withdraw(body).wantError(http.StatusBadRequest, "VALIDATION_ERROR"); a.text("error", "details", 0, "field") != "comment" {
			t.Errorf("without a comment: %s", a.body)
		}
	}
	comment := map[string]any{"comment": "Too early."}
	withdraw(comment, "If-Match", tag).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	if a := withdraw(comment, "X-Dry-Run", "true").want(http.StatusOK); a.header.Get("X-Ecf-Audit") != "" || s.eventNow().ETag() != signed.ETag() {
		t.Errorf("a dry run withdrew the sign-off: %v", a.header)
	}
	withdrawn := withdraw(comment, "If-Match", signed.ETag()).want(http.StatusOK)
	now := s.eventNow()
	if withdrawn.header.Get("ETag") != now.ETag() || withdrawn.header.Get("X-Ecf-Audit") == "" || now.Gate.State != record.GateOpen || now.Gate.Epoch <= signed.Gate.Epoch {
		t.Errorf("withdrawn: %v, %+v", withdrawn.header, now.Gate)
	}
	if w := now.Editions[0].Withdrawn; w == nil || w.By.ID != someManager.ID || w.Comment != "Too early." || w.At.IsZero() {
		t.Errorf("the withdrawal is %+v", w)
	}
	withdraw(comment).wantError(http.StatusConflict, "INVALID_TRANSITION")
}

// TestTheReportOfASignedEventSaysSo: not only that of the revision, whose documents are kept. Without names it says of nobody
// who signed, and what a change of the title made of it is said beside the signature.
func TestTheReportOfASignedEventSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t)
	if e, err := s.signing(func(*failingRecords, *failingResults) {}); err != nil || e.Gate.State != record.GateSigned {
		t.Fatalf("%v: the gate is %+v", err, e.Gate)
	}
	report := func(query, accept string) string {
		t.Helper()
		return string(s.of("/report"+query, "Accept", accept).want(http.StatusOK).body)
	}
	var b bundle.Bundle
	if err := json.Unmarshal([]byte(report("?names=full", "application/json")), &b); err != nil || b.SignOff == nil || b.SignOff.Edition != 1 || b.SignOff.By.Name != someManager.Name {
		t.Errorf("the bundle: %v, %+v", err, b.SignOff)
	}
	const signed, changed = "as edition 1", "The event was changed in what no figure depends on"
	if page := report("", "text/html"); !strings.Contains(page, "Manager (manager)") || !strings.Contains(page, signed) || strings.Contains(page, "Not signed off") || strings.Contains(page, changed) {
		t.Error("the page does not say who signed")
	}
	if page := report("?names=roles", "text/html"); strings.Contains(page, "Manager (") || strings.Contains(page, "As agreed.") || !strings.Contains(page, signed) {
		t.Error("the page without names names somebody, or does not say that it is signed")
	}
	e := s.eventNow()
	e.Title, e.Last.Action, e.Rev = "Another title", record.EventChanged, e.Rev+1
	if err := s.records.ReplaceEvent(t.Context(), org, e, e.Rev-1); err != nil {
		t.Fatal(err)
	}
	if page := report("", "text/html"); !strings.Contains(page, signed) || !strings.Contains(page, changed) {
		t.Error("a later title is taken for the one that was signed")
	}
}

// TestASignOffOfWhatWasNotSeenIsNotProposed: under four eyes the condition on the event holds for the proposal too.
func TestASignOffOfWhatWasNotSeenIsNotProposed(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	s.settle()
	s.fourEyes()
	body := map[string]any{"revision": 1, "statement": "As agreed."}
	s.call(http.MethodPost, signOffPath, manager, body, "If-Match", `"99.e1"`).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	if open := s.eventNow().Proposals; len(open) > 0 {
		t.Errorf("proposed: %+v", open)
	}
	s.call(http.MethodPost, signOffPath, manager, body, "If-Match", s.eventNow().ETag()).want(http.StatusAccepted)
	if open := s.eventNow().Proposals; len(open) != 1 || open[0].Kind != record.SignedOff {
		t.Errorf("the proposals are %+v", open)
	}
}
