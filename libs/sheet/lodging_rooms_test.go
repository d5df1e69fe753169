package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// readCase is a file, what its rows are, and the columns that are left out.
type readCase struct {
	typ, file string
	want      []string
}

func checkRead(t *testing.T, cases map[string]readCase) {
	t.Helper()
	for name, c := range cases {
		if got, _, err := all(c.file, c.typ, sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// Room 214 of a rooming list is one room, however many guests share it.
func TestRoomingLists(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"a rooming list": {"accommodation", "Room,Last Name,Check-in,Check-out\n214,Doe,2026-06-09,2026-06-12\n215,Roe,2026-06-09,2026-06-11\n",
			[]string{`2 {"nights":3,"rooms":1}`, `3 {"nights":2,"rooms":1}`}},
		"in German": {"accommodation", "Zimmer,Gast,Anreise,Abreise\n101,Müller,09.06.2026 15:00,12.06.2026 11:00\n", []string{`2 {"nights":3,"rooms":1}`}},
		"shared rooms": {"accommodation", "Room no.,Guest,Number of rooms,Check-in,Check-out\n214,Jane,1,2026-06-09,2026-06-12\n214,Joan,1,2026-06-09,2026-06-12\n214,Jo,1,2026-06-12,2026-06-13\n",
			[]string{`2 {"rooms":1,"nights":3}`, "3 Room no. ROW_NOT_COUNTED", `4 {"rooms":1,"nights":1}`}},
		"of several hotels": {"accommodation", "Hotel,Room no.,Check-in,Check-out\nIbis,1,2026-06-09,2026-06-12\nHilton,1,2026-06-09,2026-06-12\n",
			[]string{`2 {"description":"Ibis","nights":3,"rooms":1}`, `3 {"description":"Hilton","nights":3,"rooms":1}`}},
		"rooms of companies": {"accommodation", "Gast,Zimmer,Anreise,Abreise\nMüller,1,2026-06-09,2026-06-12\nMeier,1,2026-06-09,2026-06-12\nHuber GmbH,3,2026-06-09,2026-06-12\nWebb AG,12,2026-06-09,2026-06-12\nWebb AG,112,2026-06-09,2026-06-12\n",
			[]string{`2 {"nights":3,"rooms":1}`, `3 {"nights":3,"rooms":1}`, `4 {"nights":3,"rooms":3}`, `5 {"nights":3,"rooms":12}`, "6 Zimmer NOT_ALLOWED"}},
		"rooms of a small hotel": {"accommodation", "Gast,Zimmer,nights\nMüller,12,2\nMeier,12a,2\nMeier,7,2\n", []string{"2 Zimmer NOT_ALLOWED", `3 {"nights":2,"rooms":1}`, `4 {"nights":2,"rooms":1}`}},
		"rooms times nights": {"accommodation", "Date,Type of room,Room Nights\n2026-06-09,King,32\n2026-06-10,King,0\n2026-06-10,King,x\n",
			[]string{`2 {"date":"2026-06-09","rooms":32,"nights":1}`, "3 Room Nights ROW_NOT_COUNTED", "4 Room Nights BAD_FORMAT"}},
		"rooms times other nights": {"accommodation", "rooms,Anreise,Abreise,Zimmernächte\n12,2026-06-09,2026-06-11,24\n8,2026-06-10,2026-06-12,14\n8,2026-06-10,2026-06-12,\n",
			[]string{`2 {"rooms":12,"nights":2}`, "3 Zimmernächte NOT_ALLOWED", `4 {"rooms":8,"nights":2}`}},
		"without days":           {"accommodation", "Room no.,nights\n1,2\n1,2\n", []string{`2 {"nights":2,"rooms":1}`, `3 {"nights":2,"rooms":1}`}},
		"how many rooms":         {"accommodation", "Hotel,Zimmer,Nächte\nIbis,120,2\n", []string{`2 {"description":"Ibis","rooms":120,"nights":2}`}},
		"how many, in one word":  {"accommodation", "Hotel,Room,nights\nIbis,12,2\n", []string{`2 {"description":"Ibis","rooms":12,"nights":2}`}},
		"what may be either":     {"accommodation", "Hotel,Room,nights\nIbis,214,2\n", []string{"2 Room NOT_ALLOWED"}},
		"how many beside guests": {"accommodation", "Guest name,Rooms,nights\nDoe,2,2\n", []string{`2 {"rooms":2,"nights":2}`}},
	})
}

// A ticket that is a return is a way back too, and the way back that is a row of its own counts once.
func TestTicketsAndLegs(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"kinds of tickets": {"ground-transport", "mode,distanceKm,Ticket type\nrail,300,Off-Peak Return\nrail,300,Anytime Day Single\nrail,300,Flexi\nrail,300,Hin- und Rückfahrt\nrail,300,Return leg only\nrail,300,Aller-retour\nrail,300,Nur Rückfahrt\n",
			[]string{
				`2 {"mode":"rail","distanceKm":300,"roundTrip":true}`, `3 {"mode":"rail","distanceKm":300,"roundTrip":false}`, `4 {"mode":"rail","distanceKm":300}`,
				`5 {"mode":"rail","distanceKm":300,"roundTrip":true}`, `6 {"mode":"rail","distanceKm":300}`, `7 {"mode":"rail","distanceKm":300,"roundTrip":true}`, `8 {"mode":"rail","distanceKm":300}`}},
		"in letters":               {"ground-transport", "mode,distanceKm,Ticket type\nrail,300,A/R\nrail,300,O/W\n", []string{`2 {"mode":"rail","distanceKm":300,"roundTrip":true}`, `3 {"mode":"rail","distanceKm":300,"roundTrip":false}`}},
		"beside a return column":   {"ground-transport", "mode,distanceKm,Ticket type,Return\nrail,300,Return,no\n", []string{`2 {"mode":"rail","distanceKm":300,"roundTrip":false}`}},
		"of a route with a number": {"flights", "Itinerary,Route,passengers\n55,LHR-CDG,1\n", []string{`2 {"passengers":1,"from":"LHR","to":"CDG"}`}},
		"of a route":               {"flights", "Routing,passengers,Ticket\nLHR-CDG,1,Return\n", []string{`2 {"passengers":1,"roundTrip":true,"from":"LHR","to":"CDG"}`}},
		"legs by ticket":           {"flights", "from,to,Ticket type\nLHR,MAD,Return\nMAD,LHR,Return\n", []string{`2 {"from":"LHR","to":"MAD","roundTrip":true}`, "3 Ticket type ROW_NOT_COUNTED"}},
		"legs by name":             {"flights", "Passenger name,from,to,Return\nAnn,LHR,MAD,yes\nBob,MAD,LHR,yes\nAnn,MAD,LHR,yes\n", []string{`2 {"from":"LHR","to":"MAD","roundTrip":true,"passengers":1}`, `3 {"from":"MAD","to":"LHR","roundTrip":true,"passengers":1}`, "4 Passenger name ROW_NOT_COUNTED"}},
		"legs of a booking": {"flights", "Trip ID,Trip type,from,to\nE1,Round trip,LHR,MAD\nE1,Round trip,MAD,LHR\nE2,Round trip,MAD,LHR\nE3,One way,LHR,MAD\nE3,One way,MAD,LHR\n,Return,LHR,MAD\n,Return,MAD,LHR\n",
			[]string{
				`2 {"roundTrip":true,"from":"LHR","to":"MAD"}`, "3 Trip ID ROW_NOT_COUNTED", `4 {"roundTrip":true,"from":"MAD","to":"LHR"}`,
				`5 {"roundTrip":false,"from":"LHR","to":"MAD"}`, `6 {"roundTrip":false,"from":"MAD","to":"LHR"}`, `7 {"roundTrip":true,"from":"LHR","to":"MAD"}`, `8 {"roundTrip":true,"from":"MAD","to":"LHR"}`}},
	})
}

