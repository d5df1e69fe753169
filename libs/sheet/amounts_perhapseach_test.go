package sheet_test

import (
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// kilograms returns the figure of the only row of a file, or its fault.
func kilograms(t *testing.T, typ, file string) (kg float64, fault *apperr.Detail) {
	t.Helper()
	r, err := sheet.NewReader(strings.NewReader(file), typ, sheet.Options{Rules: sheet.Rules})
	if err != nil {
		t.Fatalf("%q: %v", file, err)
	}
	row, err := r.Next()
	if err != nil {
		t.Fatalf("%q: %v", file, err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("%q: %v", file, err)
	}
	refused := row.Err
	var d footprint.Decoded
	if refused == nil {
		d, refused = footprint.Options{}.Decode(typ, row.Body, footprint.EventContext{Country: "DE", StartDate: "2026-05-12", EndDate: "2026-05-14", Attendees: 1000, RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"})
	}
	if e, ok := errors.AsType[*apperr.Error](refused); ok {
		return 0, &e.Details[0]
	}
	if refused != nil {
		t.Fatalf("%q: %v", file, refused)
	}
	p := total.PreviewOf(&d.Evaluation, "")
	if kg, err = strconv.ParseFloat(string(p.KgCO2e.AppendKilograms(nil)), 64); err != nil {
		t.Fatal(err)
	}
	return kg, nil
}

// written are the headings that a message offers for an amount of each and of all.
var written = regexp.MustCompile(`Write "([^"]+)" above it if it is that of each, or "([^"]+)" if`)

// TestAmountsOfEachOrOfAll: an amount beside a number of things is asked about, and both answers that the message offers
// are understood: they come to the figure that the row has without the number, once and as often as there are things.
func TestAmountsOfEachOrOfAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ typ, file, each, all string }{
		"trips of freight":       {"freight", "mode,Tonnes,km,Trips\nroad,4,200,3\n", "", ""},
		"lorries":                {"freight", "Transportart;Gewicht (t);Entfernung (km);Anzahl LKW\nLKW;4;200;3\n", "Gewicht pro Fahrt (t)", "Gewicht gesamt (t)"},
		"vehicles":               {"freight", "Transportart;Tonnen;km;Fahrzeuge\nLKW;4;200;3\n", "Tonnen pro Fahrt", "Tonnen gesamt"},
		"loads":                  {"freight", "mode,Weight,Distance (km),Loads\nroad,4000 kg,200,3\n", "", ""},
		"containers by volume":   {"waste", "Abfallart;Stück;m³;Entsorgung\nRestmüll;3;1,1;Deponie\n", "m³ pro Stück", "m³ gesamt"},
		"bins by volume":         {"waste", "Waste type,Treatment,Number of bins,Litres\nmixed,landfill,3,240\n", "", ""},
		"collections of volume":  {"waste", "Waste type,Treatment,Volume (m3),Collections\nmixed,landfill,1.1,3\n", "", ""},
		"bins and collections":   {"waste", "Waste type,Treatment,Container,Containers,Collections\nmixed,landfill,wheelie_240,4,3\n", "", ""},
		"emptyings of bins":      {"waste", "Abfallart;Behandlung;Anzahl;Behältergröße;Leerungen\nRestmüll;Deponie;3;1100 l;2\n", "Leerungen pro Stück", "Leerungen gesamt"},
		"pieces by area":         {"materials", "Material;Herkunft;Anzahl;m²\nTeppich;neu;3;8\n", "m² pro Stück", "m² gesamt"},
		"pieces by weight":       {"materials", "material,source,Quantity,Weight (kg)\nplywood,virgin,3,8\n", "", ""},
		"days of meals":          {"catering", "Menu,Meals,Days\nvegetarian,100,3\n", "", ""},
		"days of people":         {"catering", "Kostform;Personen;Tage\nvegan;100;3\n", "Personen pro Tag", "Personen gesamt"},
		"days of a conference":   {"digital", "Activity,Participants,Hours,Days\nconference,50,6,3\n", "", ""},
		"sessions":               {"digital", "Activity,Participants,Duration (hours),Sessions\nconference,50,2,3\n", "", ""},
		"days of a generator":    {"energy", "source,Generator kVA,Hours,Days\ndiesel,100,10,3\n", "", ""},
		"several generators":     {"energy", "Kraftstoff;Leistung (kVA);Stunden;Anzahl Aggregate\nDiesel;100;10;3\n", "Stunden pro Stück", "Stunden gesamt"},
		"cylinders":              {"energy", "source,Cylinders,Weight (kg)\npropane,3,19\n", "", ""},
		"canisters":              {"energy", "Brennstoff;Kanister;Liter\nDiesel;3;20\n", "Liter pro Stück", "Liter gesamt"},
		"tanks of water":         {"water", "m3,Tankers\n10,3\n", "", ""},
		"what a thing costs":     {"purchases", "category,Qty,Cost,currency\ncatering,3,5,EUR\n", "", ""},
		"in a file without each": {"materials", "material,source,Pieces,Weight (g)\nplywood,virgin,3,800\n", "", ""},
	} {
		_, fault := kilograms(t, c.typ, c.file)
		if fault == nil || fault.Code != sheet.AmbiguousCount {
			t.Errorf("%s: %+v, want %s", name, fault, sheet.AmbiguousCount)
			continue
		}
		offered := written.FindStringSubmatch(fault.Message)
		if offered == nil {
			t.Errorf("%s: the message offers nothing: %s", name, fault.Message)
			continue
		}
		head, row, _ := strings.Cut(c.file, "\n")
		comma := ","
		if strings.Contains(head, ";") {
			comma = ";"
		}
		heads := strings.Split(head, comma)
		asked := strings.TrimPrefix(offered[2], "Total ")
		with := func(name string, leaveOut bool) string {
			out := make([]string, len(heads))
			for i, head := range heads {
				switch out[i] = head; {
				case head == asked:
					out[i] = name
				case leaveOut && head == fault.Field:
					out[i] = "x"
				}
			}
			return strings.Join(out, comma) + "\n" + row
		}
		once, fault := kilograms(t, c.typ, with(asked, true))
		if fault != nil || once == 0 {
			t.Errorf("%s, without the number: %+v", name, fault)
			continue
		}
		offers := map[string]float64{offered[1]: 3, offered[2]: 1, c.each: 3, c.all: 1} // the last ones are those of the German sentence
		delete(offers, "")
		for text, times := range offers {
			if got, fault := kilograms(t, c.typ, with(text, false)); fault != nil || math.Abs(got-times*once) > 1e-5 {
				t.Errorf("%s: %q is %v kg, %+v, want %v", name, text, got, fault, times*once)
			}
		}
	}
}

// TestNumbersThatDoNotMultiply: what is no number of things, or is in the amount already.
func TestNumbersThatDoNotMultiply(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"one trip":               {"freight", "mode,weightKg,distanceKm,Trips\nroad,4,200,1\n", []string{`2 {"mode":"road","weightKg":4,"distanceKm":200}`}},
		"pieces of a shipment":   {"freight", "mode,distanceKm,Pallets,Weight (kg)\nroad,9,4,120\n", []string{`2 {"mode":"road","distanceKm":9,"weightKg":120}`}},
		"of all trips":           {"freight", "mode,Total weight (kg),distanceKm,Trips\nroad,4,200,3\n", []string{`2 {"mode":"road","weightKg":4,"distanceKm":200}`}},
		"days of a bill":         {"energy", "source,kWh,Days\ngrid,200,30\n", []string{`2 {"source":"grid","energyKWh":200}`}},
		"more hours than a day":  {"energy", "source,generatorKVA,hours,Days\ndiesel,100,30,3\n", []string{`2 {"source":"diesel","generatorKVA":100,"hours":30}`}},
		"hours of fuel":          {"energy", "source,volumeLitres,hours,generatorKVA,Days\ndiesel,100,10,50,3\n", []string{`2 {"source":"diesel","volumeLitres":100,"hours":10,"generatorKVA":50}`}},
		"the amount once more":   {"energy", "source,Quantity,Litres\ndiesel,20,20\n", []string{`2 {"source":"diesel","volumeLitres":20}`}},
		"tickets of passengers":  {"flights", "from,to,passengers,Tickets,Qty\nLHR,JFK,2,2,2\n", []string{`2 {"from":"LHR","to":"JFK","passengers":2}`}},
		"days a car is rented":   {"ground-transport", "mode,vehicles,km,Rental days\ncar,1,450,3\n", []string{`2 {"mode":"car","vehicles":1,"distanceKm":450}`}},
		"rooms once more":        {"accommodation", "rooms,nights,Qty\n2,3,6\n", []string{`2 {"rooms":2,"nights":3}`}},
		"what a line comes to":   {"purchases", "category;Menge;Einzelpreis;Betrag;currency\ncatering;10;5;50;EUR\n", []string{`2 {"category":"catering","amount":50,"currency":"EUR"}`}},
		"weighed bins":           {"waste", "material,treatment,weightKg,volumeLitres,Bins\nmixed,landfill,9,240,4\n", []string{`2 {"material":"mixed","treatment":"landfill","weightKg":9,"volumeLitres":240}`}},
		"numbers of rows":        {"materials", "No,material,source,weightKg\n2,plywood,virgin,8\n", []string{`2 {"material":"plywood","source":"virgin","weightKg":8}`}},
		"pieces in a unit":       {"materials", "material,source,Quantity,Unit,Weight (kg)\nplywood,virgin,8,kg,8\n", []string{`2 {"material":"plywood","source":"virgin","weightKg":8}`}},
		"nights in total":        {"accommodation", "Hotel;Zimmer;Nächte gesamt\nIbis;1;3\nIbis;2;6\n", []string{`2 {"description":"Ibis","rooms":1,"nights":3}`, "3 Nächte gesamt AMBIGUOUS_COUNT"}},
		"nights of one guest":    {"accommodation", "Hotel;Gäste;Übernachtungen\nIbis;1;3\nIbis;2;3\n", []string{`2 {"description":"Ibis","guests":1,"nights":3}`, "3 Übernachtungen AMBIGUOUS_COUNT"}},
		"nights of all guests":   {"accommodation", "Hotel;Gäste;Gästenächte\nIbis;2;6\nIbis;4;6\nIbis;;6\n", []string{`2 {"description":"Ibis","guests":2,"nights":3}`, `3 {"description":"Ibis","guests":6,"nights":1}`, `4 {"description":"Ibis","guests":6,"nights":1}`}},
		"nights of all rooms":    {"accommodation", "Rooms,Room nights\n2,6\n2,7\n", []string{`2 {"rooms":2,"nights":3}`, `3 {"rooms":7,"nights":1}`}},
		"an export":              {"materials", "_id,material,source,Qty,Weight (kg)\n,plywood,virgin,8,8\n", []string{`2 {"material":"plywood","source":"virgin","weightKg":8}`}},
		"journeys without trips": {"ground-transport", "mode,passengers,km,Days\ncoach,40,100,3\n", []string{"2 Days AMBIGUOUS_COUNT"}},
		"journeys with trips":    {"ground-transport", "mode,passengers,km,trips,Days\ncoach,40,100,6,3\n", []string{`2 {"mode":"coach","passengers":40,"distanceKm":100,"trips":6}`}},
		"places without trips":   {"ground-transport", "mode,passengers,from,to,Qty\nrail,2,Berlin,Hamburg,4\n", []string{"2 Qty AMBIGUOUS_COUNT"}},
		"numbers of returns":     {"flights", "from,to,passengers,No. of return trips\nLHR,JFK,2,3\n", []string{"2 No. of return trips AMBIGUOUS_COUNT"}},
		"numbers of flights":     {"flights", "from,to,passengers,Number of flights\nLHR,JFK,2,3\n", []string{"2 Number of flights AMBIGUOUS_COUNT"}},
	})
}

