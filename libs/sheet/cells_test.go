package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

var london = footprint.EventContext{Country: "GB", StartDate: "2026-05-12", EndDate: "2026-05-14", GWP: "published", FactorSet: "desnz-2026"}

// TestUnitsInCells sends rows through the code that reads records: what a cell
// says with its unit is what the field gets.
func TestUnitsInCells(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		o         sheet.Options
		// want is a part of the stored fields, or the code of the first fault.
		want string
	}{
		"miles":                    {"ground-transport", "mode,vehicles,distanceKm\ncar,1,112 mi\n", sheet.Options{}, `"distanceKm":180.246528`},
		"kilograms":                {"energy", "source,weightKg\npropane,94 kg\n", sheet.Options{}, `"weightKg":94`},
		"imperial gallons":         {"energy", "source,volumeLitres\ndiesel,12 imp gal\n", sheet.Options{}, `"volumeLitres":54.55308`},
		"gallons":                  {"energy", "source,volumeLitres\ndiesel,12 gal\n", sheet.Options{}, "AMBIGUOUS_UNIT"},
		"cubic yards":              {"waste", "treatment,volumeLitres,densityKgPerM3\nlandfill,8 yd3,80\n", sheet.Options{}, `"volumeLitres":6116.438863872`},
		"tonnes":                   {"waste", "treatment,weightKg\nlandfill,1.2 t\n", sheet.Options{}, `"weightKg":1200`},
		"the original":             {"waste", "treatment,weightKg\nlandfill,1.2 t\n", sheet.Options{}, `"stated":{"weightKg":"1.2 t"}`},
		"a share":                  {"energy", "source,energyKWh,renewablePercent\ngrid,94,50 %\n", sheet.Options{}, `"renewablePercent":50`},
		"a share, with a comma":    {"energy", "source,energyKWh,renewablePercent\ngrid,94,\"12,5%\"\n", sheet.Options{DecimalComma: true}, `"renewablePercent":12.5`},
		"a share of no share":      {"energy", "source,energyKWh\ngrid,50%\n", sheet.Options{}, "UNKNOWN_UNIT"},
		"another dimension":        {"waste", "treatment,weightKg\nlandfill,12 mi\n", sheet.Options{}, "UNKNOWN_UNIT"},
		"a column in miles":        {"ground-transport", "mode,vehicles,distanceMiles\ncar,1,112\n", sheet.Options{}, `"distanceKm":180.246528`},
		"one in brackets":          {"ground-transport", "mode,vehicles,Distance (miles)\ncar,1,112\n", sheet.Options{}, `"distanceKm":180.246528`},
		"of two fields, its unit":  {"energy", "source,Volume (litre)\ndiesel,100\n", sheet.Options{Rules: sheet.Rules}, `"volumeLitres":100`},
		"the other one's unit":     {"energy", "source,Volume (m3)\nnatural_gas,100\n", sheet.Options{Rules: sheet.Rules}, `"volumeM3":100`},
		"our unit in brackets":     {"ground-transport", "mode,vehicles,Distance (km)\ncar,1,112\n", sheet.Options{}, `"distanceKm":112`},
		"a head without unit":      {"ground-transport", "mode,vehicles,Distance\ncar,1,112 mi\n", sheet.Options{Rules: sheet.Rules}, `"distanceKm":180.246528`},
		"the cell's own unit":      {"ground-transport", "mode,vehicles,distanceMiles\ncar,1,112 km\n", sheet.Options{}, `"distanceKm":112`},
		"three decimals":           {"ground-transport", "mode,vehicles,distanceMiles\ncar,1,1.125\n", sheet.Options{}, `"distanceKm":1.810512`},
		"three, in doubt":          {"ground-transport", "mode,vehicles,distanceMiles\ncar,1,1.125\n", sheet.Options{Doubts: true}, "AMBIGUOUS_NUMBER"},
		"three, declared":          {"ground-transport", "mode,vehicles,distanceMiles\ncar,1,1.125\n", sheet.Options{NumberFormat: "1234.5", Doubts: true}, `"distanceKm":1.810512`},
		"three, ours":              {"energy", "_id,source,energyKWh\nr1,grid,1.125\n", sheet.Options{Known: []string{"_id"}}, `"energyKWh":1.125`},
		"three, once ours":         {"energy", "_id;source;energyKWh\nr1;grid;1.125\n", sheet.Options{Known: []string{"_id"}}, "AMBIGUOUS_NUMBER"},
		"three, between commas":    {"energy", "source,energyKWh\nStrom,\"1.200\"\n", sheet.Options{}, `"energyKWh":1.2`},
		"three, commas":            {"energy", "source,energyKWh\nStrom,\"1,200\"\n", sheet.Options{}, "AMBIGUOUS_NUMBER"},
		"three, a whole number":    {"flights", "from,to,passengers\nLHR,JFK,2.000\n", sheet.Options{Doubts: true}, "AMBIGUOUS_NUMBER"},
		"three, money":             {"purchases", "category,amount,currency\nprinting,1.200,EUR\n", sheet.Options{Doubts: true}, "AMBIGUOUS_NUMBER"},
		"three of four":            {"energy", "source,energyKWh\ngrid,1234.567\n", sheet.Options{Doubts: true}, `"energyKWh":1234.567`},
		"three, semicolons":        {"ground-transport", "mode;vehicles;distanceKm\ncar;1;1.234\n", sheet.Options{}, "AMBIGUOUS_NUMBER"},
		"in miles":                 {"ground-transport", "mode;vehicles;distanceMiles\ncar;1;1.234\n", sheet.Options{}, "AMBIGUOUS_NUMBER"},
		"less than one":            {"ground-transport", "mode;vehicles;distanceKm\ncar;1;0.234\n", sheet.Options{}, `"distanceKm":0.234`},
		"semicolons, declared":     {"ground-transport", "mode;vehicles;distanceKm\ncar;1;1.234\n", sheet.Options{NumberFormat: "1.234,5"}, `"distanceKm":1234`},
		"semicolons, ours":         {"ground-transport", "mode;vehicles;distanceKm\ncar;1;1.234\n", sheet.Options{NumberFormat: "1234.5"}, `"distanceKm":1.234`},
		"two readings":             {"ground-transport", "mode,vehicles,distanceKm\ncar,1,\"1,200\"\n", sheet.Options{}, "AMBIGUOUS_NUMBER"},
		"two with a unit":          {"ground-transport", "mode,vehicles,distanceKm\ncar,1,1.200 mi\n", sheet.Options{}, "AMBIGUOUS_NUMBER"},
		"thousands, declared":      {"ground-transport", "mode,vehicles,distanceKm\ncar,1,\"1,200\"\n", sheet.Options{NumberFormat: "1,234.5"}, `"distanceKm":1200`},
		"decimals, declared":       {"ground-transport", "mode,vehicles,distanceKm\ncar,1,\"1,200\"\n", sheet.Options{NumberFormat: "1.234,5"}, `"distanceKm":1.2`},
		"points, declared":         {"ground-transport", "mode,vehicles,distanceKm\ncar,1,1.200\n", sheet.Options{NumberFormat: "1.234,5"}, `"distanceKm":1200`},
		"not as declared":          {"ground-transport", "mode,vehicles,distanceKm\ncar,1,\"1,20\"\n", sheet.Options{NumberFormat: "1,234.5"}, "BAD_FORMAT"},
		"an integer":               {"flights", "from,to,passengers\nLHR,JFK,\"1,200\"\n", sheet.Options{NumberFormat: "1,234.5"}, `"passengers":1200`},
		"a date of ours":           {"flights", "from,to,passengers,date\nLHR,JFK,1,2026-05-12\n", sheet.Options{}, `"date":"2026-05-12"`},
		"a month as a word":        {"flights", "from,to,passengers,date\nLHR,JFK,1,2. Mai 2026\n", sheet.Options{}, `"date":"2026-05-02"`},
		"and an order":             {"flights", "from,to,passengers,date\nLHR,JFK,1,2-May-26\n", sheet.Options{DateOrder: "mdy"}, `"date":"2026-05-02"`},
		"a return journey":         {"ground-transport", "mode,passengers,from,to,Journey type\nrail,9,London,Leeds,Return\n", sheet.Options{}, `"roundTrip":true`},
		"a single one":             {"ground-transport", "mode,passengers,from,to,Single/Return\nrail,9,London,Leeds,Single\n", sheet.Options{}, `"roundTrip":false`},
		"there and back":           {"flights", "from,to,passengers,Hin/Rück\nLHR,JFK,9,Hin- und Rückflug\n", sheet.Options{}, `"roundTrip":true`},
		"neither":                  {"flights", "from,to,passengers,Trip type\nLHR,JFK,9,Business\n", sheet.Options{}, "WRONG_TYPE"},
		"of another field":         {"freight", "mode,weightKg,distanceKm,refrigerated\nroad,9,9,return\n", sheet.Options{}, "WRONG_TYPE"},
		"an amount of pounds":      {"purchases", "category,Net\nprint,£99.50\n", sheet.Options{}, `"amount":99.5,"currency":"GBP"`},
		"of euros, in German":      {"purchases", "category;Nettobetrag\nprint;1.350,50 €\n", sheet.Options{NumberFormat: "1.234,5"}, `"amount":1350.5,"currency":"EUR"`},
		"by its code":              {"purchases", "category,amount\nprint,CHF 99\n", sheet.Options{}, `"amount":99,"currency":"CHF"`},
		"of some dollars":          {"purchases", "category,amount,currency\nprint,$99,CAD\n", sheet.Options{}, `"amount":99,"currency":"CAD"`},
		"of dollars of nobody":     {"purchases", "category,amount,currency\nprint,$99,\n", sheet.Options{}, "REQUIRED"},
		"of two currencies":        {"purchases", "category,amount,currency\nprint,£99,EUR\n", sheet.Options{}, "NOT_ALLOWED"},
		"of the same":              {"purchases", "category,amount,currency\nprint,£99,gbp\n", sheet.Options{}, `"amount":99,"currency":"GBP"`},
		"of pounds, in doubt":      {"purchases", "category,amount\nprint,\"£1,350\"\n", sheet.Options{}, "AMBIGUOUS_NUMBER"},
		"of a refund":              {"purchases", "category,amount,currency\nprint,-£99,GBP\n", sheet.Options{}, "WRONG_TYPE"},
		"a booking class":          {"flights", "from,to,passengers,class\nLHR,JFK,1,J\n", sheet.Options{}, `"class":"business"`},
		"an amount without VAT":    {"purchases", "category,VAT,Net amount,Gross,currency\nprint,20,100,120,GBP\n", sheet.Options{}, `"amount":100`},
		"a day first":              {"flights", "from,to,passengers,date\nLHR,JFK,1,12/05/2026\n", sheet.Options{DateOrder: "dmy"}, `"date":"2026-05-12"`},
		"a month first":            {"flights", "from,to,passengers,date\nLHR,JFK,1,12/05/2026\n", sheet.Options{DateOrder: "mdy"}, `"date":"2026-12-05"`},
		"not declared":             {"flights", "from,to,passengers,date\nLHR,JFK,1,13/05/2026\n", sheet.Options{}, sheet.AmbiguousDate},
		"a value as people write":  {"energy", "source,energyKWh\nNatural gas,94\n", sheet.Options{}, `"source":"natural_gas"`},
		"with a hyphen":            {"ground-transport", "mode,vehicles,distanceKm,fuel\nCAR,1,5,plug-in hybrid\n", sheet.Options{}, `"fuel":"plug_in_hybrid"`},
		"a value's German name":    {"ground-transport", "mode,passengers,distanceKm\nReisebus,9,5\n", sheet.Options{}, `"mode":"coach"`},
		"its type's own":           {sheet.Mixed, "type,mode,weightKg,distanceKm\nfreight,Straße,9,5\n", sheet.Options{}, `"mode":"road"`},
		"a word for another thing": {"ground-transport", "mode,passengers,distanceKm\nminibus,9,5\n", sheet.Options{}, "NOT_ALLOWED"},
		"what tables have for it":  {"ground-transport", "mode,passengers,distanceKm\nTrain,9,5\n", sheet.Options{}, `"mode":"rail"`},
		"of its own type":          {sheet.Mixed, "type,mode,weightKg,distanceKm\nfreight,Lorry,9,5\n", sheet.Options{}, `"mode":"road"`},
		"of several words":         {"waste", "material,treatment,weightKg\nGeneral waste,energy-from-waste,9\n", sheet.Options{}, `"material":"mixed","treatment":"incineration"`},
		"what may be many things":  {"energy", "source,weightKg\nGas,9\n", sheet.Options{}, "NOT_ALLOWED"},
		"a country by its name":    {"accommodation", "Land,rooms,nights\nÖsterreich,9,5\n", sheet.Options{}, `"country":"AT"`},
		"a country that is none":   {"accommodation", "country,rooms,nights\nAtlantis,9,5\n", sheet.Options{}, "UNKNOWN_CODE"},
		"types as people write":    {sheet.Mixed, "Type,Mode,Passengers,Distance (km)\nGround transport,Coach,9,5\n", sheet.Options{}, `"mode":"coach"`},
		"types in German":          {sheet.Mixed, "TYPE,mode,Reisende,distanceKm\nBodenverkehr,coach,9,5\n", sheet.Options{}, `"passengers":9`},
		"a type that is none":      {sheet.Mixed, "type,mode\ntrains,coach\n", sheet.Options{}, "NOT_ALLOWED"},
		"heads in German":          {"flights", "von,to,Reisende,Hin und zurück\nLHR,JFK,2,ja\n", sheet.Options{}, `"roundTrip":true`},
		"yes in German":            {"flights", "from,to,passengers,roundTrip\nLHR,JFK,2,ja\n", sheet.Options{}, `"roundTrip":true`},
		"yes in French":            {"flights", "from,to,passengers,roundTrip\nLHR,JFK,2,Oui\n", sheet.Options{}, `"roundTrip":true`},
		"no in French":             {"flights", "from,to,passengers,roundTrip\nLHR,JFK,2,non\n", sheet.Options{}, `"roundTrip":false`},
		"in French":                {"catering", "meals,diet\n9,Végétarien\n", sheet.Options{}, `"diet":"vegetarian"`},
		"an export's columns":      {"ground-transport", "mode,vehicles,distanceKm,stated\ncar,1,180.246528,\"{\"\"distanceKm\"\":\"\"112 mi\"\"}\"\n", sheet.Options{}, `"stated":{"distanceKm":"112 mi"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := sheet.NewReader(strings.NewReader(c.file), c.typ, c.o)
			if err != nil {
				t.Fatal(err)
			}
			row, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			err = row.Err
			var got string
			if err == nil {
				var d footprint.Decoded
				d, err = footprint.Decode(row.Type, row.Body, london)
				got = string(d.Fields)
			}
			if e, ok := errors.AsType[*apperr.Error](err); ok {
				got = e.Details[0].Code
				if head := r.Head(e.Details[0].Field); !strings.Contains(c.file, head) {
					t.Errorf("the fault names %q, which is no column", head)
				}
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s (%s)", got, c.want, row.Body)
			}
		})
	}
}

// TestCountriesInCells: a registration list has names, codes of two and three letters, and codes of vehicles.
func TestCountriesInCells(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{"DE": "DE", "DEU": "DE", "AUT": "AT", "CHE": "CH", "SUI": "CH", "D": "DE", "F": "FR", "EL": "GR", "Germany (DE)": "DE", "NLD - Netherlands": "NL", "JPN": "JP", "Schweiz": "CH", "DE / AT": "DE / AT", "Somewhere": "Somewhere"} {
		got, _, err := all("City;Country\nX;"+cell+"\n", "attendee-travel/origins", sheet.Options{Rules: sheet.Rules})
		if text := `2 {"place":"X","country":"` + want + `"}`; err != nil || len(got) != 1 || got[0] != text {
			t.Errorf("%s: %q, %v, want %s", cell, got, err, text)
		}
	}
}

// TestMaterialsOfWasteCertificates: the names and numbers of the European List of Waste, where one names a material of the
// record; any other is refused.
func TestMaterialsOfWasteCertificates(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{"20 03 01": "mixed", "200301": "mixed", "15 01 01": "paper_card", "20 01 08": "food", "17 02 01": "wood", "Gemischte Siedlungsabfälle": "mixed", "Verpackungen aus Kunststoff": "plastic", "15 01 06": "15 01 06", "20 01 35*": "20 01 35*"} {
		got, _, err := all("material;weightKg\n"+cell+";9\n", "waste", sheet.Options{Rules: sheet.Rules})
		if text := `2 {"material":"` + want + `","weightKg":9}`; err != nil || len(got) != 1 || got[0] != text {
			t.Errorf("%s: %q, %v, want %s", cell, got, err, text)
		}
	}
}
