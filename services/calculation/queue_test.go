package calculation_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

func (s *service) queue(path, token string) reply {
	s.t.Helper()
	return s.call(http.MethodGet, "/api/v2"+path, token, nil)
}

// Each item has the data for the decision: kilograms, share, age, and findings.
func TestQueueHelpsToDecide(t *testing.T) {
	t.Parallel()
	s := start(t)
	of := func() reply {
		t.Helper()
		return s.queue("/events/e1/review", "org1.manager").want(http.StatusOK)
	}
	if a := of(); a.data("pagination", "total") != "0" || a.count("items") != 0 {
		t.Errorf("an empty queue: %s", a.body)
	}
	s.add("waste", `{"treatment":"landfill","weightKg":999}`, record.Unsubmitted)
	flight := `{"from":"LHR","to":"JFK","passengers":3,"class":"economy","date":"2026-06-09"}`
	first := s.add("flights", flight, record.Submitted)
	if a := of(); a.data("items", 0, "review", "sharePercent") != "<nil>" || a.data("items", 0, "review", "kgCO2e") != a.data("items", 0, "footprint", "kgCO2e") {
		t.Errorf("before there is a result: %s", a.body)
	}
	counted := s.add("flights", flight, record.Approved)
	s.settle()
	second := s.move(s.add("waste", `{"treatment":"landfill","weightKg":50}`, record.Submitted), record.Review)
	s.clock.Add((3 * time.Hour).Milliseconds())
	a := of()
	if a.count("items") != 2 || a.data("pagination", "total") != "2" || a.data("items", 0, "_id") != string(second.ID) || a.data("items", 1, "_id") != string(first.ID) {
		t.Fatalf("not the two, newest first: %s", a.body)
	}
	// The flight that waits is the same as the one that counts.
	if a.data("items", 1, "review", "sharePercent") != "100.00" {
		t.Errorf("share: %s", a.body)
	}
	if a.data("items", 1, "review", "findings", 0, "code") != "DUPLICATE_FLIGHT" {
		t.Errorf("findings: %s", a.body)
	}
	for i, r := range []record.Record{second, first} {
		if a.data("items", i, "review", "ageHours") != "3" || a.data("items", i, "review", "waitingSince") != a.data("items", i, "submittedAt") {
			t.Errorf("age of %s: %s", r.ID, a.body)
		}
		if got, want := a.data("items", i, "from"), map[int]string{0: "<nil>", 1: "LHR"}[i]; got != want {
			t.Errorf("input fields: %s", a.body)
		}
	}
	if tag := a.header.Get("ETag"); tag == "" || of().header.Get("ETag") != tag {
		t.Errorf("read again a moment later it has another tag: %q", tag)
	}
	// A record that does not count any more is no duplicate, and there is no total.
	s.move(counted, record.Reopen)
	s.settle()
	if a := of(); strings.Contains(string(a.body), "DUPLICATE_FLIGHT") || a.data("items", 1, "review", "sharePercent") != "<nil>" {
		t.Errorf("after the reopening: %s", a.body)
	}
	// The organization's queue is that of its events.
	if a := s.queue("/review", "org1.admin").want(http.StatusOK); a.data("items", 1, "_id") != string(first.ID) || a.data("items", 1, "review", "kgCO2e") == "<nil>" {
		t.Errorf("of the organization: %s", a.body)
	}
	if a := s.queue("/review", "org2.admin").want(http.StatusOK); a.count("items") != 0 {
		t.Errorf("of another organization: %s", a.body)
	}
	s.queue("/events/e1/review", "org2.admin").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	s.queue("/events/e1/review", "org1.user").wantError(http.StatusForbidden, "FORBIDDEN")
	s.queue("/review?page=0", "org1.manager").wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	if a := s.queue("/review?limit=1&page=2", "org1.manager").want(http.StatusOK); a.count("items") != 1 || a.data("items", 0, "_id") != string(first.ID) {
		t.Errorf("the second page: %s", a.body)
	}
}

// Findings of each waiting item: possible duplicates, unusual values for its type, and more air travellers than
// attendees.
func TestQueueTellsWhatToLookAt(t *testing.T) {
	t.Parallel()
	s := start(t)
	flight := `{"from":"LHR","to":"JFK","passengers":3,"class":"economy","date":"2026-06-09","group":"attendees"}`
	wants := map[string]string{}
	wants[string(s.add("flights", flight, record.Submitted).ID)] = "DUPLICATE_FLIGHT PASSENGERS_EXCEED_ATTENDEES"
	wants[string(s.add("flights", flight, record.Submitted).ID)] = "DUPLICATE_FLIGHT PASSENGERS_EXCEED_ATTENDEES"
	crowd := `{"from":"LHR","to":"CDG","passengers":500,"class":"economy","roundTrip":true,"date":"2026-06-09","group":"attendees"}`
	wants[string(s.add("flights", crowd, record.Submitted).ID)] = "PASSENGERS_EXCEED_ATTENDEES"
	wants[string(s.add("waste", `{"treatment":"landfill","weightKg":50000,"date":"2026-06-10","group":"staff"}`, record.Submitted).ID)] = "OUT_OF_RANGE_FOR_TYPE"
	wants[string(s.add("waste", `{"treatment":"landfill","weightKg":50,"date":"2026-06-10","group":"staff"}`, record.Submitted).ID)] = ""
	a := s.queue("/events/e1/review", "org1.manager").want(http.StatusOK)
	if a.count("items") != len(wants) {
		t.Fatalf("%s", a.body)
	}
	for i := range len(wants) {
		var codes []string
		for n := range a.count("items", i, "review", "findings") {
			codes = append(codes, a.data("items", i, "review", "findings", n, "code"))
		}
		slices.Sort(codes)
		if id := a.data("items", i, "_id"); strings.Join(codes, " ") != wants[id] {
			t.Errorf("found of %s: %v, want %s", a.data("items", i, "type"), codes, wants[id])
		}
		if a.data("items", i, "review", "kgCO2e") == "<nil>" {
			t.Errorf("no kilograms: %s", a.body)
		}
	}
}
