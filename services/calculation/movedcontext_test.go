package calculation_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// figureNow is the figure of a stored record in the event's current context.
func (s *service) figureNow(r record.Record) string {
	s.t.Helper()
	preview, _, err := record.Evaluate(r.Type, r.Fields, nil, s.eventNow().Context())
	if err != nil {
		s.t.Fatal(err)
	}
	var figure struct {
		KgCO2e json.Number `json:"kgCO2e"`
	}
	if err := json.Unmarshal(preview, &figure); err != nil {
		s.t.Fatal(err)
	}
	return figure.KgCO2e.String()
}

// TestFiguresAfterTheEventHasAnotherSet: the records that wait and the drafts are shown and added up in the event's new
// context at once, while the result of the approved ones is still that of the former one, which the answers say.
func TestFiguresAfterTheEventHasAnotherSet(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, older := twoSets(t)
	s.add("waste", `{"treatment":"landfill","weightKg":320}`, record.Approved)
	s.settle()
	waiting := s.add("venue", `{"electricityKWh":1000}`, record.Submitted)
	draft := s.add("venue", `{"electricityKWh":77}`, record.Unsubmitted)
	formerly := map[string]string{"waiting": s.figureNow(waiting), "draft": s.figureNow(draft)}
	part := s.rows("org1.user", "", waste(1)).want(http.StatusOK).data("sum")

	adopt := func(set string) {
		t.Helper()
		s.call(http.MethodPost, "/api/v2/events/e1/factor-set", "org1.manager", map[string]any{"factorSet": set}).want(http.StatusOK)
	}
	adopt(older)
	if s.figureNow(waiting) == formerly["waiting"] || s.figureNow(draft) == formerly["draft"] {
		t.Fatal("the other set has the same figures")
	}
	for _, status := range []string{"recalculating", "current"} {
		if status == "current" {
			s.settle()
		}
		foretold := s.preview().want(http.StatusOK)
		if got := foretold.data("queue", "kgCO2e"); got != s.figureNow(waiting) || foretold.data("basedOn", "status") != status || foretold.data("factorSet", "id") != older {
			t.Errorf("%s: what waits is %s, want %s: %.600s", status, got, s.figureNow(waiting), foretold.body)
		}
		queue := s.queue("/events/e1/review", "org1.manager").want(http.StatusOK)
		for _, member := range []string{"footprint", "review"} {
			if got := queue.data("items", 0, member, "kgCO2e"); got != s.figureNow(waiting) {
				t.Errorf("%s: %s of the queue is %s, want %s", status, member, got, s.figureNow(waiting))
			}
		}
		rows := s.rows("org1.user", "").want(http.StatusOK)
		if rows.data("status") != status || rows.data("drafts", "total", "kgCO2e") != s.figureNow(draft) || rows.data("waiting", "total", "kgCO2e") != s.figureNow(waiting) {
			t.Errorf("%s: the sums are %.900s", status, rows.body)
		}
		// Rows counted in one context are not added to those in another.
		changed := s.rows("org1.user", part, waste(1)).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		if changed.text("error", "details", 0, "code") != "EVENT_CHANGED" {
			t.Errorf("%s: a part of the former context: %s", status, changed.body)
		}
	}
}

// TestAPreviewDuringAnotherSet: the event gets another set, and its result is calculated with it, while a preview is
// made with the former one. The answer says that its result is not the one of its figures.
func TestAPreviewDuringAnotherSet(t *testing.T) {
	t.Parallel()
	s := start(t)
	newest, older := twoSets(t)
	s.add("venue", `{"electricityKWh":1000}`, record.Approved)
	s.settle()
	s.add("venue", `{"electricityKWh":77}`, record.Submitted)
	s.records.between = sync.OnceFunc(func() {
		ev := s.eventNow()
		ev.FactorSet, ev.Rev, ev.ContextRev, ev.Mark = older, ev.Rev+1, ev.ContextRev+1, record.NewMark(s.now())
		if err := s.records.ReplaceEvent(t.Context(), org, ev, ev.Rev-1); err != nil {
			t.Fatal(err)
		}
		s.settle()
	})
	if a := s.preview().want(http.StatusOK); a.data("factorSet", "id") != newest || a.data("basedOn", "revision") != "2" || a.data("basedOn", "status") != "recalculating" {
		t.Errorf("made meanwhile: %.600s", a.body)
	}
	if a := s.preview().want(http.StatusOK); a.data("factorSet", "id") != older || a.data("basedOn", "status") != "current" {
		t.Errorf("made afterwards: %.600s", a.body)
	}
}
