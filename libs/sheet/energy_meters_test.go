package sheet_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestMultipliersAreAskedAbout: what a number of the row would have to be multiplied by, and would not be.
func TestMultipliersAreAskedAbout(t *testing.T) {
	t.Parallel()
	const grid = `2 {"source":"grid","energyKWh":200}`
	for file, want := range map[string]string{
		"source;kWh;Faktor\ngrid;200;40\n":                 `2 Faktor NOT_ALLOWED`,
		"source;Verbrauch (kWh);Multiplier\ngrid;200;40\n": `2 Multiplier NOT_ALLOWED`,
		"source;kWh;CT ratio\ngrid;200;1\n":                grid,
		"source;kWh;Factor\ngrid;200;0.38\n":               grid,
		"source;kWh;Factor\ngrid;200;\n":                   grid,
		"source;Zählerstand alt;Zählerstand neu;Differenz;Faktor;Verbrauch kWh\ngrid;100;105;5;40;200\n":   grid,
		"source;Zählerstand alt;Zählerstand neu;Differenz;Faktor;Verbrauch kWh\ngrid;100;300;200;40;200\n": `2 Faktor NOT_ALLOWED`,
		"source;generatorKVA;hours;Generators\ndiesel;100;20;4\n":                                          `2 Generators AMBIGUOUS_COUNT`,
		"source;generatorKVA;hours;Anzahl\ndiesel;100;20;4\n":                                              `2 Anzahl AMBIGUOUS_COUNT`,
		"source;generatorKVA;hours;Generators\ndiesel;100;20;1\n":                                          `2 {"source":"diesel","generatorKVA":100,"hours":20}`,
		"source;volumeLitres;Generators\ndiesel;300;4\n":                                                   `2 {"source":"diesel","volumeLitres":300}`,
		"source;Differenz;Faktor;Verbrauch kWh\ngrid;5.004;40;200\n":                                       grid,
	} {
		if got, _, err := all(file, "energy", sheet.Options{Rules: sheet.Rules}); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, %v, want %s", file, got, err, want)
		}
	}
	if got, _, err := all("mode,Distance (km),passengers,Rides\ntaxi,5,1,12\n", "ground-transport", sheet.Options{Rules: sheet.Rules}); err != nil || len(got) != 1 || got[0] != `2 {"mode":"taxi","distanceKm":5,"passengers":1,"trips":12}` {
		t.Errorf("rides: %q, %v", got, err)
	}
}
