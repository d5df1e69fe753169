package calculation_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestDroppedRevisionsAreAnswered: after retention the newest result, its explanation and report, and the signed
// revision are unchanged; the differences between the remaining ones add up to the newest figure, with all causes;
// and requests for a dropped revision are told that it was dropped.
func TestDroppedRevisionsAreAnswered(t *testing.T) {
	t.Parallel()
	s := start(t)
	var first record.Record
	for i := range 6 {
		r := s.add("waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, 1000+i), record.Approved)
		s.settle()
		if i == 0 {
			first = r
		}
	}
	s.move(first, record.Reopen)
	s.settle()
	s.sign(1, 7)
	for i := range 5 {
		s.add("waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, 2000+i), record.Approved)
		s.settle()
	}
	parts := map[string][]string{
		"": {"total", "inputsHash", "cause", "tables"}, "/12": {"total", "cause"}, "/7": {"total", "cause"}, "/11": {"total", "inputsHash"},
		"/explain": {"items"}, "/report": {"records", "result", "factors"}, "/7/explain": {"items"}, "/7/report": {"records", "result"},
		"/7/diff/12": {"differenceKgCO2e", "parts", "records", "cause"}, "/11/diff/12": {"parts", "records", "cause"},
	}
	was := map[string]reply{}
	for path := range parts {
		was[path] = s.of(path).want(http.StatusOK)
	}
	ev, err := s.records.EventContext(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	// All but the two newest were replaced before this time.
	twelfth, err := time.Parse(time.RFC3339, s.of("/12").data("calculatedAt"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := (resulttree.Pruner{Results: s.results}).Prune(t.Context(), ev, twelfth.Add(time.Millisecond)); err != nil || n != 9 {
		t.Fatalf("%d were dropped, %v", n, err)
	}
	for path, names := range parts {
		now := s.of(path).want(http.StatusOK)
		for _, name := range names {
			before, after := was[path].data(name), now.data(name)
			if strings.HasSuffix(path, "/report") {
				before, after = was[path].text(name), now.text(name) // the bundle itself
			}
			if before != after || len(after) < 5 {
				t.Errorf("%s of %q was\n%s\nand is\n%s", name, path, before, after)
			}
		}
	}
	list := s.of("/history").want(http.StatusOK)
	var numbers []string
	for i := range list.count("items") {
		numbers = append(numbers, list.data("items", i, "revision"))
	}
	if got := strings.Join(numbers, " "); got != "12 11 7" || list.data("pagination", "total") != "3" {
		t.Errorf("the history lists %s of %s", got, list.data("pagination", "total"))
	}
	second := s.of("/history?page=2&limit=2").want(http.StatusOK)
	if second.count("items") != 1 || second.data("items", 0, "revision") != "7" || second.data("pagination", "total") != "3" {
		t.Errorf("its second page: %s", second.body)
	}
	if list.data("items", 1, "causeSince") != "8" || list.data("items", 0, "causeSince") != "<nil>" {
		t.Errorf("revision 11 stands for those since %s", list.data("items", 1, "causeSince"))
	}
	approved, records := 0, ""
	sum := massIn(t, s.of("/7").data("total", "kgCO2e"))
	for _, step := range [][2]int{{7, 11}, {11, 12}} {
		a, list := s.difference(step[0], step[1])
		sum = sum.Add(massIn(t, a.data("differenceKgCO2e")))
		approved += strings.Count(string(a.body), `"action":"approve"`)
		records += a.data("cause", 0, "records")
		if len(list) != 1 || !strings.HasPrefix(list[0], "added waste ") {
			t.Errorf("from %d to %d: %q", step[0], step[1], list)
		}
	}
	if want := s.of("").data("total", "kgCO2e"); sum.Kilograms() != strings.Trim(want, `"`) {
		t.Errorf("the differences add up to %s, the newest figure is %s", sum.Kilograms(), want)
	}
	if approved != 2 || records != "41" {
		t.Errorf("%d causes are approvals, of %s records", approved, records)
	}
	for _, path := range []string{"/3", "/3/explain", "/3/report", "/3/diff/12", "/12/diff/3", "/10/diff/11"} {
		a := s.of(path).wantError(http.StatusNotFound, "REVISION_NOT_KEPT")
		if a.text("error", "details", 0, "code") != "RETENTION" {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	if a := s.of("/3"); !strings.Contains(a.text("error", "details", 0, "message"), "revision 7") {
		t.Errorf("where revision 3 went: %s", a.body)
	}
	s.of("/13").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
}