// A unit beside a number that says another one than the head, or none that is counted, is no
// number of the record.
func TestUnitsBesideNumbers(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"another than the head": {"energy", "source,Litres,Volume unit\ndiesel,20,US gal\ndiesel,20,gal\ndiesel,20,L\ndiesel,20,\n",
			[]string{"2 Litres NOT_ALLOWED", "3 Litres NOT_ALLOWED", `4 {"source":"diesel","volumeLitres":20}`, `5 {"source":"diesel","volumeLitres":20}`}},
		"that of a price": {"energy", "source,Litres,Unit\ndiesel,20,GBP\n", []string{`2 {"source":"diesel","volumeLitres":20}`}},
		"of a head's own": {"waste", "treatment,Weight (t),UOM\nlandfill,2,kg\nlandfill,2,t\n", []string{"2 Weight (t) NOT_ALLOWED", `3 {"treatment":"landfill","stated":{"weightKg":"2 t"}}`}},
		"of meals": {"catering", "Menge,Einheit,diet\n120,Portionen,vegan\n12,kg,vegan\n4,Platten,vegan\n5,Stk.,vegan\n",
			[]string{`2 {"meals":120,"diet":"vegan"}`, "3 Menge NOT_ALLOWED", "4 Menge NOT_ALLOWED", `5 {"meals":5,"diet":"vegan"}`}},
		"days of guests": {"catering", "Guests,diet,Days\n80,vegan,3\n80,vegan,1\n80,vegan,\n80,vegan,3 days\n80,vegan,1 day\n80,vegan,Friday 3\n", []string{"2 Days AMBIGUOUS_COUNT", `3 {"meals":80,"diet":"vegan"}`, `4 {"meals":80,"diet":"vegan"}`,
			"5 Days AMBIGUOUS_COUNT", `6 {"meals":80,"diet":"vegan"}`, `7 {"meals":80,"diet":"vegan"}`}},
		"days of meals":     {"catering", "meals,diet,Days\n240,vegan,3\n", []string{"2 Days AMBIGUOUS_COUNT"}},
		"trips of each day": {"ground-transport", "mode,passengers,distanceKm,Trips per day,Days\ncoach,40,12,6,3\ncoach,40,12,1,3\n", []string{`2 {"mode":"coach","passengers":40,"distanceKm":12,"trips":18}`, `3 {"mode":"coach","passengers":40,"distanceKm":12,"trips":3}`}},
		"nights of rooms": {"accommodation", "Room,nights,rooms,Room nights\nA,3,400,1200\nA,3,400,\"1,200\"\nA,3,400,\"1,240\"\nA,3,400,1240.0\n", []string{
			`2 {"nights":3,"rooms":400}`, `3 {"nights":3,"rooms":400}`, "4 Room nights NOT_ALLOWED", "5 Room nights NOT_ALLOWED"}},
		"meals of each":  {"catering", "Guests,diet,Meals per guest\n80,vegan,2\n", []string{`2 {"diet":"vegan","meals":160}`}},
		"one of several": {"waste", "treatment,Tons\nlandfill,2\n", []string{"2 Tons AMBIGUOUS_UNIT"}},
		"of fuel":        {"energy", "Product,Gallons,kwh\ndiesel,20,\ndiesel,20,5\n", []string{"2 Gallons AMBIGUOUS_UNIT", `3 {"source":"diesel","energyKWh":5}`}},
	})
}

