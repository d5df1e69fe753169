package sheet_test

import "testing"

// TestWordsInAnyColumn: what a row says in a column that is no field decides whether it counts, and which way it goes: such
// columns are headed in many ways.
func TestWordsInAnyColumn(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"both ways": {"flights", "from;to;passengers;Tarif\nCDG;TLS;1;Aller-retour\nCDG;TLS;1;Andata e ritorno\nCDG;TLS;1;Tur och retur\nCDG;TLS;1;Return\n",
			[]string{`2 {"from":"CDG","to":"TLS","passengers":1,"roundTrip":true}`, `3 {"from":"CDG","to":"TLS","passengers":1,"roundTrip":true}`, `4 {"from":"CDG","to":"TLS","passengers":1,"roundTrip":true}`, `5 {"from":"CDG","to":"TLS","passengers":1}`}},
		"cancelled": {"flights", "from;to;passengers;Trayecto\nMAD;BRU;1;Anulado\nMAD;BRU;1;Anulowane\nMAD;BRU;1;Avbokad\nMAD;BRU;1;Zrušeno\nMAD;BRU;1;Peruttu\nMAD;BRU;1;Storno möglich\n",
			[]string{"2 Trayecto ROW_NOT_COUNTED", "3 Trayecto ROW_NOT_COUNTED", "4 Trayecto ROW_NOT_COUNTED", "5 Trayecto ROW_NOT_COUNTED", "6 Trayecto ROW_NOT_COUNTED", `7 {"from":"MAD","to":"BRU","passengers":1}`}},
		"totals": {"waste", "weightKg;treatment;Ort\n10;landfill;A\n20;landfill;B\n30;;Razem\n30;;Celkem\n30;;Yhteensä\n30;;I alt\n30;;Totalt\n",
			[]string{`2 {"weightKg":10,"treatment":"landfill"}`, `3 {"weightKg":20,"treatment":"landfill"}`, "4 Ort TOTALS_ROW", "5 Ort TOTALS_ROW", "6 Ort TOTALS_ROW", "7 Ort TOTALS_ROW", "8 Ort TOTALS_ROW"}},
		"a class of booking":     {"flights", "from;to;passengers;Buchungsklasse\nHAM;BCN;1;Business\nHAM;BCN;1;V\n", []string{`2 {"from":"HAM","to":"BCN","passengers":1,"class":"business"}`, `3 {"from":"HAM","to":"BCN","passengers":1}`}},
		"who travels":            {"flights", "Reisende;from;to\nHansen Kari;OSL;BGO\n2;OSL;BGO\n", []string{`2 {"passengers":1,"from":"OSL","to":"BGO"}`, `3 {"passengers":2,"from":"OSL","to":"BGO"}`}},
		"a service":              {"freight", "Service,from,to,weightKg\nRoad,Leeds,London,42.5\nExpress,Leeds,London,10\n", []string{`2 {"from":"Leeds","to":"London","weightKg":42.5,"mode":"road"}`, `3 {"from":"Leeds","to":"London","weightKg":10}`}},
		"from A to B in Italian": {"flights", "Da;A;passengers\nFCO;LIN;1\n", []string{`2 {"from":"FCO","to":"LIN","passengers":1}`}},
		"contracts of hire":      {"ground-transport", "Contrato;Vehículo;Km recorridos;Cantidad\nA-1;Furgoneta;120;1\nA-2;Turismo;415;\nA-3;Turismo;415;2\n", []string{`2 {"distanceKm":120,"mode":"van","vehicles":1}`, `3 {"distanceKm":415,"mode":"car","vehicles":1}`, `4 {"distanceKm":415,"mode":"car"}`}},
		"a survey":               {"ground-transport", "Name,How did you travel?,distanceKm\nAda,Train,200\n", []string{`2 {"mode":"rail","distanceKm":200,"passengers":1}`}},
	})
}

// TestAmountsAndModesThatAreAskedAbout: what a spreadsheet leaves of a difference of nothing is no amount, and of a vehicle that is
// shared only the whole can be counted.
func TestAmountsAndModesThatAreAskedAbout(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"a residue": {"energy", "source,energyKWh\ngrid,1e-30\ngrid,-4.5E-13\ngrid,1.2E+03\ngrid,0\n", []string{"2 energyKWh OUT_OF_RANGE", "3 energyKWh OUT_OF_RANGE", `4 {"source":"grid","energyKWh":1.2E+03}`, `5 {"source":"grid","energyKWh":0}`}},
		"a shared car": {"ground-transport", "mode,distanceKm,passengers\nCar (shared with 3),120,1\nCovoiturage,120,1\nCar (driver only),40,1\n",
			[]string{"2 mode NOT_ALLOWED", "3 mode NOT_ALLOWED", `4 {"mode":"car","distanceKm":40,"passengers":1}`}},
	})
}
