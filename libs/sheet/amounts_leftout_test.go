package sheet_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// Energy that would be left out, and a weight that may be that of each piece, are asked about.
func TestAmountsThatWouldBeLeftOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		rules     int
		want      string
	}{
		"day and night":       {"venue", "Electricity day kWh,Electricity night kWh,Gas kWh\n1200,300,500\n", sheet.Rules, `2 {"gasKWh":500,"electricityKWh":1500}`},
		"day and standing":    {"venue", "Electricity day kWh,Electricity other kWh,Gas kWh\n1200,300,500\n", sheet.Rules, "2 Electricity day kWh NOT_ALLOWED"},
		"gas by volume":       {"venue", "Electricity (kWh),Gas (m3)\n1200,100\n", sheet.Rules, "2 Gas (m3) NOT_ALLOWED"},
		"with its unit":       {"venue", "Electricity (kWh),Gas (m3)\n1200,100 m3\n", sheet.Rules, "2 Gas (m3) NOT_ALLOWED"},
		"none of it":          {"venue", "Electricity (kWh),Gas (m3)\n1200,0\n", sheet.Rules, `2 {"electricityKWh":1200}`},
		"a part beside all":   {"venue", "Electricity (kWh),Electricity day kWh\n1200,900\n", sheet.Rules, `2 {"electricityKWh":1200}`},
		"what it cost":        {"venue", "Electricity (kWh),Gas cost\n1200,100\n", sheet.Rules, `2 {"electricityKWh":1200}`},
		"accepted before":     {"venue", "Electricity (kWh),Gas (m3)\n1200,100\n", 0, `2 {"electricityKWh":1200}`},
		"grams of each":       {"materials", "material,source,Quantity,Weight (g)\nplywood,virgin,500,180\n", sheet.Rules, "2 Quantity AMBIGUOUS_COUNT"},
		"kilograms of each":   {"materials", "material,source,Stück,Gewicht (kg)\nplywood,virgin,24,18\n", sheet.Rules, "2 Stück AMBIGUOUS_COUNT"},
		"of a thousand":       {"materials", "material,source,Qty,Weight (kg)\nplywood,virgin,\"1,200\",18\n", sheet.Rules, "2 Qty AMBIGUOUS_COUNT"},
		"of a thousand more":  {"materials", "material;source;Stück;Gewicht (kg)\nplywood;virgin;1 200;18\n", sheet.Rules, "2 Stück AMBIGUOUS_COUNT"},
		"of pieces":           {"materials", "material,source,Qty,Weight (kg)\nplywood,virgin,24 pcs,18\n", sheet.Rules, "2 Qty AMBIGUOUS_COUNT"},
		"one piece, as said":  {"materials", "material,source,Qty,Weight (kg)\nplywood,virgin,1 pc,18\n", sheet.Rules, `2 {"material":"plywood","source":"virgin","weightKg":18}`},
		"one piece":           {"materials", "material,source,Qty,Weight (kg)\nplywood,virgin,1,18\n", sheet.Rules, `2 {"material":"plywood","source":"virgin","weightKg":18}`},
		"a total":             {"materials", "material,source,Qty,Total weight (kg)\nplywood,virgin,24,432\n", sheet.Rules, `2 {"material":"plywood","source":"virgin","weightKg":432}`},
		"a total in a word":   {"materials", "material,source,Anzahl,Gesamtgewicht (kg)\nplywood,virgin,24,432\n", sheet.Rules, `2 {"material":"plywood","source":"virgin","weightKg":432}`},
		"by the field":        {"materials", "material,source,Qty,weightKg\nplywood,virgin,24,432\n", sheet.Rules, `2 {"material":"plywood","source":"virgin","weightKg":432}`},
		"by weight":           {"materials", "material,source,Quantity,Unit,Weight (kg)\nplywood,virgin,432,kg,432\n", sheet.Rules, `2 {"material":"plywood","source":"virgin","weightKg":432}`},
		"a shipment":          {"freight", "mode,distanceKm,Pieces,Weight (kg)\nroad,9,4,120\n", sheet.Rules, `2 {"mode":"road","distanceKm":9,"weightKg":120}`},
		"numbers of rooms":    {"accommodation", "# Rooms,nights,# Guests\n10,3,14\n", sheet.Rules, `2 {"rooms":10,"nights":3,"guests":14}`},
		"weighed, before":     {"materials", "material,source,Qty,kg\nplywood,virgin,24,432\n", 0, `2 {"material":"plywood","source":"virgin","weightKg":432}`},
		"kilograms of pieces": {"materials", "material,source,Qty,kg\nplywood,virgin,24,432\n", sheet.Rules, "2 Qty AMBIGUOUS_COUNT"},
	} {
		if got, _, err := all(c.file, c.typ, sheet.Options{Rules: c.rules}); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
}

// A cell is named in the ignored columns when what is read after the columns of fields leaves it out: the product of a
// weight and a distance that are there, the number of stops, the class of a train, a distance beside places.
func TestColumnsLeftOutLate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, file string
		ignored   []string
	}{
		{"freight", "mode,tkm,weightKg,distanceKm\nroad,1200,6000,200\n", []string{"tkm"}},
		{"freight", "mode,tkm,weightKg,distanceKm\nroad,,6000,200\n", nil},
		{"flights", "From,To,Pax,Stops\nFRA,JFK,1,2 stops\n", []string{"Stops"}},
		{"flights", "From,To,Pax,Flight 1\nFRA,JFK,1,LH400\n", []string{"Flight 1"}},
		{"ground-transport", "mode,passengers,from,to,Leg 1 class,Leg 1 km\nrail,1,Kiel,Hamburg,2,95\n", []string{"Leg 1 class", "Leg 1 km"}},
		{"mixed", "type,from,to,passengers,Leg 2 to,treatment,weightKg\nwaste,,,,CDG,landfill,9\n", []string{"Leg 2 to"}},
	} {
		if _, r, err := all(c.file, c.typ, sheet.Options{Rules: sheet.Rules}); err != nil || !slices.Equal(r.Ignored(), c.ignored) {
			t.Errorf("%s: %q, %v, want %q", c.file, r.Ignored(), err, c.ignored)
		}
	}
}
