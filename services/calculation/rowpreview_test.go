package calculation_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// rows requests the sums of the event with rows that are not stored.
func (s *service) rows(token, after string, items ...map[string]any) reply {
	s.t.Helper()
	if items == nil {
		items = []map[string]any{}
	}
	body := map[string]any{"items": items}
	if after != "" {
		body["after"] = after
	}
	return s.call(http.MethodPost, "/api/v2/events/e1/results/preview", token, body)
}

func waste(kg int) map[string]any {
	return map[string]any{"type": "waste", "fields": map[string]any{"treatment": "landfill", "weightKg": kg}}
}

// TestRowsCountAsTheyWillOnceApproved compares every sum of a preview of rows with
// the result after the same rows were stored and approved.
func TestRowsCountAsTheyWillOnceApproved(t *testing.T) {
	t.Parallel()
	s := start(t)
	if a := s.rows("org1.user", "").want(http.StatusOK); a.data("all", "records") != "0" || a.data("all", "total", "kgCO2e") != "0.000000" {
		t.Fatalf("of nothing: %.400s", a.body)
	}
	s.rows("org1.viewer", "").wantError(http.StatusForbidden, "FORBIDDEN")
	s.rows("org2.admin", "").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")

	s.add("venue", `{"electricityKWh":1000}`, record.Approved)
	s.settle()
	waiting := s.add("waste", `{"treatment":"landfill","weightKg":50}`, record.Submitted)
	draft := s.add("waste", `{"treatment":"landfill","weightKg":7}`, record.Unsubmitted)
	changed := waste(900)
	changed["recordId"] = string(draft.ID)
	flight := map[string]any{"type": "flights", "fields": map[string]any{"from": "LHR", "to": "JFK", "passengers": 3}}
	wrong := map[string]any{"type": "flights", "fields": map[string]any{"from": "LHR", "to": "JKF", "passengers": 3}}

	stored := s.rows("org1.user", "").want(http.StatusOK)
	a := s.rows("org1.user", "", changed, flight, wrong).want(http.StatusOK)
	if a.data("approved") != stored.data("approved") || a.data("waiting") != stored.data("waiting") ||
		a.data("drafts", "records") != "2" || stored.data("drafts", "records") != "1" || a.data("all", "records") != "4" {
		t.Fatalf("%.900s", a.body)
	}
	if a.data("rows", 2, "error", "code") != "VALIDATION_ERROR" || !strings.Contains(a.data("rows", 2, "error", "details"), "items[2].fields.to") {
		t.Errorf("the fault of a row: %s", a.data("rows", 2))
	}

	told := s.call(http.MethodPost, "/api/v2/events/e1/results/preview", "org1.user", map[string]any{"items": []any{flight}, "explain": true}).want(http.StatusOK)
	if told.count("rows", 0, "lines") == 0 || told.data("rows", 0, "lines", 0, "factor", "source") == "" || !strings.Contains(told.data("rows", 0, "lines", 0, "formula"), "passenger") {
		t.Errorf("a row in words: %.900s", told.body)
	}
	// Only the first row is approved.
	approve := func(r record.Record) {
		if r.Status == record.Unsubmitted {
			r = s.move(r, record.Submit)
		}
		s.move(r, record.Approve)
	}
	s.add("waste", `{"treatment":"landfill","weightKg":900}`, record.Approved)
	s.settle()
	if got := s.of("").want(http.StatusOK).data("total"); got != a.data("rows", 0, "approvedWith") {
		t.Errorf("approved with the row: foretold %s, came %s", a.data("rows", 0, "approvedWith"), got)
	}
	approve(waiting)
	s.add("flights", `{"from":"LHR","to":"JFK","passengers":3}`, record.Approved)
	s.settle()
	if got := s.of("").want(http.StatusOK).data("total"); got != a.data("all", "total") {
		t.Errorf("all: foretold %s, came %s", a.data("all", "total"), got)
	}
	// A decided record is not a draft.
	approve(draft)
	gone := s.rows("org1.user", "", changed).want(http.StatusOK)
	if gone.data("rows", 0, "error", "code") != "INVALID_TRANSITION" || gone.data("drafts", "records") != "0" {
		t.Errorf("a row of a record that is approved: %.600s", gone.body)
	}
}

