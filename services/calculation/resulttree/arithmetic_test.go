package resulttree

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestArithmeticIsTheEngines compares the adapter with libs/footprint: sums of segments equal the sum of all records.
func TestArithmeticIsTheEngines(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", RadiativeForcing: true, GWP: "published", FactorSet: factors.Sets()[0].ID}
	var stored []json.RawMessage
	var direct []total.Contribution
	for typ, bodies := range map[string][]string{
		"flights": {`{"from":"LHR","to":"JFK","passengers":3,"class":"business"}`, `{"from":"CDG","to":"BER","passengers":1}`},
		"waste":   {`{"treatment":"landfill","weightKg":12.5}`, `{"treatment":"recycling","material":"glass","weightKg":7}`},
		"venue":   {`{"electricityKWh":1234.567,"gasKWh":89}`},
	} {
		for _, body := range bodies {
			decoded, err := footprint.Decode(typ, []byte(body), ev)
			if err != nil {
				t.Fatal(err)
			}
			_, contribution, err := arithmetic{}.Evaluate(typ, decoded.Fields, ev)
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, contribution)
			evaluation, err := footprint.Evaluate(typ, decoded.Fields, ev)
			if err != nil {
				t.Fatal(err)
			}
			direct = append(direct, total.Of(&evaluation))
		}
	}
	want, err := json.Marshal(total.Sum(direct...))
	if err != nil {
		t.Fatal(err)
	}
	first, err := arithmetic{}.Sum(stored[:2])
	if err != nil {
		t.Fatal(err)
	}
	second, err := arithmetic{}.Sum(stored[2:])
	if err != nil {
		t.Fatal(err)
	}
	got, err := arithmetic{}.Sum([]json.RawMessage{second, first})
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) || total.Sum(direct...).Total().IsZero() {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	for i, part := range append(stored, got) {
		var c total.Contribution
		if err := json.Unmarshal(part, &c); err != nil {
			t.Fatal(err)
		}
		if total, err := (arithmetic{}).Total(part); err != nil || total != c.Total().String() {
			t.Errorf("total of part %d: %q %v, want %s", i, total, err, c.Total())
		}
	}
	if empty, err := (arithmetic{}).Sum(nil); err != nil || len(empty) == 0 {
		t.Fatalf("the sum of nothing: %s, %v", empty, err)
	}
	if _, err := (arithmetic{}).Sum([]json.RawMessage{[]byte(`{"records":1,"total":"5"}`)}); err == nil {
		t.Fatal("a contribution that does not add up was taken")
	}
}

// TestSumOfAResult: no result has no sum, and one that cannot be read is named.
func TestSumOfAResult(t *testing.T) {
	t.Parallel()
	if sum, err := (Result{}).Sum(); err != nil || sum.Records() != 0 {
		t.Errorf("no result: %d records, %v", sum.Records(), err)
	}
	for _, contribution := range []string{``, `{`, `{"records":"x"}`} {
		_, err := Result{Event: "event-7", Version: 4, Revision: 3, Contribution: json.RawMessage(contribution)}.Sum()
		if err == nil || !strings.Contains(err.Error(), "event event-7, revision 3") {
			t.Errorf("%q: %v", contribution, err)
		}
	}
}
