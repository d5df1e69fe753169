package sheet_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestBills: lines of bills and lists as hotels, railways, caterers and hirers write them.
func TestBills(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"nights of a folio": {"accommodation", "Date,Room,Guest name,Description,Qty\n2026-05-12,214,Ada Webb,Room charge,1\n2026-05-13,214,Ada Webb,Room charge,1\n2026-05-13,214,Ada Webb,Parking,1\n2026-05-13,215,Ken Ito,Zimmer,2\n2026-05-13,216,Ken Ito,Room 3 nights,1\n", []string{
			`2 {"date":"2026-05-12","description":"Room charge","rooms":1,"nights":1}`, `3 {"date":"2026-05-13","description":"Room charge","rooms":1,"nights":1}`, "4 Description ROW_NOT_COUNTED",
			`5 {"date":"2026-05-13","description":"Zimmer","rooms":1,"nights":2}`, `6 {"date":"2026-05-13","description":"Room 3 nights","rooms":1}`}},
		"kinds of rooms":     {"accommodation", "Zimmerart;Zimmer;Nächte\nEinzelzimmer;1;2\nFrühstück;1;2\n", []string{`2 {"rooms":1,"nights":2}`, "3 Zimmerart ROW_NOT_COUNTED"}},
		"days of the return": {"ground-transport", "mode;Reisender;Von;Nach;Rückfahrt am\nrail;Anna Müller;Köln Hbf;Berlin Hbf;14.05.2026\nrail;Jan Schmidt;Köln Hbf;Berlin Hbf;\n", []string{`2 {"mode":"rail","from":"Köln Hbf","to":"Berlin Hbf","roundTrip":true,"passengers":1}`, `3 {"mode":"rail","from":"Köln Hbf","to":"Berlin Hbf","passengers":1}`}},
		"one ticket":         {"ground-transport", "mode,Passenger,Origin,Destination,Tickets\nrail,Ada Webb,Leeds,London,1\nrail,Ken Ito,Leeds,London,2\n", []string{`2 {"mode":"rail","from":"Leeds","to":"London","passengers":1}`, `3 {"mode":"rail","from":"Leeds","to":"London"}`}},
		"days on site":       {"energy", "source,Size (kVA),Hours per day,Days on site\ndiesel,60,10,3\n", []string{`2 {"source":"diesel","generatorKVA":60,"hours":30}`}},
		"sizes of bins":      {"waste", "AVV-Nr.;Behälter;Anzahl;Volumen je Behälter (l);Entsorgungsweg\n200301;Presscontainer;4;1100;Verbrennung\n", []string{`2 {"treatment":"incineration","volumeLitres":4400,"material":"mixed"}`}},
		"kinds of bins":      {"waste", "Abfallart;Behälter;Leerungen;Entsorgungsweg\nGlas;MGB 240;4;Recycling\n", []string{`2 {"material":"glass","container":"wheelie_240","containers":4,"treatment":"recycling"}`}},
		"weights of nothing": {"freight", "mode;Colli;Gewicht (kg);km\nroad;24;8.400;9\n", []string{"2 Gewicht (kg) AMBIGUOUS_NUMBER"}},
	})
	if _, fault := kilograms(t, "energy", "Kraftstoff;Leistung (kW);Stunden\nDiesel;100;10\n"); fault == nil || fault.Field != "generatorKVA" || !strings.Contains(fault.Message, "125 kVA") {
		t.Errorf("a generator in kW: %+v", fault)
	}
	if kg, fault := kilograms(t, "energy", "Kraftstoff;Leistung (kW);Stunden;Liter\nDiesel;100;10;30\n"); fault != nil || kg == 0 {
		t.Errorf("litres of a generator in kW: %v, %+v", kg, fault)
	}
	// A price tells how the file writes numbers.
	f, err := sheet.DetectForm(strings.NewReader("Position;kWh;Betrag\nArbeitspreis;4.200;1.012,20\n"), "energy", sheet.Options{Rules: sheet.Rules})
	if err != nil || f.NumberFormat != "1.234,5" {
		t.Errorf("%+v, %v", f, err)
	}
	if got, _, err := all("Description,Quantity,Unit\nStanding charge,31,days\n", "energy", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{"2 Description ROW_NOT_COUNTED"}) {
		t.Errorf("%q, %v", got, err)
	}
}