// TestPartsOfRowsAddUp: the sums of rows in parts equal those of all at once.
func TestPartsOfRowsAddUp(t *testing.T) {
	t.Parallel()
	s := start(t)
	draft := s.add("waste", `{"treatment":"landfill","weightKg":7}`, record.Unsubmitted)
	s.add("waste", `{"treatment":"landfill","weightKg":11}`, record.Unsubmitted)
	var items []map[string]any
	for n := range 100 {
		items = append(items, waste(n+1))
	}
	items[0]["recordId"] = string(draft.ID)
	whole := s.rows("org1.user", "", items...).want(http.StatusOK)
	if whole.data("drafts", "records") != "101" {
		t.Fatalf("%s drafts", whole.data("drafts", "records"))
	}
	after := ""
	var last reply
	for n := 0; n < len(items); n += 30 {
		last = s.rows("org1.user", after, items[n:min(n+30, len(items))]...).want(http.StatusOK)
		after = last.data("sum")
	}
	if last.data("drafts") != whole.data("drafts") || last.data("all") != whole.data("all") {
		t.Errorf("in parts %s, at once %s", last.data("drafts"), whole.data("drafts"))
	}
	tooMany := append(items, waste(1))
	s.rows("org1.user", "", tooMany...).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	for _, bad := range []string{"x", "!!", base64.RawURLEncoding.EncodeToString([]byte(`{"sum":{"total":"9"}}`)), after[:len(after)/2]} {
		if a := s.rows("org1.user", bad, waste(1)).wantError(http.StatusBadRequest, "VALIDATION_ERROR"); a.text("error", "details", 0, "field") != "after" {
			t.Errorf("%s", a.body)
		}
	}
	for i, row := range []map[string]any{{"type": "wast", "fields": map[string]any{}}, {"type": "waste"}, {"fields": map[string]any{}}, {"type": "waste", "fields": []string{"x"}}} {
		if a := s.rows("org1.user", "", waste(1), row).wantError(http.StatusBadRequest, "VALIDATION_ERROR"); !strings.HasPrefix(fmt.Sprint(a.text("error", "details", 0, "field")), "items[1].") {
			t.Errorf("row %d: %s", i, a.body)
		}
	}
}

// TestADraftIsReplacedByOneRow: two rows with one recordId would both count, and are refused, also in different parts.
func TestADraftIsReplacedByOneRow(t *testing.T) {
	t.Parallel()
	s := start(t)
	draft := s.add("waste", `{"treatment":"landfill","weightKg":7}`, record.Unsubmitted)
	of := func(kg int) map[string]any {
		row := waste(kg)
		row["recordId"] = string(draft.ID)
		return row
	}
	refused := func(after, field, message string, rows ...map[string]any) {
		t.Helper()
		a := s.rows("org1.user", after, rows...).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		if a.text("error", "details", 0, "field") != field || a.text("error", "details", 0, "code") != "DUPLICATE_KEY" || !strings.Contains(a.text("error", "details", 0, "message"), message) {
			t.Errorf("%s", a.body)
		}
	}
	refused("", "items[2].recordId", "items[2].recordId repeats items[0].recordId.", of(1), waste(2), of(3))
	first := s.rows("org1.user", "", waste(1), of(2)).want(http.StatusOK)
	second := s.rows("org1.user", first.data("sum"), waste(3)).want(http.StatusOK)
	if second.data("drafts", "records") != "3" {
		t.Errorf("%s drafts", second.data("drafts", "records"))
	}
	refused(second.data("sum"), "items[0].recordId", "repeats that of row 2 of all parts.", of(4))
}