// Heads have line breaks, and say what they count in many words.
func TestHeadsAsProgramsWriteThem(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"line breaks":       {"waste", "\"Waste\nstream\",\"Net  weight\r\n(kg)\",\"Disposal\nroute\"\nglass,125,recycling\n", []string{`2 {"material":"glass","weightKg":125,"treatment":"recycling"}`}},
		"what is counted":   {"flights", "from,to,Traveller count\nLHR,JFK,2\n", []string{`2 {"from":"LHR","to":"JFK","passengers":2}`}},
		"in German":         {"accommodation", "Anzahl der Zimmer,Anzahl Nächte\n2,3\n", []string{`2 {"rooms":2,"nights":3}`}},
		"classes of flying": {"flights", "from,to,Class of Service\nLHR,JFK,Business\n", []string{`2 {"from":"LHR","to":"JFK","class":"business"}`}},
		"people of orders":  {"attendee-travel/origins", "Home City,Home Zip,Home Country,Quantity\nYork,YO1 7HH,United Kingdom,3\n", []string{`2 {"place":"York","postcode":"YO1 7HH","country":"GB","people":3}`}},
		"people or names":   {"attendee-travel/origins", "Country,Attendees\nGermany,40\nFrance,Ann\n", []string{`2 {"country":"DE","people":40}`, `3 {"country":"FR"}`}},
		"kinds of stays":    {"accommodation", "Property type,rooms,nights\nHostel,1,2\n", []string{`2 {"kind":"hostel","rooms":1,"nights":2}`}},
		"numbers of rows":   {"attendee-travel/origins", "Number,Town\n1,York\n2,Leeds\n3,Bath\n4,Hull\n", []string{`2 {"people":1,"place":"York"}`, `3 {"people":2,"place":"Leeds"}`, "4 Number NOT_ALLOWED", "5 Number NOT_ALLOWED"}},
		"numbers of people": {"attendee-travel/origins", "Number,Town\n1,York\n2,Leeds\n5,Bath\n4,Hull\n",
			[]string{`2 {"people":1,"place":"York"}`, `3 {"people":2,"place":"Leeds"}`, `4 {"people":5,"place":"Bath"}`, `5 {"people":4,"place":"Hull"}`}},
		"in French":  {"ground-transport", "Départ,Arrivée,mode,Aller-retour,Voyageurs\nParis,Lyon,train,oui,2\n", []string{`2 {"from":"Paris","to":"Lyon","mode":"rail","roundTrip":true,"passengers":2}`}},
		"in Spanish": {"ground-transport", "Origen,Destino,Medio,Ida y vuelta,Pasajeros\nMadrid,Toledo,Tren,Sí,2\n", []string{`2 {"from":"Madrid","to":"Toledo","mode":"rail","roundTrip":true,"passengers":2}`}},
	})
}

