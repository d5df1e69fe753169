package footprint_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestEveryQuantityIsExplained: the inputs of a record multiply to the quantity of each of its lines, so that a reader
// can calculate it by hand, also of a survey that is scaled up by a number that does not end.
func TestEveryQuantityIsExplained(t *testing.T) {
	t.Parallel()
	more := map[string][]string{
		"accommodation":    {`{"kind":"rental","guests":5,"nights":3}`, `{"kind":"hostel","guests":5,"nights":3}`, `{"guests":5,"nights":3,"country":"SE"}`},
		"attendee-travel":  {`{"to":"Manchester, GB","occupancy":2.5,"origins":[{"country":"DE","people":40},{"people":2},{"code":"EDI","people":7,"roundTrip":false}]}`},
		"catering":         {`{"meals":30,"diet":"vegan","mealType":"snack"}`, `{"meals":3,"diet":"mixed","servings":{"canapes":7,"coffee":3,"coffee_black":4},"drinks":{"tea":0.25}}`},
		"energy":           {`{"source":"natural_gas","volumeM3":12.5}`, `{"source":"natural_gas","energyKWh":12.5}`, `{"source":"wood_logs","weightKg":7}`, `{"source":"hvo","weightKg":7}`},
		"flights":          {`{"from":"LHR","via":["SIN"],"to":"SYD","passengers":3,"roundTrip":true}`, `{"from":"JFK","via":["CDG","CAI"],"to":"NBO","passengers":3,"trips":2}`, `{"from":"Brighton, GB","to":"AMS","passengers":1}`},
		"ground-transport": {`{"mode":"car","distanceKm":12.5,"passengers":7,"occupancy":2.5,"roundTrip":true}`, `{"mode":"coach","vehicles":3,"distanceKm":7}`, `{"mode":"taxi","vehicles":3,"distanceKm":7}`, `{"mode":"van","fuel":"diesel","volumeLitres":33.3}`},
		"materials": {`{"material":"paper","sheets":1000,"sheetSize":"A5","gramsPerM2":135}`, `{"material":"paper","sheets":1000}`, `{"material":"lanyard","items":300}`,
			`{"material":"pvc_banner","areaM2":12.5}`, `{"material":"carpet","areaM2":12.5,"source":"hired"}`, `{"material":"paper","areaM2":3,"gramsPerM2":250,"endOfLife":"recycling"}`,
			`{"material":"wood","weightKg":50,"source":"hired","usesOverLife":7}`},
		"purchases": {`{"category":"av_hire","amount":1200,"currency":"GBP","vatIncluded":true,"vatRate":20}`, `{"category":"av_hire","amount":1200,"currency":"EUR"}`},
		"venue": {`{"annualElectricityKWh":1000,"annualGasKWh":500,"spaceSharePercent":12.5,"days":3}`, `{"floorAreaM2":100.5,"days":2}`, `{"floorAreaM2":100,"days":2,"venueType":"pool"}`,
			`{"floorAreaM2":100,"days":2,"venueType":"hotel"}`, `{"venueType":"outdoor_site","days":3}`, `{"electricityKWh":1,"gasKWh":2,"heatKWh":3}`},
		"waste": {`{"treatment":"landfill","volumeLitres":1100,"densityKgPerM3":92.5}`, `{"treatment":"landfill","volumeLitres":1100}`,
			`{"treatment":"recycling","container":"wheelie_240","containers":14,"fillPercent":60}`, `{"treatment":"recycling","container":"wheelie_240","containers":14,"densityKgPerM3":100}`},
	}
	for _, typ := range footprint.Types() {
		var bodies []string
		for _, example := range footprint.Examples(typ) {
			bodies = append(bodies, string(example))
		}
		for _, body := range append(bodies, more[typ]...) {
			explained(t, typ, body)
			var fields map[string]any
			if err := json.Unmarshal([]byte(body), &fields); err != nil {
				t.Fatal(err)
			}
			if typ == footprint.AttendeeTravel {
				continue // its survey are the people without origin
			}
			maps.Copy(fields, map[string]any{"respondents": 3, "population": 7})
			surveyed, err := json.Marshal(fields)
			if err != nil {
				t.Fatal(err)
			}
			explained(t, typ, string(surveyed))
		}
	}
}

// explained fails unless the terms of each line of a record multiply to its mass.
func explained(t *testing.T, typ, body string) {
	t.Helper()
	ev := london
	ev.Attendees = 250
	d, err := footprint.Decode(typ, []byte(body), ev)
	if err != nil {
		t.Fatalf("%s %s: %s", typ, body, describe(err))
	}
	of := footprint.ProductsOf(typ, d.Fields, ev)
	for _, l := range d.Evaluation.Lines {
		terms := of.Terms(l)
		if len(terms) == 0 {
			t.Errorf("%s %s: nothing multiplies to %s %s of %s", typ, body, l.Quantity, l.Unit, l.FactorID)
			continue
		}
		product := new(big.Rat)
		product.SetString(l.KgPerUnit.String())
		for _, term := range terms {
			number, word := term.Number, term.Word
			value, ok := new(big.Rat).SetString(number)
			if ok && strings.HasPrefix(word, "%") {
				value.Quo(value, big.NewRat(100, 1))
			}
			if !ok || value.Cmp(term.Value) != 0 {
				t.Errorf("%s %s: the term %s %s is %s", typ, body, number, word, term.Value.RatString())
			}
			product.Mul(product, term.Value)
		}
		stated, _ := new(big.Rat).SetString(l.Mass.Kilograms()) // digits are a number
		off := new(big.Rat).Sub(product, stated)
		if off.Abs(off).Cmp(big.NewRat(1, 2_000_000)) > 0 {
			t.Errorf("%s %s: the terms %v of %s come to %s kg, not %s", typ, body, terms, l.FactorID, product.FloatString(7), l.Mass.Kilograms())
		}
	}
}
