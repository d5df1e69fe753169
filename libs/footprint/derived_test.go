package footprint_test

import (
	"encoding/json"
	"maps"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
)

func decoded(t *testing.T, typ, body string) map[string]any {
	t.Helper()
	d, err := footprint.Decode(typ, []byte(body), book)
	if err != nil {
		t.Fatalf("%s %s: %v", typ, body, faults(t, typ, body, book))
	}
	out := map[string]any{}
	if err := json.Unmarshal(d.Fields, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAnswersCarryWhatIsPromised verifies that a record in a response has every required field of the document, for
// any input.
func TestAnswersCarryWhatIsPromised(t *testing.T) {
	t.Parallel()
	check := func(typ, body string) {
		fields := decoded(t, typ, body)
		for _, p := range footprint.Stored(typ) {
			if v, ok := fields[p.Name]; p.Required && (!ok || v == nil) {
				t.Errorf("%s %s: %s is missing in %v", typ, body, p.Name, fields)
			}
		}
	}
	for _, c := range paperLines(t) {
		if c.Fault == "" {
			check(c.Type, string(c.Body))
		}
	}
	for _, typ := range footprint.Types() {
		for _, example := range footprint.Examples(typ) {
			check(typ, string(example))
		}
	}
}

// TestDerivedByHand calculates the derived values from the published rows.
func TestDerivedByHand(t *testing.T) {
	t.Parallel()
	table, _ := factors.ByID("desnz-2026")
	set := func(id string) float64 {
		f, ok := table.Factor(id)
		if !ok {
			t.Fatalf("no row %s", id)
		}
		kg, err := strconv.ParseFloat(f.KgCO2e.String(), 64)
		if err != nil {
			t.Fatal(err)
		}
		return kg
	}
	diesel, van, coach := set("energy.diesel_avg_blend.litre.2026"), set("desnz-2026-freight-van-average-diesel-km"), set("desnz-2026-coach")
	petrol, car := set("energy.petrol_avg_blend.litre.2026"), set("desnz-2026-car-medium-petrol")
	grid, electric := set("elec.gb.location.2026"), set("desnz-2026-car-average-battery_electric")
	for _, c := range []struct {
		body string
		km   float64
	}{
		{`{"mode":"van","fuel":"diesel","volumeLitres":55}`, 55 * diesel / van},
		{`{"mode":"van","fuel":"diesel","volumeLitres":55,"vehicles":2,"roundTrip":true,"trips":5}`, 55 * diesel / van / 20},
		{`{"mode":"car","fuel":"petrol","size":"medium","volumeLitres":30}`, 30 * petrol / car},
		{`{"mode":"coach","volumeLitres":90,"passengers":40}`, 90 * diesel / (coach * 40)},
		{`{"mode":"car","fuel":"battery_electric","energyKWh":60}`, 60 * grid / electric},
		{`{"mode":"van","fuel":"diesel","volumeLitres":55,"distanceKm":700}`, 700},
	} {
		if got, _ := decoded(t, "ground-transport", c.body)["distanceKm"].(float64); math.Abs(got-c.km) > 0.0006 {
			t.Errorf("%s: %v km, want %v", c.body, got, c.km)
		}
	}
	spent := decoded(t, "purchases", `{"category":"security","amount":6200,"currency":"GBP"}`)
	d, err := footprint.Decode("purchases", []byte(`{"category":"security","amount":6200,"currency":"GBP"}`), book)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := spent["kgCO2ePerUnit"].(float64); math.Abs(got*6200-kilograms(d.Evaluation.Lines[0].Mass)) > 0.00001 {
		t.Errorf("%v kg per unit × 6200 is not %v", got, d.Evaluation.Lines[0].Mass)
	}
	drinks := decoded(t, "catering", `{"servings":{"coffee":900}}`)
	if drinks["meals"] != 0.0 || drinks["diet"] != "mixed" {
		t.Errorf("drinks alone answer %v meals, %v", drinks["meals"], drinks["diet"])
	}
}

// TestDerivedIsWorkedOutAgain verifies that a derived value never prevents a change: it is dropped when sent back,
// and preserved if it was stated.
func TestDerivedIsWorkedOutAgain(t *testing.T) {
	t.Parallel()
	change := func(typ, body, set string) (map[string]any, string) {
		fields := decoded(t, typ, body)
		var change map[string]any
		if err := json.Unmarshal([]byte(set), &change); err != nil {
			t.Fatal(err)
		}
		maps.Copy(fields, change)
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := footprint.Decode(typ, text, book); err != nil {
			return nil, strings.Join(faults(t, typ, string(text), book), " ")
		}
		return decoded(t, typ, string(text)), ""
	}
	twice, _ := change("ground-transport", `{"mode":"van","fuel":"diesel","volumeLitres":55}`, `{"volumeLitres":110}`)
	once := decoded(t, "ground-transport", `{"mode":"van","fuel":"diesel","volumeLitres":110}`)
	if twice["distanceKm"] != once["distanceKm"] {
		t.Errorf("110 litres go %v km, not %v", twice["distanceKm"], once["distanceKm"])
	}
	stated, _ := change("ground-transport", `{"mode":"van","fuel":"diesel","volumeLitres":55}`, `{"distanceKm":700}`)
	if stated["distanceKm"] != 700.0 || stated["derived"] != nil {
		t.Errorf("the stated distance is %v, derived %v", stated["distanceKm"], stated["derived"])
	}
	if _, fault := change("catering", `{"servings":{"coffee":900}}`, `{"meals":40}`); !strings.Contains(fault, "diet") {
		t.Errorf("meals without a diet: %q", fault)
	}
	if _, fault := change("purchases", `{"category":"security","amount":6200,"currency":"GBP"}`, `{"kgCO2ePerUnit":0.4}`); !strings.Contains(fault, "evidence") || !strings.Contains(fault, "factorSource") {
		t.Errorf("a factor of one's own without its source: %q", fault)
	}
	own, fault := change("purchases", `{"category":"security","amount":6200,"currency":"GBP"}`, `{"kgCO2ePerUnit":0.4,"factorSource":"EPD","evidence":[{"name":"EPD 12"}]}`)
	if fault != "" || own["derived"] != nil || own["kgCO2ePerUnit"] != 0.4 {
		t.Errorf("a factor of one's own: %v %q", own, fault)
	}
	// A value invented by a client is validated like any other.
	if got := faults(t, "purchases", `{"category":"energy","amount":1,"currency":"GBP","derived":{"category":"energy"}}`, book); len(got) == 0 {
		t.Error("a derived category hid the category")
	}
	if got := faults(t, "ground-transport", `{"mode":"van","fuel":"diesel","volumeLitres":9000}`, book); len(got) != 1 || !strings.Contains(got[0], "volumeLitres") {
		t.Errorf("9000 litres of one van: %v", got)
	}
	if got := faults(t, "ground-transport", `{"mode":"bus","volumeLitres":90}`, book); len(got) != 1 || !strings.Contains(got[0], "distanceKm") {
		t.Errorf("a bus has no published consumption: %v", got)
	}
}