// TestSharedRooms: guests who share a room and have a row each are one room, whichever of them says so, and in whatever words.
func TestSharedRooms(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"both say so": {"accommodation", "Last Name,First Name,Room Type,Sharing With,nights\nIto,Ken,TWN,Eva Roth,3\nRoth,Eva,TWN,Ken Ito,3\nWebb,Ada,SGL,,2\n",
			[]string{`2 {"nights":3,"rooms":1,"guests":2}`, "3 Sharing With ROW_NOT_COUNTED", `4 {"nights":2,"rooms":1,"guests":1}`}},
		"the first says so":  {"accommodation", "Name;Zimmerpartner;nights\nKen Ito;Frau Roth;3\nEva Roth;;3\n", []string{`2 {"nights":3,"rooms":1,"guests":2}`, "3 Zimmerpartner ROW_NOT_COUNTED"}},
		"the second says so": {"accommodation", "Guest name,Sharing with,nights\nKen Ito,,3\nEva Roth,Ito Ken,3\n", []string{`2 {"nights":3,"rooms":1,"guests":1}`, "3 Sharing with ROW_NOT_COUNTED"}},
		"in the kind of room": {"accommodation", "Guest,Type de chambre,nights\nDubois,Double,3\nPetit,Double (avec Dubois),3\nRoux,Double avec balcon,3\n",
			[]string{`2 {"nights":3,"guests":1}`, "3 Type de chambre ROW_NOT_COUNTED", `4 {"nights":3,"rooms":1,"guests":2}`}},
		"for other nights":            {"accommodation", "Guest name,Sharing with,nights\nKen Ito,Eva Roth,3\nEva Roth,Ken Ito,2\n", []string{`2 {"nights":3,"rooms":1,"guests":2}`, "3 Sharing with NOT_ALLOWED"}},
		"with whom is not said":       {"accommodation", "Guest name,Sharing with,nights\nKen Ito,yes,3\nEva Roth,no,2\n", []string{"2 Sharing with BAD_FORMAT", `3 {"nights":2,"rooms":1,"guests":1}`}},
		"two names of one room":       {"accommodation", "Chambre;Nom 1;Nom 2;nights\n1;Dubois Claire;;2\n2;Petit Jean;Roux Paul;3\n", []string{`2 {"nights":2,"rooms":1,"guests":1}`, `3 {"nights":3,"rooms":1,"guests":2}`}},
		"kinds below the head Zimmer": {"accommodation", "Name;Vorname;Zimmer;Zimmerpartner;nights\nSchmidt;Jan;DZ;Eva Roth;3\nMay;Tom;DZ;Kim Fox;3\n", []string{`2 {"nights":3,"rooms":1,"guests":2}`, `3 {"nights":3,"rooms":1,"guests":2}`}},
	})
}
