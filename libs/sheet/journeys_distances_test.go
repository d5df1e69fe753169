package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// A distance that a column says beside the one that counts is asked about where the record would count another.
func TestDistancesOfTheWayBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		head, way, cell string
		fault           bool
	}{
		{"Return distance (km)", "yes", "300", false},
		{"Return distance (km)", "yes", "600", false},
		{"Return distance (km)", "yes", "900", true},
		{"Return distance (km)", "", "300", true},
		{"Return km", "no", "310", true},
		{"Return km", "no", "", false},
		{"Return km", "no", "0", false},
		{"Return miles", "yes", "186.4", false},
		{"Rückfahrt (km)", "", "300", true},
		{"Round trip distance (km)", "yes", "600", false},
		{"Round-trip distance (km)", "yes", "300", true},
		{"Round trip km", "no", "600", true},
		{"Distance both ways", "yes", "300 km", true},
		{"Gesamtstrecke (km)", "yes", "300", true},
		{"Total km", "no", "300", false},
		{"Total km", "no", "900", false},
		{"One-way distance (km)", "yes", "150", true},
		{"One-way distance (km)", "yes", "300", false},
		{"One-way distance (km)", "no", "150", false},
		{"Distance to the station", "yes", "3", false},
	} {
		file, want := "mode;passengers;distanceKm;roundTrip;"+c.head+"\nrail;1;300;"+c.way+";"+c.cell+"\n", `2 {"mode":"rail","passengers":1,"distanceKm":300`
		switch {
		case c.fault:
			want = "2 " + c.head + " NOT_ALLOWED"
		case c.way == "yes":
			want += `,"roundTrip":true}`
		case c.way == "no":
			want += `,"roundTrip":false}`
		default:
			want += "}"
		}
		if got, _, err := all(file, "ground-transport", sheet.Options{Rules: sheet.Rules, NumberFormat: "1,234.5"}); err != nil || !reflect.DeepEqual(got, []string{want}) {
			t.Errorf("%s %q, return %q: %q, %v, want %s", c.head, c.cell, c.way, got, err, want)
		}
	}
	for name, c := range map[string]struct{ file, want string }{
		"miles beside miles": {"mode;passengers;Distance (miles);Return;Return distance\nrail;1;100;yes;100\n", `2 {"mode":"rail","passengers":1,"roundTrip":true,"stated":{"distanceKm":"100 mi"}}`},
		"one way":            {"mode;passengers;km einfach;km gesamt;Hin/Rück\nrail;1;30;60;ja\n", `2 {"mode":"rail","passengers":1,"distanceKm":30,"roundTrip":true}`},
		"one way in miles":   {"mode;passengers;One-way miles\nrail;1;30\n", `2 {"mode":"rail","passengers":1,"stated":{"distanceKm":"30 mi"}}`},
		"two decimals":       {"mode;passengers;distanceKm;Return distance (km)\nrail;1;100.25;100.25\n", "2 Return distance (km) NOT_ALLOWED"},
		"one way of two":     {"mode;passengers;km einfach;km gesamt\nrail;1;30;60\n", "2 km gesamt NOT_ALLOWED"},
		"beside places":      {"mode;from;to;passengers;Total km\nrail;Leeds;York;1;80\n", "2 Total km NOT_ALLOWED"},
		"places and back":    {"mode;from;to;passengers;Return;Total km\nrail;Leeds;York;1;yes;80\n", `2 {"mode":"rail","from":"Leeds","to":"York","passengers":1,"roundTrip":true}`},
		"all of it":          {"mode;passengers;Total km\ncar;1;300\n", `2 {"mode":"car","passengers":1,"distanceKm":300}`},
		"all of it in miles": {"mode;vehicles;passengers;Gesamtstrecke (miles)\ncar;1;3;300\n", `2 {"mode":"car","vehicles":1,"passengers":3,"stated":{"distanceKm":"300 mi"}}`},
		"all of it, shared":  {"mode;passengers;Gesamt km\ncar;3;300\n", "2 Gesamt km AMBIGUOUS_COUNT"},
		"all of it, trips":   {"mode;passengers;Fahrten;Gesamt km\ncar;1;2;300\n", "2 Gesamt km AMBIGUOUS_COUNT"},
		"all of it, return":  {"mode;passengers;Return;Round trip km\ncar;1;yes;300\n", "2 Round trip km AMBIGUOUS_COUNT"},
		"all of two":         {"mode;vehicles;Total km\ncar;2;300\n", "2 Total km AMBIGUOUS_COUNT"},
		"two vehicles":       {"mode;vehicles;distanceKm;Total distance (km)\ncar;2;100;200\n", `2 {"mode":"car","vehicles":2,"distanceKm":100}`},
	} {
		if got, _, err := all(c.file, "ground-transport", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
	for file, want := range map[string]string{
		"mode;Total weight (kg);Total km;Trucks\nroad;900;120;1\n": `2 {"mode":"road","weightKg":900,"distanceKm":120}`,
		"mode;Total weight (kg);Total km;Trucks\nroad;900;120;4\n": "2 Total km AMBIGUOUS_COUNT",
	} {
		if got, _, err := all(file, "freight", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{want}) {
			t.Errorf("%q: %q, %v, want %s", file, got, err, want)
		}
	}
	if got, _, err := all("mode;distanceKm;Return km\nrail;300;300\n", "ground-transport", sheet.Options{}); err != nil || len(got) != 1 || got[0] != `2 {"mode":"rail","distanceKm":300}` {
		t.Errorf("a file that was accepted before: %q, %v", got, err)
	}
}
