package sheet_test

import "testing"

// TestRowsOfCharges: a row that repeats the places, nights or kilowatt hours of another one to charge for a seat, a fee or a tax
// does not count, and of an exchanged ticket it is asked which one was used.
func TestRowsOfCharges(t *testing.T) {
	t.Parallel()
	const flight = `{"from":"LHR","to":"JFK","passengers":1}`
	checkRead(t, map[string]readCase{
		"kinds of documents": {"flights", "Document Type,from,to,passengers\nTKT,LHR,JFK,1\nEMD-A,LHR,JFK,1\nEXCH,LHR,JFK,1\nRFND,LHR,JFK,1\nIssue,LHR,JFK,1\n",
			[]string{"2 " + flight, "3 Document Type ROW_NOT_COUNTED", "4 Document Type EXCHANGED_TICKET", "5 Document Type ROW_NOT_COUNTED", "6 " + flight}},
		"in German": {"flights", "Vorgangsart;from;to;passengers\nVerkauf;LHR;JFK;1\nUmbuchung;LHR;JFK;1\nUmbuchungsgebühr;LHR;JFK;1\nSitzplatzreservierung;LHR;JFK;1\n",
			[]string{"2 " + flight, "3 Vorgangsart EXCHANGED_TICKET", "4 Vorgangsart ROW_NOT_COUNTED", "5 Vorgangsart ROW_NOT_COUNTED"}},
		"a column of the type": {"flights", "Type,from,to,passengers\nTicket,LHR,JFK,1\nService fee,LHR,JFK,1\n", []string{"2 " + flight, "3 Type ROW_NOT_COUNTED"}},
		"descriptions":         {"flights", "Item,from,to,passengers\nAir ticket,LHR,JFK,1\nExcess baggage,LHR,JFK,1\n", []string{`2 {"description":"Air ticket","from":"LHR","to":"JFK","passengers":1}`, "3 Item ROW_NOT_COUNTED"}},
		"of texts":             {"flights", "Description,from,to,passengers\nTicket exchange,LHR,JFK,1\nStudent exchange,LHR,JFK,1\nSeat holders,LHR,JFK,1\n", []string{"2 Description EXCHANGED_TICKET", `3 {"description":"Student exchange","from":"LHR","to":"JFK","passengers":1}`, `4 {"description":"Seat holders","from":"LHR","to":"JFK","passengers":1}`}},
		"of trains":            {"ground-transport", "Leistung;Von;Nach;Reisende;Verkehrsmittel\nFahrkarte;Köln;Berlin;1;Zug\nSitzplatzreservierung;Köln;Berlin;1;Zug\nUmtausch;Köln;Berlin;1;Zug\n", []string{`2 {"from":"Köln","to":"Berlin","passengers":1,"mode":"rail"}`, "3 Leistung ROW_NOT_COUNTED", "4 Leistung EXCHANGED_TICKET"}},
		"of a hotel":           {"accommodation", "Description,rooms,nights\nRoom charge,1,1\nCity tax,1,1\nBreakfast,1,1\n", []string{`2 {"description":"Room charge","rooms":1,"nights":1}`, "3 Description ROW_NOT_COUNTED", "4 Description ROW_NOT_COUNTED"}},
		"of a bill of energy":  {"energy", "Position;source;kWh\nArbeitspreis;grid;1200\nStromsteuer;grid;1200\nNetzentgelt;grid;1200\n", []string{`2 {"source":"grid","energyKWh":1200}`, "3 Position ROW_NOT_COUNTED", "4 Position ROW_NOT_COUNTED"}},
		"of a caterer":         {"catering", "Item,Qty,diet\nLunch buffet,120,vegan\nWaiting staff,6,vegan\n", []string{`2 {"description":"Lunch buffet","meals":120,"diet":"vegan"}`, "3 Item ROW_NOT_COUNTED"}},
		"a file of many types": {"mixed", "type,description,from,to,passengers\nflights,Seat selection,LHR,JFK,1\n", []string{"2 description ROW_NOT_COUNTED"}},
		"an export":            {"flights", "_id,description,from,to,passengers\n,Seat,LHR,JFK,1\n", []string{`2 {"description":"Seat","from":"LHR","to":"JFK","passengers":1}`}},
	})
}
