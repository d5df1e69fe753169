package calculation_test

import (
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

func (s *service) preview() reply {
	s.t.Helper()
	return s.call(http.MethodGet, "/api/v2/events/e1/results/preview", "org1.manager", nil)
}

func TestPreviewIsWhatApprovingTheQueueGives(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.preview().wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	s.of("/preview").wantError(http.StatusForbidden, "FORBIDDEN")
	s.call(http.MethodGet, "/api/v2/events/e1/results/preview", "org2.admin", nil).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")

	waiting := []record.Record{
		s.add("flights", `{"from":"LHR","to":"JFK","passengers":3,"class":"economy"}`, record.Submitted),
		s.add("waste", `{"treatment":"landfill","weightKg":50}`, record.Submitted),
	}
	waiting[1] = s.move(waiting[1], record.Review)
	s.add("waste", `{"treatment":"landfill","weightKg":999}`, record.Unsubmitted)
	first := s.preview().want(http.StatusOK)
	if first.data("basedOn") != "<nil>" || first.data("queue", "records") != "2" || first.data("queue", "kgCO2e") != first.data("total", "kgCO2e") || first.count("byType") != 2 {
		t.Fatalf("nothing approved: %.600s", first.body)
	}
	s.add("venue", `{"electricityKWh":1000}`, record.Approved)
	s.settle()
	current := s.of("").want(http.StatusOK)
	foretold := s.preview().want(http.StatusOK)
	if foretold.data("basedOn", "status") != "current" || foretold.data("basedOn", "total", "kgCO2e") != current.data("total", "kgCO2e") || foretold.data("basedOn", "revision") != "1" {
		t.Fatalf("based on: %.600s", foretold.body)
	}
	for _, r := range waiting {
		s.move(r, record.Approve)
	}
	s.settle()
	now := s.of("").want(http.StatusOK)
	for _, member := range []string{"total", "byType", "byScope", "byGroup", "byStage", "byGas", "dataQuality", "notices", "perAttendeeKg"} {
		if foretold.data(member) != now.data(member) {
			t.Errorf("%s: foretold %s, came %s", member, foretold.data(member), now.data(member))
		}
	}
	empty := s.preview().want(http.StatusOK)
	if empty.data("queue", "records") != "0" || empty.data("total") != now.data("total") {
		t.Errorf("an empty queue: %.600s", empty.body)
	}
}

// TestPreviewCountsNothingTwice approves a record, and calculates, between the
// reading of the result and of the queue.
func TestPreviewCountsNothingTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("venue", `{"electricityKWh":1000}`, record.Approved)
	s.settle()
	r := s.add("waste", `{"treatment":"landfill","weightKg":50}`, record.Submitted)
	want := s.preview().want(http.StatusOK).data("total", "kgCO2e")
	for _, late := range []bool{false, true} {
		once := false
		s.records.between = func() {
			if once {
				return
			}
			once = true
			r = s.move(r, record.Approve)
			if late {
				s.settle()
			}
		}
		if late {
			if got := s.preview().want(http.StatusOK).data("total", "kgCO2e"); got != want {
				t.Errorf("approved and calculated in between: %s, want %s", got, want)
			}
			continue
		}
		// Approved and not calculated: it is in neither, and the answer says so.
		if a := s.preview().want(http.StatusOK); a.data("basedOn", "status") != "recalculating" {
			t.Errorf("approved in between: %.400s", a.body)
		}
		s.settle()
		s.records.between = nil
		r = s.move(s.move(r, record.Reopen), record.Submit)
		s.settle()
	}
}

// TestPreviewReadsTheWholeQueue has more waiting than is read at once.
func TestPreviewReadsTheWholeQueue(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 501 {
		s.add("custom", `{"kgCO2e":2,"description":"a part","evidence":[{"name":"invoice","url":"https://example.org/1"}]}`, record.Submitted)
	}
	a := s.preview().want(http.StatusOK)
	if a.data("queue", "records") != "501" || a.data("queue", "kgCO2e") != "1002.000000" {
		t.Errorf("of 501 records of 2 kg: %.300s", a.body)
	}
}
