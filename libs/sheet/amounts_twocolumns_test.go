package sheet_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// Two columns of one field are read where one of them is always empty or both say the same, and asked about otherwise.
func TestTwoColumnsOfOneField(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		o         sheet.Options
		want      []string
	}{
		"the second is empty": {"flights", "from,to,passengers,passengers\nLHR,CDG,2,\nLHR,CDG,3,\n", sheet.Options{}, []string{`2 {"from":"LHR","to":"CDG","passengers":2}`, `3 {"from":"LHR","to":"CDG","passengers":3}`}},
		"the first is empty":  {"flights", "from,to,passengers,Passengers\nLHR,CDG,,2\nLHR,CDG,,3\n", sheet.Options{}, []string{`2 {"from":"LHR","to":"CDG","passengers":2}`, `3 {"from":"LHR","to":"CDG","passengers":3}`}},
		"both agree":          {"flights", "from,to,passengers,Passengers\nLHR,CDG,2,2\nLHR,CDG,3,\nLHR,CDG,,4\n", sheet.Options{}, []string{`2 {"from":"LHR","to":"CDG","passengers":2}`, `3 {"from":"LHR","to":"CDG","passengers":3}`, `4 {"from":"LHR","to":"CDG","passengers":4}`}},
		"they differ":         {"flights", "from,to,passengers,Passengers\nLHR,CDG,2,3\n", sheet.Options{}, []string{"2 Passengers DUPLICATE_KEY"}},
		"each has some":       {"flights", "from,to,passengers,Passengers\nLHR,CDG,2,\nLHR,CDG,,3\nLHR,CDG,4,\n", sheet.Options{}, []string{`2 {"from":"LHR","to":"CDG","passengers":2}`, "3 Passengers DUPLICATE_KEY", "4 Passengers DUPLICATE_KEY"}},
		"kilograms and tonnes": {"waste", "Weight (t),weightKg,treatment\n1.2,1213.5,landfill\n1.2,1260,landfill\n", sheet.Options{NumberFormat: "1,234.5"},
			[]string{`2 {"treatment":"landfill","weightKg":1213.5}`, "3 weightKg DUPLICATE_KEY"}},
		"tonnes alone":        {"waste", "weightKg,Weight (t),treatment\n,1.2,landfill\n", sheet.Options{NumberFormat: "1,234.5"}, []string{`2 {"treatment":"landfill","stated":{"weightKg":"1.2 t"},"numberFormat":"1,234.5"}`}},
		"dates":               {"waste", "weightKg,treatment,date,Date\n2,landfill,2026-06-13,13.06.2026\n", sheet.Options{}, []string{`2 {"weightKg":2,"treatment":"landfill","date":"2026-06-13"}`}},
		"decimal commas":      {"waste", "weightKg;WeightKg;treatment\n2,5;2,50;landfill\n", sheet.Options{NumberFormat: "1.234,5"}, []string{`2 {"weightKg":2.5,"treatment":"landfill"}`}},
		"a fault in one":      {"waste", "weightKg,WeightKg,treatment\n,1.2 gal,landfill\n", sheet.Options{}, []string{`2 {"treatment":"landfill","stated":{"weightKg":"1.2 gal"}}`}},
		"of several types":    {sheet.Mixed, "type,from,From,to,passengers\nflights,LHR,,CDG,2\n", sheet.Options{}, []string{`2 {"from":"LHR","to":"CDG","passengers":2}`}},
		"people":              {footprint.OriginRows, "Postcode,postcode,people\n,M1 1AE,2\n", sheet.Options{}, []string{`2 {"people":2,"postcode":"M1 1AE"}`}},
		"a weight of each":    {"materials", "material,source,Qty,Weight (kg),Total weight (kg)\nplywood,virgin,10,20,200\nplywood,virgin,1,20,20\n", sheet.Options{}, []string{"2 Total weight (kg) DUPLICATE_KEY", `3 {"material":"plywood","source":"virgin","weightKg":20}`}},
		"and in one word":     {"freight", "mode,distanceKm,Anzahl,Gewicht (kg),Gesamtgewicht (kg)\nroad,9,10,20,200\n", sheet.Options{}, []string{"2 Gesamtgewicht (kg) DUPLICATE_KEY"}},
		"a total first":       {"waste", "treatment,Total kg,kg\nlandfill,200,20\n", sheet.Options{}, []string{"2 Total kg DUPLICATE_KEY"}},
		"a total alone":       {"energy", "source,00:30,Total kWh\ngrid,8.1,412.5\n", sheet.Options{}, []string{`2 {"source":"grid","energyKWh":412.5}`}},
		"of half hours":       {"energy", "source,Meter,Supplier,Postcode" + strings.Repeat(",00:30", 48) + ",Total kWh\ngrid,1,A,M1" + strings.Repeat(",8.1", 48) + ",388.8\n", sheet.Options{}, []string{`2 {"source":"grid","energyKWh":388.8}`}},
		"weights far apart":   {"materials", "material,source,Qty,Weight (kg)" + strings.Repeat(",Note", 60) + ",Total weight (kg)\nplywood,virgin,10,20" + strings.Repeat(",", 60) + ",200\n", sheet.Options{}, []string{"2 Total weight (kg) DUPLICATE_KEY"}},
		"a net weight":        {"waste", "treatment;Gross (t);Tare (t);Net (t)\nlandfill;14,20;11,05;3,15\n", sheet.Options{}, []string{`2 {"treatment":"landfill","stated":{"weightKg":"3,15 t"}}`}},
		"a net volume":        {"energy", "source,Litres delivered,Litres returned,Net litres\nhvo,1200,150,1050\n", sheet.Options{}, []string{`2 {"source":"hvo","volumeLitres":1050}`}},
		"net energy":          {"energy", "source,Net kWh\ngrid,12\n", sheet.Options{}, []string{`2 {"source":"grid"}`}},
		"a total distance":    {"ground-transport", "mode,Total km\nrail,12\n", sheet.Options{}, []string{`2 {"mode":"rail","distanceKm":12}`}},
		"a total of money":    {"purchases", "category,amount,currency,Total amount\nav_hire,20,EUR,24\n", sheet.Options{}, []string{`2 {"category":"av_hire","amount":20,"currency":"EUR"}`}},
		"two columns of type": {sheet.Mixed, "type,Type,from\nflights,flights,LHR\n", sheet.Options{}, nil},
		"an export":           {"waste", "_id,weightKg,Weightkg\na,1,1\n", sheet.Options{Known: []string{"_id"}}, nil},
	} {
		c.o.Rules = sheet.Rules
		got, _, err := all(c.file, c.typ, c.o)
		if (err != nil) != (c.want == nil) || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
		var only strings.Builder
		if c.typ == sheet.Mixed || c.want == nil {
			continue
		}
		if _, err := sheet.KeepColumns(&only, from(c.file), c.typ, c.o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, _, err := all(only.String(), c.typ, c.o); err != nil || !reflect.DeepEqual(again, c.want) {
			t.Errorf("%s, its fields alone: %q, %v, want %q", name, again, err, c.want)
		}
	}
	if _, _, err := all("from,From\nLHR,LHR\n", "flights", sheet.Options{}); err == nil {
		t.Error("a file that was accepted before may have a field twice")
	}
}