// TestAmountsOfEach: an amount that says what it is of each of is multiplied, and is asked about where nothing says how
// many there are.
func TestAmountsOfEach(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"pallets":             {"freight", "mode,Pallets,Weight per pallet (kg),Distance (km)\nroad,10,400.5,200\nroad,,400,200\nroad,3,,200\n", []string{`2 {"mode":"road","distanceKm":200,"weightKg":4005}`, "3 Weight per pallet (kg) REQUIRED", `4 {"mode":"road","distanceKm":200}`}},
		"lorries in German":   {"freight", "Transportart;Anzahl LKW;Gewicht pro LKW (t);km\nLKW;3;1,5;200\n", []string{`2 {"mode":"road","distanceKm":200,"stated":{"weightKg":"4.5 t"}}`}},
		"kilometres each":     {"freight", "mode,weightKg,km per trip\nroad,400,20\n", []string{`2 {"mode":"road","weightKg":400,"distanceKm":20}`}},
		"pieces":              {"materials", "Material;Herkunft;Menge;Einheit;Einzelgewicht (kg)\nSperrholz;neu;24;Stk;18,5\n", []string{`2 {"material":"plywood","source":"virgin","weightKg":444}`}},
		"with its unit":       {"materials", "material,source,Qty,Weight each\nplywood,virgin,24 pcs,500 g\n", []string{`2 {"material":"plywood","source":"virgin","stated":{"weightKg":"12000 g"}}`}},
		"sizes of bins":       {"waste", "Waste type,Treatment,Number of bins,Bin size (litres)\nmixed,landfill,4,240\n", []string{`2 {"material":"mixed","treatment":"landfill","volumeLitres":960}`}},
		"days":                {"digital", "Activity,Participants,Hours per day,Days\nconference,50,6.5,3\n", []string{`2 {"activity":"conference","participants":50,"hours":19.5}`}},
		"days and generators": {"energy", "source,generatorKVA,Hours/day,Days,Generators\ndiesel,100,10,3,1\ndiesel,100,10,3,2\n", []string{`2 {"source":"diesel","generatorKVA":100,"hours":30}`, "3 Generators AMBIGUOUS_COUNT"}},
		"litres of each hour": {"energy", "Brennstoff;Verbrauch (l/h);Betriebsstunden\nDiesel;10,5;30\n", []string{`2 {"source":"diesel","volumeLitres":315}`}},
		"beside the size":     {"energy", "source,generatorKVA,Litres per hour,hours\ndiesel,60,10,30\n", []string{`2 {"source":"diesel","generatorKVA":60,"hours":30,"volumeLitres":300}`}},
		"meals of guests":     {"catering", "Guests,diet,Meals per guest\n80,vegan,2\n", []string{`2 {"diet":"vegan","meals":160}`}},
		"meals of days":       {"catering", "Guests,diet,Meals per day\n80,vegan,2\n80,vegan,1\n", []string{"2 Meals per day AMBIGUOUS_COUNT", `3 {"meals":80,"diet":"vegan"}`}},
		"prices":              {"purchases", "Kostenart;Menge;Einzelpreis;Währung\ncatering;10;4,50 €;EUR\n", []string{`2 {"category":"catering","currency":"EUR","amount":45}`}},
		"people of rooms":     {"accommodation", "Zimmer;Personen pro Zimmer;Nächte\n10;2;3\n", []string{`2 {"rooms":10,"nights":3,"guests":20}`}},
		"nights of people":    {"accommodation", "Guests,Nights per guest\n10,3\n", []string{`2 {"guests":10,"nights":3}`}},
		"beside a whole":      {"freight", "mode,distanceKm,Pallets,Weight per pallet (kg),Weight (kg)\nroad,9,4,30,120\n", []string{`2 {"mode":"road","distanceKm":9,"weightKg":120}`}},
		"with a comma or not": {"materials", "material,source,Qty,Weight each (kg)\nplywood,virgin,24,\"1,200\"\n", []string{"2 Weight each (kg) AMBIGUOUS_NUMBER"}},
		"no number":           {"materials", "material,source,Qty,Weight each (kg)\nplywood,virgin,24,heavy\n", []string{"2 Weight each (kg) BAD_FORMAT"}},
		"hours of litres":     {"energy", "source,Litres,hours\ndiesel,300,30\n", []string{`2 {"source":"diesel","volumeLitres":300}`}},
		"sides":               {"materials", "Material;Herkunft;Breite (cm);Höhe (m);Anzahl\nTeppich;neu;250;2,4;4\nTeppich;neu;250;2;\nTeppich;neu;;2;4\n", []string{`2 {"material":"carpet","source":"virgin","areaM2":24}`, `3 {"material":"carpet","source":"virgin","areaM2":5}`, `4 {"material":"carpet","source":"virgin"}`}},
		"cars":                {"ground-transport", "mode,km,Number of cars\ncar,100,4\n", []string{`2 {"mode":"car","distanceKm":100,"vehicles":4}`}},
		"kilometres of days":  {"ground-transport", "mode,km per day,vehicles,Days\nvan,100,2,3\n", []string{`2 {"mode":"van","vehicles":2,"distanceKm":300}`}},
	})
}
