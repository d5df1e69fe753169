package calculation_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// alter modifies the stored result, as a write to the database could.
func (s *service) alter(change func(*resulttree.Result)) {
	s.t.Helper()
	r, err := s.results.Result(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	version := r.Version
	change(&r)
	r.Version++
	if err := s.results.PutResult(s.t.Context(), r, version); err != nil {
		s.t.Fatal(err)
	}
}

// TestReportIsOnlyOfWhatItRecomputes: a stored figure that does not follow from the records is not reported.
func TestReportIsOnlyOfWhatItRecomputes(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	evaluation, err := footprint.Evaluate("waste", json.RawMessage(`{"treatment":"landfill","weightKg":1}`), s.event.Context())
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(total.Of(&evaluation))
	if err != nil {
		t.Fatal(err)
	}
	s.alter(func(r *resulttree.Result) { r.Contribution = other })
	s.of("/report").wantError(http.StatusInternalServerError, "INTERNAL")
	s.alter(func(r *resulttree.Result) { r.EngineVersion = "0.9.0" })
	a := s.of("/report").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	if a.text("error", "details", 0, "code") != "OTHER_ENGINE" {
		t.Errorf("%s", a.body)
	}
	s.alter(func(r *resulttree.Result) { r.InputsHash = "0" })
	s.of("/report").wantError(http.StatusServiceUnavailable, "UNAVAILABLE")
}

// TestEventsTooLargeToBeReadTogether are refused, not read.
func TestEventsTooLargeToBeReadTogether(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	s.alter(func(r *resulttree.Result) {
		r.Contribution = bytes.Replace(r.Contribution, []byte(`"records":8`), []byte(`"records":120001`), 1)
	})
	before := s.records.approved.Load()
	a := s.of("/report").wantError(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	if a.text("error", "details", 0, "code") != "TOO_MANY_RECORDS" {
		t.Errorf("%s", a.body)
	}
	if result := s.of("").want(http.StatusOK); codes(result) != "CROSS_CHECKS_LEFT_OUT" {
		t.Errorf("findings: %s", codes(result))
	}
	if s.records.approved.Load() != before {
		t.Error("records were read")
	}
	// Another factor set is worked out a segment at a time, of any number of
	// records; but of no others than those of the result.
	_, older := twoSets(t)
	adopt := func() reply {
		return s.call(http.MethodPost, "/api/v2/events/e1/factor-set", "org1.manager", map[string]any{"factorSet": older}, "X-Dry-Run", "true")
	}
	adopt().want(http.StatusOK)
	s.alter(func(r *resulttree.Result) { r.InputsHash = "0" })
	adopt().wantError(http.StatusServiceUnavailable, "UNAVAILABLE")
}
