package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestTablesOfSuppliers: headings and words of travel agencies, carriers, waste companies and utilities.
func TestTablesOfSuppliers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		want      []string
	}{
		"codes beside cities": {"flights", "PNR,Traveler Name,Origin City,Origin Code,Dest City,Dest Code,Trip Type\nQX7T2L,WEBB/ADA,London,LHR,Berlin,BER,OneWay\n", []string{
			`2 {"from":"LHR","to":"BER","roundTrip":false,"passengers":1}`}},
		"cities behind codes":  {"flights", "passengers,Origin Code,Origin City,Dest Code,Dest City\n1,LHR,London,BER,Berlin\n", []string{`2 {"passengers":1,"from":"LHR","to":"BER"}`}},
		"cities of trains":     {"ground-transport", "mode,passengers,Origin City,Origin Code,Destination City\nrail,1,London,EUS,Leeds\n", []string{`2 {"mode":"rail","passengers":1,"from":"London","to":"Leeds"}`}},
		"one way":              {"ground-transport", "Von;Nach;Verkehrsmittel;Anzahl Reisende;Hin-/Rückfahrt\nHamburg;Berlin;Flixbus;3;Hinfahrt\n", []string{`2 {"from":"Hamburg","to":"Berlin","mode":"coach","passengers":3,"roundTrip":false}`}},
		"a hire car":           {"ground-transport", "mode,Driver,vehicles,Days,Miles Out,Miles In,Miles Driven\ncar,Ada Webb,1,3,12040,12352,312\n", []string{`2 {"mode":"car","vehicles":1,"stated":{"distanceKm":"312 mi"}}`}},
		"a rider":              {"ground-transport", "mode,Rider,Distance (mi)\ntaxi,Ada Webb,24.6\n", []string{`2 {"mode":"taxi","passengers":1,"stated":{"distanceKm":"24.6 mi"}}`}},
		"waste by its codes":   {"waste", "WTN No,EWC Code,Net Weight (kg),Disposal/Recovery Code\nW100,20 03 01,312,R1\n", []string{`2 {"weightKg":312,"treatment":"incineration","material":"mixed"}`}},
		"units of a meter":     {"energy", "Fuel,Opening Read,Closing Read,Units Used (kWh)\nElectricity,45120,52480,7360\n", []string{`2 {"source":"grid","energyKWh":7360}`}},
		"units without one":    {"energy", "source,Units Used\ngrid,7360\n", []string{"2 Units Used BAD_FORMAT"}},
		"kilometres driven":    {"ground-transport", "Mitarbeiter;mode;passengers;km gefahren;Mitfahrer;Erstattung\nWeber;car;1;56;0;16,80\n", []string{`2 {"mode":"car","passengers":1,"distanceKm":56}`}},
		"a refund":             {"ground-transport", "mode;passengers;from;to;Erstattung\nrail;1;Bonn;Ulm;16,80\n", []string{"2 Erstattung ROW_NOT_COUNTED"}},
		"hire of a generator":  {"energy", "Asset,Size (kVA),Run Hours,Fuel Used (L),Fuel Type\nG1,100,36,410,HVO\n", []string{`2 {"generatorKVA":100,"hours":36,"volumeLitres":410,"source":"hvo"}`}},
		"units of an invoice":  {"energy", "Medium;Menge;ME\nStrom;820;kWh\nHeizöl;150;l\n", []string{`2 {"source":"grid","stated":{"energyKWh":"820 kWh"}}`, `3 {"source":"Heizöl","stated":{"volumeLitres":"150 l"}}`}},
		"codes of an operator": {"flights", "From (ICAO),To (ICAO),Pax,Block time\nEGLL,EDDB,48,1:55\n", []string{`2 {"from":"EGLL","to":"EDDB","passengers":48}`}},
		"weight of each lift": {"waste", "material;treatment;Behälter;Anzahl;Leerungen;Gewicht je Leerung (kg)\nmixed;incineration;MGB 1100;2;4;60\nmixed;incineration;MGB 1100;1;4;60\n", []string{
			"2 Anzahl AMBIGUOUS_COUNT", `3 {"material":"mixed","treatment":"incineration","container":"wheelie_1100","containers":4,"weightKg":240}`}},
		"a lorry": {"freight", "Modus;mode;Beladeort;Entladeort;LKW-Typ;Gewicht (t)\nx;road;Hamburg;Berlin;van;1\n", []string{`2 {"mode":"road","from":"Hamburg","to":"Berlin","vehicle":"van","stated":{"weightKg":"1 t"}}`}},
	} {
		if got, _, err := all(c.file, c.typ, sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}
