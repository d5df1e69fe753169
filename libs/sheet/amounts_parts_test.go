package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// The parts of an amount in columns of their own are added up, exactly, or asked about: none is left out of the figure.
func TestPartsOfAmounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ typ, file, want string }{
		"day and night":     {"energy", "source,Day kWh,Night kWh\ngrid,100.25,50\n", `2 {"source":"grid","energyKWh":150.25}`},
		"German":            {"energy", "source;Verbrauch HT (kWh);Verbrauch NT (kWh)\ngrid;1.100,5;50,5\n", `2 {"source":"grid","energyKWh":1151.0}`},
		"of one kind":       {"energy", "source,Electricity peak kWh,Electricity off-peak kWh\ngrid,100,50\n", `2 {"source":"grid","energyKWh":150}`},
		"of two kinds":      {"energy", "source,Electricity day kWh,Gas kWh\ngrid,100,50\n", `2 {"source":"grid"}`},
		"megawatt hours":    {"energy", "source,Day MWh,Night MWh\ngrid,1.125,0.125\n", `2 {"source":"grid","stated":{"energyKWh":"1.2500 MWh"}}`},
		"months":            {"energy", "source,January kWh,February kWh\ngrid,100,\n", `2 {"source":"grid","energyKWh":100}`},
		"months, no unit":   {"energy", "source,kWh,Jan,Feb,Mar\ngrid,200,100,50,50\n", `2 {"source":"grid","energyKWh":200}`},
		"months and more":   {"energy", "source;kWh;Januar 2026;Februar 2026\ngrid;100;100;50\n", "2 Januar 2026 NOT_ALLOWED"},
		"the first's unit":  {"energy", "source,Jan kWh,Feb,Mar\ngrid,100,50,50\n", `2 {"source":"grid","energyKWh":200}`},
		"months of MWh":     {"energy", "source,Energy (MWh),Jan,Feb\ngrid,0.3,0.1,0.2\n", `2 {"source":"grid","stated":{"energyKWh":"0.3 MWh"}}`},
		"of a venue":        {"venue", "site,Electricity (kWh),Jan,Feb\nHall,100,100,50\n", "2 Jan NOT_ALLOWED"},
		"of which energy":   {"venue", "electricityKWh,gasKWh,Jan,Feb\n100,50,100,50\n", `2 {"electricityKWh":100,"gasKWh":50}`},
		"months alone":      {"energy", "source,Jan,Feb\ngrid,100,50\n", `2 {"source":"grid"}`},
		"a dash":            {"energy", "source,January kWh,February kWh\ngrid,100,-\n", `2 {"source":"grid","energyKWh":100}`},
		"no number":         {"energy", "source,January kWh,February kWh\ngrid,100,n/a\n", "2 February kWh BAD_FORMAT"},
		"a credit":          {"energy", "source,January kWh,February kWh\ngrid,100,-20\n", "2 February kWh BAD_FORMAT"},
		"years":             {"energy", "source,2025 kWh,2026 kWh\ngrid,100,50\n", `2 {"source":"grid"}`},
		"a part and more":   {"energy", "source,Day kWh,Night kWh,January kWh\ngrid,100,50,30\n", `2 {"source":"grid"}`},
		"fed in":            {"energy", "source,Day kWh,Night kWh,Export kWh\ngrid,100,50,30\n", `2 {"source":"grid"}`},
		"their total":       {"energy", "source,kWh,Day kWh,Night kWh\ngrid,150,100,50\n", `2 {"source":"grid","energyKWh":150}`},
		"two units":         {"energy", "source,Day kWh,Night MWh\ngrid,100,50\n", `2 {"source":"grid"}`},
		"a venue's credit":  {"venue", "Electricity day kWh,Electricity night kWh\n1,-2\n", "2 Electricity night kWh BAD_FORMAT"},
		"an export":         {"energy", "_id,source,Day kWh,Night kWh\nr,grid,100,50\n", `2 {"source":"grid"}`},
		"older rules":       {"energy", "source,Day kWh,Night kWh\ngrid,100,50\n", `2 {"source":"grid"}`},
		"German MWh":        {"energy", "source;Tag MWh;Nacht MWh\ngrid;1,125;0,125\n", `2 {"source":"grid","stated":{"energyKWh":"1,250 MWh"},"numberFormat":"1.234,5"}`},
		"by semicolons":     {"energy", "source;Day kWh;Night kWh\ngrid;1.100;1.200\n", "2 Day kWh AMBIGUOUS_NUMBER"},
		"another total":     {"energy", "source,kWh,Day kWh,Night kWh\ngrid,100,100,50\n", "2 Day kWh NOT_ALLOWED"},
		"in two readings":   {"energy", "source;Day kWh;Night kWh\ngrid;1.100;1.200\n", "2 Day kWh AMBIGUOUS_NUMBER"},
		"two of a building": {"venue", "Electricity day kWh,Electricity night kWh,Gas meter 1 kWh,Gas meter 2 kWh\n1,2,30,40\n", `2 {"electricityKWh":3,"gasKWh":70}`},
		"a diet":            {"catering", "mealType,Vegan,Vegetarian,Beef\nlunch,40,,\n", `2 {"mealType":"lunch","meals":40,"diet":"vegan"}`},
		"diets beside one":  {"catering", "diet,Vegan,Vegetarian\nmixed,40,30\n", "2 Vegan SEVERAL_RECORDS"},
		"meat":              {"catering", "mealType,Vegan,Meat\nlunch,,60\n", "2 Meat NOT_ALLOWED"},
		"a part of meals":   {"catering", "diet,meals,of which vegan\nmixed,100,20\n", "2 of which vegan SEVERAL_RECORDS"},
		"all of them":       {"catering", "meals,of which vegan\n100,100\n", `2 {"meals":100,"diet":"vegan"}`},
		"some of them":      {"catering", "meals,of which vegan\n100,20\n", "2 of which vegan SEVERAL_RECORDS"},
		"none of them":      {"catering", "diet,meals,of which vegan\nmixed,100,0\n", `2 {"diet":"mixed","meals":100}`},
		"said twice":        {"catering", "diet,meals,Vegan meals\nvegan,20,20\n", `2 {"diet":"vegan","meals":20}`},
		"about":             {"catering", "mealType,Vegan\nlunch,~40\n", "2 Vegan BAD_FORMAT"},
		"yes":               {"catering", "diet,meals,Vegan\nmixed,100,yes\n", `2 {"diet":"mixed","meals":100}`},
	} {
		o := sheet.Options{Rules: sheet.Rules, Doubts: name == "in two readings"}
		switch name {
		case "older rules":
			o.Rules = 0
		case "an export":
			o.Known = []string{"_id"}
		case "German", "German MWh":
			o.NumberFormat = "1.234,5"
		}
		if got, _, err := all(c.file, c.typ, o); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
}
