package calculation_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

func massIn(t testing.TB, text string) footprint.Mass {
	t.Helper()
	var m footprint.Mass
	if err := m.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

// difference reads the waterfall between two revisions, verifies its sums, and returns its parts as "kind type
// records kg".
func (s *service) difference(from, to int) (reply, []string) {
	s.t.Helper()
	a := s.of(fmt.Sprintf("/%d/diff/%d", from, to)).want(http.StatusOK)
	var parts []string
	var sum footprint.Mass
	for i := range a.count("parts") {
		kg := a.data("parts", i, "kgCO2e")
		sum = sum.Add(massIn(s.t, kg))
		parts = append(parts, fmt.Sprintf("%s %s %s %s", a.data("parts", i, "kind"), a.data("parts", i, "type"), a.data("parts", i, "records"), kg))
	}
	first, second := s.of(fmt.Sprintf("/%d", from)).data("total", "kgCO2e"), s.of(fmt.Sprintf("/%d", to)).data("total", "kgCO2e")
	want := massIn(s.t, second).Sub(massIn(s.t, first)).Kilograms()
	if a.data("from", "kgCO2e") != first || a.data("to", "kgCO2e") != second || a.data("differenceKgCO2e") != want || sum.Kilograms() != want {
		s.t.Fatalf("from %s to %s: the parts add up to %s, the difference is %s: %s", first, second, sum.Kilograms(), want, a.body)
	}
	for i := range a.count("figures") {
		if a.data("figures", i, "difference") == "null" {
			continue
		}
		var sum footprint.Mass
		for n := range a.count("figures", i, "parts") {
			sum = sum.Add(massIn(s.t, a.data("figures", i, "parts", n, "kgCO2e")))
		}
		name := a.data("figures", i, "figure")
		before, after := s.of(fmt.Sprintf("/%d", from)).data(name), s.of(fmt.Sprintf("/%d", to)).data(name)
		want := massIn(s.t, after).Sub(massIn(s.t, before)).Kilograms()
		if a.data("figures", i, "difference") != want || sum.Kilograms() != want {
			s.t.Fatalf("%s from %s to %s: the parts add up to %s, the difference is %s: %s", name, before, after, sum.Kilograms(), want, a.body)
		}
	}
	if (from != to) != (a.count("cause") > 0) {
		s.t.Fatalf("from revision %d to %d the causes are %s", from, to, a.data("cause"))
	}
	if strings.Contains(string(a.body), `"other"`) {
		s.t.Fatalf("something is of no record: %s", a.body)
	}
	return a, parts
}

// TestAChangeOfAttendeesIsExplained: the total is unchanged and the figures per attendee change, as a separate part.
func TestAChangeOfAttendeesIsExplained(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
	s.settle()
	s.change(func(ev *record.Event) {
		attendees := int64(60)
		ev.Attendees, ev.EndDate = &attendees, "2026-06-13"
	})
	s.settle()
	a, parts := s.difference(1, 2)
	if got, want := strings.Join(parts, "; "), "dates_changed  0 0.000000; attendees_changed  0 0.000000"; got != want {
		t.Errorf("parts are %q, want %q", got, want)
	}
	if got := a.data("figures", 0, "parts", 0, "kind"); got != "attendees_changed" || a.count("figures", 0, "parts") != 1 {
		t.Errorf("the figure per attendee: %s", a.data("figures"))
	}
	if a.data("figures", 1, "parts", 0, "kind") != "attendees_changed" || a.data("figures", 1, "parts", 1, "kind") != "dates_changed" {
		t.Errorf("the figure per attendee and day: %s", a.data("figures"))
	}

	// The approver is the cause of the first revision, who reopened it that of the third.
	first := s.of("/1")
	if first.data("cause", 0, "action") != "approve" || first.data("cause", 0, "by", "_id") != someManager.ID || first.data("cause", 0, "recordIds", 0) != string(r.ID) {
		t.Errorf("cause of the first revision: %s", first.data("cause"))
	}
	if second := s.of("/2"); second.count("cause") != 1 || second.data("cause", 0, "action") != "update-event" {
		t.Errorf("cause of the second revision: %s", second.data("cause"))
	}
	s.add("waste", `{"treatment":"landfill","weightKg":1}`, record.Approved)
	s.move(s.move(s.move(r, record.Reopen), record.Submit), record.Withdraw)
	s.settle()
	third := s.of("/3")
	if third.count("cause") != 2 || third.data("cause", 1, "action") != "reopen" || third.data("cause", 1, "recordIds", 0) != string(r.ID) || third.data("cause", 1, "records") != "1" {
		t.Errorf("causes of the third revision: %s", third.data("cause"))
	}
}

// change edits the event as the service records does.
func (s *service) change(edit func(*record.Event)) {
	s.t.Helper()
	ev, err := s.records.Event(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	rev := ev.Rev
	edit(&ev)
	ev.Rev, ev.ContextRev, ev.Mark = rev+1, ev.ContextRev+1, record.NewMark(s.now())
	if err := s.records.ReplaceEvent(s.t.Context(), org, ev, rev); err != nil {
		s.t.Fatal(err)
	}
}

// edit changes a record's fields and approves it again.
func (s *service) edit(r record.Record, body string) record.Record {
	s.t.Helper()
	ev, err := s.records.Event(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	decoded, err := footprint.Decode(r.Type, []byte(body), ev.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	r = s.move(r, record.Reopen)
	r, err = s.workflow().Apply(s.t.Context(), record.Request{Org: org, Key: r.Key(), Move: record.Edit, By: someManager, Change: func(r *record.Record) ([]string, error) {
		r.Fields, r.ContextRev = decoded.Fields, ev.ContextRev
		r.Preview, r.Contribution, err = record.Evaluate(r.Type, r.Fields, nil, ev.Context())
		return []string{"x"}, err
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.move(s.move(r, record.Submit), record.Approve)
}

func wantParts(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || !strings.HasPrefix(got[i], want[i]) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

func TestWaterfallNamesWhatChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.of("/1/diff/1").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	_, older := twoSets(t)
	flight := s.add("flights", `{"from":"LHR","to":"JFK","passengers":10,"class":"economy"}`, record.Approved)
	waste := s.add("waste", `{"treatment":"landfill","weightKg":50}`, record.Approved)
	s.settle() // 1
	s.add("waste", `{"treatment":"landfill","weightKg":25}`, record.Approved)
	s.settle() // 2
	waste = s.edit(waste, `{"treatment":"landfill","weightKg":80}`)
	s.settle() // 3
	flight = s.move(flight, record.Reopen)
	s.settle() // 4
	flight = s.move(s.move(flight, record.Submit), record.Approve)
	s.settle() // 5
	s.change(func(e *record.Event) { e.Method.RadiativeForcing = false })
	s.settle() // 6
	s.change(func(e *record.Event) { e.FactorSet = older })
	s.settle() // 7

	a, parts := s.difference(1, 2)
	wantParts(t, parts, "added waste 1 13.014506")
	if a.data("records", 0, "before") != "<nil>" || a.data("records", 0, "after") != "13.014506" || a.data("recordsChanged") != "1" {
		t.Errorf("%s", a.body)
	}
	a, parts = s.difference(2, 3)
	wantParts(t, parts, "changed waste 1 15.617406")
	if a.data("records", 0, "_id") != string(waste.ID) || a.data("records", 0, "before") != "26.029012" || a.data("records", 0, "after") != "41.646418" {
		t.Errorf("%s", a.body)
	}
	_, parts = s.difference(3, 4)
	wantParts(t, parts, "removed flights 1 -")
	a, parts = s.difference(4, 3)
	wantParts(t, parts, "added flights 1 ")
	if a.data("records", 0, "_id") != string(flight.ID) || a.data("records", 0, "before") != "<nil>" {
		t.Errorf("%s", a.body)
	}
	// Changes that were reversed in between are not part of the difference.
	_, parts = s.difference(3, 5)
	wantParts(t, parts)
	_, parts = s.difference(2, 5)
	wantParts(t, parts, "changed waste 1 15.617406")
	_, parts = s.difference(5, 6)
	wantParts(t, parts, "method_changed flights 1 -")
	_, parts = s.difference(6, 7)
	// The factors of flights are the same in both sets.
	wantParts(t, parts, "factor_changed waste 2 ")
	// Revision by revision they are distinguished.
	_, parts = s.difference(5, 7)
	wantParts(t, parts, "factor_changed waste 2 ", "method_changed flights 1 -")
	_, parts = s.difference(7, 5)
	wantParts(t, parts, "factor_changed waste 2 ", "method_changed flights 1 2")
	_, parts = s.difference(7, 7)
	wantParts(t, parts)
	// At once, they are not.
	s.change(func(e *record.Event) { e.Method.RadiativeForcing, e.FactorSet = true, "desnz-2026" })
	s.settle() // 8
	_, parts = s.difference(7, 8)
	wantParts(t, parts, "recalculated flights 1 2", "recalculated waste 2 ")
	_, parts = s.difference(5, 8)
	wantParts(t, parts)
	for _, path := range []string{"/0/diff/1", "/1/diff/9", "/x/diff/1", "/1/diff/-1", "/1/diff/99999999999999999999"} {
		s.of(path).wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	}
	s.call(http.MethodGet, "/api/v2/events/e1/results/1/diff/2", "org2.admin", nil).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
}

// TestWaterfallsOfRandomHistories: between any two results of an event in which
// anything happens, also several things at once, the parts are the difference.
func TestWaterfallsOfRandomHistories(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 3))
	s := start(t)
	newest, older := twoSets(t)
	body := func(typ string) string {
		if typ == "waste" {
			return fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, 1+random.IntN(5))
		}
		return fmt.Sprintf(`{"from":"LHR","to":"JFK","passengers":%d}`, 1+random.IntN(3))
	}
	var approved, open []record.Record
	for range 60 {
		for range 1 + random.IntN(3) {
			switch pick := random.IntN(9); {
			case pick < 4 || len(approved) == 0:
				typ := []string{"waste", "flights"}[random.IntN(2)]
				approved = append(approved, s.add(typ, body(typ), record.Approved))
			case pick == 4:
				i := random.IntN(len(approved))
				approved[i] = s.edit(approved[i], body(approved[i].Type))
			case pick == 5:
				i := random.IntN(len(approved))
				open, approved = append(open, s.move(approved[i], record.Reopen)), append(approved[:i], approved[i+1:]...)
			case pick == 6 && len(open) > 0:
				approved, open = append(approved, s.move(s.move(open[0], record.Submit), record.Approve)), open[1:]
			case pick == 7:
				s.change(func(e *record.Event) { e.FactorSet = []string{newest, older}[random.IntN(2)] })
			case pick == 8:
				s.change(func(e *record.Event) { e.Method.RadiativeForcing = random.IntN(2) == 0 })
			}
		}
		if random.IntN(4) > 0 {
			s.settle()
		}
	}
	s.settle()
	result, err := s.results.Result(t.Context(), org, "e1")
	if err != nil || result.Revision < 10 {
		t.Fatalf("%d revisions, %v", result.Revision, err)
	}
	for range 80 {
		s.difference(1+random.IntN(int(result.Revision)), 1+random.IntN(int(result.Revision)))
	}
}

// TestWaterfallCostsWhatChanged: one approval in an event of several segments is found without reading unchanged
// ones.
func TestWaterfallCostsWhatChanged(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i := range resulttree.Fanout + 20 {
		s.add("waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, i+1), record.Approved)
	}
	s.settle()
	for range 5 {
		s.add("waste", `{"treatment":"landfill","weightKg":1}`, record.Approved)
		s.settle()
	}
	comparer := resulttree.Comparer{Results: s.results, Most: 20}
	newest, err := s.results.Result(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.results.Revisions(t.Context(), org, "e1", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := comparer.Between(t.Context(), kept[0], newest)
	if err != nil || len(changed) != 5 {
		t.Fatalf("%d changes, %v", len(changed), err)
	}
	if _, err := comparer.Between(t.Context(), resulttree.Result{Org: org, Event: "e1"}, newest); err == nil {
		t.Fatal("all records of the event were read as changes, beyond what was allowed")
	}
}
