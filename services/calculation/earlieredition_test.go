package calculation_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestReportNamesTheEditionBefore: whoever received a signed edition learns from the next report that there was one, its
// figure, and every change since, not only those of the last revision.
func TestReportNamesTheEditionBefore(t *testing.T) {
	t.Parallel()
	s := start(t)
	conference(s)
	page := func() string { return string(s.of("/report", "Accept", "text/html").want(http.StatusOK).body) }
	if first := page(); strings.Contains(first, "Edition before") || !strings.Contains(first, "The changes that led to the first revision.") {
		t.Error("the first report names an edition before it")
	}
	s.sign(1, 1)
	if same := page(); strings.Contains(same, "Edition before") {
		t.Error("the report of the signed revision names itself as the edition before")
	}
	before := len(findListItems(page()))
	s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	s.settle()
	s.change(func(ev *record.Event) { ev.Method.RadiativeForcing = false })
	s.settle()
	next := page()
	for _, want := range []string{"Edition before", "Edition 1, of revision 1, signed off on 13 June 2026, 10:00 UTC; it had ", "The changes from edition 1 to this revision."} {
		if !strings.Contains(next, want) {
			t.Errorf("the report of revision 3 lacks %q", want)
		}
	}
	if after := len(findListItems(next)); after < 2 {
		t.Errorf("%d reasons are listed, want those of both revisions since the edition (%d before)", after, before)
	}
}

// findListItems returns the reasons that a page lists.
func findListItems(page string) []string {
	_, reasons, _ := strings.Cut(page, "Reasons for this revision")
	reasons, _, _ = strings.Cut(reasons, "</section>")
	return strings.Split(reasons, "<li>")[1:]
}
