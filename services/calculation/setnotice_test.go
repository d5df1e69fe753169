package calculation_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// setNotice returns the notice about the factor set in a list of notices of a response: code and the set to adopt.
func setNotice(r reply, path ...any) string {
	r.t.Helper()
	var all []string
	for i := range r.count(append(path, "notices")...) {
		at := func(name ...any) string { return r.data(append(append(path, "notices", i), name...)...) }
		if code, ok := strings.CutPrefix(at("code"), "FACTOR_SET_"); ok {
			all = append(all, code+" "+strings.Trim(at("suggestions"), "[]"))
		}
	}
	return strings.Join(all, "|")
}

// TestResultsTellOfTheirSet: an event with a set of another year reports so in its newest result, in its report, and
// in the checklist; the bundle, which others recompute, is unaffected by available sets.
func TestResultsTellOfTheirSet(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.change(func(ev *record.Event) {
		ev.StartDate, ev.EndDate, ev.FactorSet = "2022-06-10", "2022-06-11", "desnz-2024"
	})
	s.add("venue", `{"electricityKWh":1000,"group":"staff"}`, record.Approved)
	s.settle()
	check := func(want, words string) {
		t.Helper()
		if got := setNotice(s.of("").want(http.StatusOK)); got != want {
			t.Errorf("the result says %q, want %q", got, want)
		}
		if page := s.of("/report", "Accept", "text/html").want(http.StatusOK).body; !bytes.Contains(page, []byte(words)) || bytes.Contains(page, []byte("can adopt")) != (words != "") {
			t.Errorf("the page does not say %q, or something else of its set", words)
		}
		report := s.of("/report").want(http.StatusOK).body
		if v, err := bundle.Verify(report); err != nil || len(v.Differences) > 0 {
			t.Errorf("the bundle: %v %v", err, v.Differences)
		}
		if bytes.Contains(report, []byte(footprint.NoticeSetOlder)) || bytes.Contains(report, []byte("can adopt")) {
			t.Errorf("the bundle names a set to adopt")
		}
	}
	check("NEWER_THAN_EVENT desnz-2022", "The event can adopt UK Government GHG conversion factors 2022 (DESNZ), the set of its own year.")
	before := s.of("").data("total", "kgCO2e")

	s.change(func(ev *record.Event) { ev.StartDate, ev.EndDate = "2028-06-10", "2028-06-11" })
	s.settle()
	const older = "OLDER_THAN_EVENT desnz-2026"
	check(older, "The event can adopt UK Government GHG conversion factors 2026 (DESNZ), which is newer.")
	result := s.of("").want(http.StatusOK)
	if got := result.data("total", "kgCO2e"); got != before {
		t.Errorf("the date moved the figure from %s to %s", before, got)
	}
	// A stored revision does not change with the available sets.
	if got := setNotice(s.of("/" + result.data("revision")).want(http.StatusOK)); got != "" {
		t.Errorf("the revision says %q", got)
	}
	s.sign(1, 2)
	if got := setNotice(s.of("/" + result.data("revision")).want(http.StatusOK)); got != older {
		t.Errorf("the signed revision says %q", got)
	}
}

// TestAnAdoptionTellsOfItsSet: the dry run has the same notice about the set as the result after adoption.
func TestAnAdoptionTellsOfItsSet(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("venue", `{"electricityKWh":1000,"group":"staff"}`, record.Approved)
	s.settle()
	adopt := func(set string) reply {
		t.Helper()
		return s.call(http.MethodPost, "/api/v2/events/e1/factor-set", "org1.manager", map[string]any{"factorSet": set}, "X-Dry-Run", "true").want(http.StatusOK)
	}
	if got := setNotice(adopt("desnz-2024"), "after"); got != "OLDER_THAN_EVENT desnz-2026" {
		t.Errorf("adopting an older set: %q", got)
	}
	if got := setNotice(adopt("desnz-2026"), "after"); got != "" {
		t.Errorf("adopting the set of the year: %q", got)
	}
}
