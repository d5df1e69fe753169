package calculation_test

import (
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestAdoptTheEngineOfWideRecords: adopting engine 2.3.0 after 2.2.0 changes only the ends of intervals, and the
// difference of the results attributes every part to the method, apart from an approval in between.
func TestAdoptTheEngineOfWideRecords(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	s.add("ground-transport", `{"mode":"car","distanceKm":80,"passengers":2,"group":"attendees","population":900,"respondents":2}`, record.Approved)
	s.add("catering", `{"meals":40,"diet":"mixed","population":600,"respondents":1}`, record.Approved)
	s.settle()
	adopt := func(engine string) reply {
		t.Helper()
		a := s.call(http.MethodPost, "/api/v2/events/e1/factor-set", "org1.manager", map[string]any{"engine": engine}).want(http.StatusOK)
		s.settle()
		return a
	}
	adopt(footprint.Engine4)
	before := s.of("").want(http.StatusOK)
	s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	s.settle()
	approved := s.of("").want(http.StatusOK)
	rehearsed := adopt(footprint.Engine5)
	now := s.of("").want(http.StatusOK)
	if rehearsed.data("fromEngine") != footprint.Engine4 || rehearsed.data("differenceKgCO2e") != "0.000000" || now.data("engineVersion") != footprint.Engine5 ||
		now.data("total", "kgCO2e") != approved.data("total", "kgCO2e") || now.data("total", "high") != rehearsed.data("after", "total", "high") {
		t.Fatalf("adopted %.500s, came %.500s", rehearsed.body, now.body)
	}
	if approved.data("byScopeIntervals") != "<nil>" || now.data("byScopeIntervals", "scope3", "low") == "<nil>" {
		t.Errorf("intervals of scopes: %s before, %s after", approved.data("byScopeIntervals"), now.data("byScopeIntervals"))
	}
	d := s.of("/" + approved.data("revision") + "/diff/" + now.data("revision")).want(http.StatusOK)
	if d.data("differenceKgCO2e") != "0.000000" || d.count("parts") == 0 || d.count("categories") != 0 {
		t.Errorf("the engine alone: %.900s", d.body)
	}
	for i := range d.count("parts") {
		if d.data("parts", i, "kind") != "method_changed" || d.data("parts", i, "kgCO2e") != "0.000000" {
			t.Errorf("part %d: %s", i, d.data("parts", i))
		}
	}
	for i, end := range []string{"low", "high"} {
		if d.data("intervals", i, "figure") != end || d.data("intervals", i, "from") == d.data("intervals", i, "to") || d.data("intervals", i, "to") != now.data("total", end) ||
			d.data("intervals", i, "parts", 0, "kind") != "method_changed" || d.data("intervals", i, "parts", 0, "kgCO2e") != d.data("intervals", i, "difference") {
			t.Errorf("interval: %s", d.data("intervals", i))
		}
	}
	// The approval accounts for the whole figure, and the engine is a separate part.
	both := s.of("/" + before.data("revision") + "/diff/" + now.data("revision")).want(http.StatusOK)
	kinds := map[string]string{}
	for i := range both.count("parts") {
		kinds[both.data("parts", i, "kind")+" "+both.data("parts", i, "type")] = both.data("parts", i, "kgCO2e")
	}
	if kinds["method_changed "] != "0.000000" || kinds["added waste"] != both.data("differenceKgCO2e") {
		t.Errorf("parts %v of %s", kinds, both.data("differenceKgCO2e"))
	}
}
