package calculation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestCompensationIsNeverSubtracted: offsets of an event are shown with its figures in results and report, and do not
// change them.
func TestCompensationIsNeverSubtracted(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	s.settle()
	before := s.of("").want(http.StatusOK)
	if before.data("compensation") != "<nil>" {
		t.Fatalf("%.400s", before.body)
	}
	s.change(func(e *record.Event) {
		e.Compensation = []record.Compensation{
			{Kind: record.Offset, KgCO2e: decimal.New(12005, 1), Description: "Cook <stoves>", Standard: "GS", Reference: "GS1-9"},
			{Kind: record.Removal, KgCO2e: decimal.FromInt(3), Description: "Biochar"}, {Kind: record.Offset, KgCO2e: decimal.FromInt(1), Description: "More"},
		}
	})
	s.settle()
	now := s.of("").want(http.StatusOK)
	if now.data("compensation", "offsetKg") != "1201.500000" || now.data("compensation", "removalKg") != "3.000000" {
		t.Errorf("%s", now.data("compensation"))
	}
	for _, figure := range []string{"total", "byType", "byScope", "tables", "perAttendeeKg"} {
		if now.data(figure) != before.data(figure) {
			t.Errorf("%s is %s, was %s", figure, now.data(figure), before.data(figure))
		}
	}
	page := string(s.of("/report", "Accept", "text/html").want(http.StatusOK).body)
	for _, want := range []string{"Offsets and removals (not deducted)", "Cook &lt;stoves&gt;", "GS, GS1-9", "1,200.5"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// TestAPageWithoutNamesWithholdsTexts: also those that are not of its bundle.
func TestAPageWithoutNamesWithholdsTexts(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("venue", `{"electricityKWh":1000,"site":"Villa Anna"}`, record.Approved)
	s.add("energy", `{"source":"grid","energyKWh":1000,"site":"Villa Anna"}`, record.Approved)
	s.change(func(e *record.Event) {
		e.Compensation = []record.Compensation{{Kind: record.Offset, KgCO2e: decimal.FromInt(3), Description: "The wood of Ada", Standard: "GS"}}
	})
	s.settle()
	texts := []string{"Villa Anna", "The wood of Ada"}
	for query, want := range map[string]bool{"?names=full": true, "?names=roles": false} {
		page := string(s.of("/report"+query, "Accept", "text/html").want(http.StatusOK).body)
		for _, text := range texts {
			if strings.Contains(page, text) != want {
				t.Errorf("%s: %q is there: %v", query, text, !want)
			}
		}
		if !strings.Contains(page, "count the same kind of energy") || !strings.Contains(page, "GS") {
			t.Errorf("%s: the finding or the standard is missing", query)
		}
	}
}

// TestAdoptCorrectedGrid: an event in the United States adopts engine 2.1.0 only explicitly, and the difference is
// attributed to the method: 1,000 kWh are 392.89 kg, before 349.7.
func TestAdoptCorrectedGrid(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("venue", `{"electricityKWh":1000,"country":"US"}`, record.Approved)
	s.settle()
	before := s.of("").want(http.StatusOK)
	path := "/api/v2/events/e1/factor-set"
	rehearsed := s.call(http.MethodPost, path, "org1.manager", map[string]any{"engine": "2.1.0"}, "X-Dry-Run", "true").want(http.StatusOK)
	if before.data("total", "kgCO2e") != "349.700000" || rehearsed.data("after", "total", "kgCO2e") != "392.890000" || rehearsed.data("differenceKgCO2e") != "43.190000" {
		t.Fatalf("rehearsal: %.800s", rehearsed.body)
	}
	s.call(http.MethodPost, path, "org1.manager", map[string]any{"engine": "2.1.0"}).want(http.StatusOK)
	s.settle()
	now := s.of("").want(http.StatusOK)
	d := s.of("/" + before.data("revision") + "/diff/" + now.data("revision")).want(http.StatusOK)
	if now.data("total", "kgCO2e") != "392.890000" || d.data("parts", 0, "kind") != "method_changed" || d.data("parts", 0, "kgCO2e") != "43.190000" {
		t.Errorf("parts: %.900s", d.body)
	}
}
