package calculation_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// exact parses a served number exactly.
func (r reply) exact(path ...any) *big.Rat {
	r.t.Helper()
	n, ok := new(big.Rat).SetString(r.text(path...))
	if !ok {
		r.t.Fatalf("no number at %v: %s", path, r.text(path...))
	}
	return n
}

// sumsUp checks, in the very digits that were served, that the parts of each
// breakdown below a place of the answer are the total.
func sumsUp(r reply, at ...any) {
	r.t.Helper()
	place := func(path ...any) []any { return append(append([]any{}, at...), path...) }
	members := func(name string) (sum *big.Rat) {
		sum = new(big.Rat)
		object, ok := r.at(place(name)...).(map[string]any)
		if !ok || len(object) == 0 {
			r.t.Fatalf("no %s: %.400s", name, r.body)
		}
		for member := range object {
			sum.Add(sum, r.exact(place(name, member)...))
		}
		return sum
	}
	list := func(name, member string) (sum *big.Rat) {
		sum = new(big.Rat)
		parts, ok := r.at(place(name)...).([]any)
		if !ok || len(parts) == 0 {
			r.t.Fatalf("no %s: %.400s", name, r.body)
		}
		for i := range parts {
			sum.Add(sum, r.exact(place(name, i, member)...))
		}
		return sum
	}
	total := r.exact(place("total", "kgCO2e")...)
	if total.Sign() <= 0 {
		r.t.Fatalf("a total of %s", total)
	}
	for what, sum := range map[string]*big.Rat{
		"byType": list("byType", "kgCO2e"), "byGroup": list("byGroup", "kgCO2e"), "byScope": members("byScope"), "byStage": members("byStage"), "byGas": members("byGas"),
	} {
		if sum.Cmp(total) != 0 {
			r.t.Errorf("%s is %s, the total %s", what, sum.FloatString(9), total.FloatString(9))
		}
	}
	if sum, scope3 := list("byScope3Category", "kgCO2e"), r.exact(place("byScope", "scope3")...); sum.Cmp(scope3) != 0 {
		r.t.Errorf("the categories are %s, scope 3 is %s", sum.FloatString(9), scope3.FloatString(9))
	}
	if shares := members("dataQuality"); shares.Cmp(big.NewRat(1, 1)) != 0 {
		r.t.Errorf("the shares of data quality are %s", shares.FloatString(9))
	}
}

// TestServedPartsAreTheTotal: in every answer that carries a breakdown, of
// records of all types, groups and kinds, the parts are the total to the last
// digit, and the records explained are too.
func TestServedPartsAreTheTotal(t *testing.T) {
	t.Parallel()
	s := start(t)
	groups := append(footprint.Groups(), "")
	n, waiting := 0, 0
	add := func(typ string, body map[string]any) {
		t.Helper()
		until := record.Approved
		if n%9 == 8 {
			until = record.Submitted
			waiting++
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		s.add(typ, string(text), until)
		n++
	}
	for _, typ := range footprint.Types() {
		for _, example := range footprint.Examples(typ) {
			for variant := range 3 {
				var body map[string]any
				if err := json.Unmarshal(example, &body); err != nil {
					t.Fatal(err)
				}
				if group := groups[n%len(groups)]; group != "" {
					body["group"] = group
				}
				if variant == 1 && typ != footprint.AttendeeTravel { // rows without a place exclude a survey
					body["respondents"], body["population"] = 3, 7
				}
				if variant == 2 {
					body["dataQuality"] = []string{"measured", "calculated", "assumed"}[n%3]
				}
				add(typ, body)
			}
		}
	}
	s.settle()
	ev, err := s.records.Event(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	rev := ev.Rev
	ev.Method.GWP = "AR6"
	ev.Rev++
	ev.ContextRev++
	ev.Mark = record.NewMark(s.now())
	if err := s.records.ReplaceEvent(t.Context(), org, ev, rev); err != nil {
		t.Fatal(err)
	}
	s.settle()

	newest := s.of("").want(http.StatusOK)
	if newest.count("byType") != len(footprint.Types()) || newest.count("byGroup") != len(groups) || newest.data("revision") != "2" || waiting == 0 {
		t.Fatalf("%d records, %d waiting: %.600s", n, waiting, newest.body)
	}
	sumsUp(newest, "data")
	sumsUp(s.of("/1").want(http.StatusOK), "data")
	history := s.of("/history").want(http.StatusOK)
	for i := range history.count("items") {
		sumsUp(history, "data", "items", i)
	}
	sumsUp(s.call(http.MethodGet, "/api/v2/events/e1/results/preview", "org1.manager", nil).want(http.StatusOK), "data")
	sumsUp(s.of("/report").want(http.StatusOK), "result")

	// Record by record, and line by line.
	sum := new(big.Rat)
	for page := 1; ; page++ {
		explained := s.of("/explain?limit=50&page=" + string(rune('0'+page))).want(http.StatusOK)
		if explained.count("items") == 0 {
			break
		}
		for i := range explained.count("items") {
			whole, lines := explained.exact("data", "items", i, "kgCO2e"), new(big.Rat)
			for j := range explained.count("items", i, "lines") {
				line := explained.exact("data", "items", i, "lines", j, "kgCO2e")
				gases := new(big.Rat)
				for _, gas := range []string{"co2", "ch4", "n2o", "aviationNonCO2", "unsplit"} {
					gases.Add(gases, explained.exact("data", "items", i, "lines", j, "byGas", gas))
				}
				if gases.Cmp(line) != 0 {
					t.Errorf("gases of line %d of %s: %s, not %s", j, explained.data("items", i, "_id"), gases.FloatString(9), line.FloatString(9))
				}
				lines.Add(lines, line)
			}
			if lines.Cmp(whole) != 0 {
				t.Errorf("lines of %s: %s, not %s", explained.data("items", i, "_id"), lines.FloatString(9), whole.FloatString(9))
			}
			sum.Add(sum, whole)
		}
	}
	if total := newest.exact("data", "total", "kgCO2e"); sum.Cmp(total) != 0 {
		t.Errorf("the records explained are %s, the total %s", sum.FloatString(9), total.FloatString(9))
	}
}
