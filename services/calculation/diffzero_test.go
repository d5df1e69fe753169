package calculation_test

import (
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestARecordOfNothingIsADifference: a record that counts 0 kg is among what changed when it comes and when it goes.
func TestARecordOfNothingIsADifference(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("waste", `{"treatment":"landfill","weightKg":50}`, record.Approved)
	s.settle()
	nothing := s.add("venue", `{"electricityKWh":0}`, record.Approved)
	s.settle()
	s.move(nothing, record.Reopen)
	s.settle()
	for path, kind := range map[string]string{"/1/diff/2": "added", "/2/diff/1": "removed", "/2/diff/3": "removed"} {
		a := s.of(path).want(http.StatusOK)
		if a.data("differenceKgCO2e") != "0.000000" || a.data("recordsChanged") != "1" || a.count("parts") != 1 || a.count("records") != 1 ||
			a.data("parts", 0, "kind") != kind || a.data("parts", 0, "records") != "1" ||
			a.data("records", 0, "_id") != string(nothing.ID) || a.data("records", 0, "kind") != kind || a.data("records", 0, "kgCO2e") != "0.000000" {
			t.Errorf("%s: %.900s", path, a.body)
		}
	}
	if a := s.of("/1/diff/3").want(http.StatusOK); a.data("recordsChanged") != "0" || a.count("parts") != 0 || a.count("records") != 0 {
		t.Errorf("it came and went: %.900s", a.body)
	}
}
