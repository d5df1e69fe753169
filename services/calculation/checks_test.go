package calculation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

func codes(a reply) (list string) {
	for i := range a.count("findings") {
		if code := a.data("findings", i, "code"); code != "EXPECTED_COMPANION_MISSING" {
			list += code + " "
		}
	}
	return strings.TrimSpace(list)
}

func TestFindingsFollowTheRecords(t *testing.T) {
	t.Parallel()
	s := start(t)
	flight := `{"from":"LHR","to":"JFK","passengers":2,"class":"economy","date":"2026-06-09","group":"staff"}`
	first := s.add("flights", flight, record.Approved)
	s.settle()
	if a := s.of("").want(http.StatusOK); codes(a) != "" {
		t.Fatalf("one flight: %s", codes(a))
	}
	second := s.add("flights", flight, record.Approved)
	s.settle()
	a := s.of("").want(http.StatusOK)
	if codes(a) != "DUPLICATE_FLIGHT" || a.data("findings", 0, "severity") != "warning" || a.data("findings", 0, "records") != "2" ||
		!strings.Contains(a.data("findings", 0, "recordIds"), string(first.ID)) || !strings.Contains(a.data("findings", 0, "recordIds"), string(second.ID)) {
		t.Fatalf("two flights: %.600s", a.data("findings"))
	}
	// Further requests, by anybody, read no record.
	before := s.records.approved.Load()
	if again := s.of("").want(http.StatusOK); codes(again) != codes(a) || s.records.approved.Load() != before {
		t.Errorf("asked again: %s, %d records read", codes(again), s.records.approved.Load()-before)
	}
	// Findings are no part of the hashed result and move no revision.
	s.move(second, record.Reopen)
	s.settle()
	if a := s.of("").want(http.StatusOK); codes(a) != "" {
		t.Fatalf("reopened: %s", codes(a))
	}
	// The event's own fields are checked too.
	ev, err := s.records.Event(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	before, rev := s.records.approved.Load(), ev.Rev
	ev.Boundary = []byte(`{"included":[],"excluded":[{"type":"flights","reason":"none"}]}`)
	ev.Rev++
	if err := s.records.ReplaceEvent(t.Context(), org, ev, rev); err != nil {
		t.Fatal(err)
	}
	if a := s.of("").want(http.StatusOK); codes(a) != "EXCLUDED_TYPE_COUNTED" || a.data("revision") != "3" || s.records.approved.Load() != before {
		t.Fatalf("excluded: %s, revision %s, %d records read", codes(a), a.data("revision"), s.records.approved.Load()-before)
	}
}
