package sheet_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// The legs of a row are one journey, and a row whose legs are none is refused: no leg is left out of the figure.
func TestLegsOfJourneys(t *testing.T) {
	t.Parallel()
	const stop = `{"from":"FRA","to":"JFK","passengers":1,"via":["LHR"]}`
	const twoStops = `{"from":"FRA","to":"JFK","passengers":1,"via":["LHR","DUB"]}`
	const direct = `{"from":"FRA","to":"JFK","passengers":1}`
	const back = `{"from":"FRA","to":"LHR","passengers":1,"roundTrip":true}`
	for _, c := range []struct{ head, row, want string }{
		{"From,To,Pax,Leg 2 From,Leg 2 To", "FRA,LHR,1,LHR,JFK", stop},
		{"From,To,Pax,Leg 2 From,Leg 2 To", "FRA,JFK,1,,", direct},
		{"From,To,Pax,Leg 2 From,Leg 2 To", "FRA,LHR,1,CDG,JFK", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,Leg 2 From,Leg 2 To", "FRA,LHR,1,LHR,FRA", back},
		{"From,To,Pax,Leg 2 From,Leg 2 To", "FRA,LHR,1,LHR,", "Leg 2 From REQUIRED"},
		{"From,To,Pax,Leg 2 To", "FRA,LHR,1,JFK", stop},
		{"From,To,Pax,Leg 2 From,Leg 2 To,Leg 3 From,Leg 3 To", "FRA,LHR,1,LHR,JFK,JFK,FRA", "Leg 3 From NOT_ALLOWED"},
		{"From,To,Pax,Leg 2 From,Leg 2 To,Leg 3 From,Leg 3 To", "FRA,LHR,1,LHR,DUB,DUB,JFK", twoStops},
		{"From,To,Pax,2nd leg origin,2nd leg destination", "FRA,LHR,1,LHR,JFK", stop},
		{"Dep,Arr,Pax,Dep 2,Arr 2", "FRA,LHR,1,LHR,JFK", stop},
		{"Von,Nach,Personen,Von 2,Nach 2", "FRA,LHR,1,LHR,JFK", stop},
		{"Pax,Segment 1 Origin,Segment1Destination,SEGMENT 2 ORIGIN,Segment 2 Destination", "1,FRA,LHR,LHR,JFK", `{"passengers":1,"from":"FRA","to":"JFK","via":["LHR"]}`},
		{"From,To,Pax,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "FRA,JFK,1,FRA,LHR,LHR,JFK", stop},
		{"From,To,Pax,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "FRA,LHR,1,FRA,LHR,LHR,FRA", back},
		{"From,To,Pax,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "FRA,SIN,1,FRA,LHR,LHR,JFK", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "HAM,JFK,1,FRA,LHR,LHR,JFK", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,Leg 1,Leg 2", "FRA,JFK,1,FRA-LHR,LHR-JFK", stop},
		{"From,To,Pax,Leg 1,Leg 2", "FRA,SIN,1,FRA-LHR,LHR-JFK", "Leg 2 NOT_ALLOWED"},
		{"From,To,Pax,Flight 1,Flight 2", "FRA,JFK,1,LH900,BA175", direct},
		{"From,To,Pax,Return From,Return To", "FRA,LHR,1,LHR,FRA", back},
		{"From,To,Pax,Return From,Return To", "FRA,LHR,1,LHR,", back},
		{"From,To,Pax,Return From,Return To", "FRA,LHR,1,CDG,FRA", "Return From NOT_ALLOWED"},
		{"From,To,Pax,Return From,Return To", "FRA,JFK,1,,", direct},
		{"Pax,Hinflug von,Hinflug nach,Rückflug von,Rückflug nach", "1,FRA,LHR,LHR,FRA", `{"passengers":1,"roundTrip":true,"from":"FRA","to":"LHR"}`},
		{"From,To,Pax,Stop 1,Stop 2", "FRA,JFK,1,LHR,", stop},
		{"From,To,Pax,Stop 1,Stop 2", "FRA,JFK,1,LHR,DUB", twoStops},
		{"From,To,Pax,Stopover", "FRA,JFK,1,LHR/DUB", twoStops},
		{"From,To,Pax,Umsteigen in", "FRA,JFK,1,LHR", stop},
		{"From,To,Pax,Connection,Leg 2 From,Leg 2 To", "FRA,LHR,1,DUB,LHR,JFK", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,Stops", "FRA,JFK,1,1 stop", direct},
		{"From,To,Pax,Layover", "FRA,JFK,1,2h 30m", direct},
		{"From,To,Pax,Stops", "FRA,JFK,1,Non-stop", direct},
		{"From,To,Pax,Via", "FRA,JFK,1,LHR - DUB", twoStops},
		{"From,To,Pax,Via", "FRA,JFK,1,LHR|DUB", twoStops},
		{"From,To,Pax,Via", "FRA,JFK,1,direct", direct},
		{"From,To,Pax,Via", "FRA,JFK,1,–", direct},
		{"From,To,Pax,Via", "FRA,JFK,1,Frankfurt am Main", `{"from":"FRA","to":"JFK","passengers":1,"via":["Frankfurt am Main"]}`},
		{"From,To,Pax,Leg 2 From,Leg 2 To,Class 1,Class 2", "FRA,LHR,1,LHR,JFK,Y,Economy", `{"from":"FRA","to":"JFK","passengers":1,"class":"economy","via":["LHR"]}`},
		{"From,To,Pax,Leg 2 From,Leg 2 To,Class,Leg 2 class", "FRA,LHR,1,LHR,JFK,Y,J", "Leg 2 class NOT_ALLOWED"},
		{"From,To,Pax,Leg 2 From,Leg 2 To,Class,Leg 2 class", "FRA,LHR,1,LHR,JFK,Economy,economy", `{"from":"FRA","to":"JFK","passengers":1,"class":"economy","via":["LHR"]}`},
		{"From,To,Pax,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "DUB,JFK,1,FRA,LHR,LHR,JFK", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "FRA,LHR,1,FRA,LHR,LHR,JFK", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "FRA,DUB,1,FRA,LHR,LHR,FRA", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,Outbound Return From,Outbound Return To", "FRA,JFK,1,JFK,LHR", direct},
		{"From,To,Pax,Return 2 From,Return 2 To", "FRA,JFK,1,JFK,LHR", direct},
		{"From,To,Pax,via,Leg 2 From,Leg 2 To", "FRA,LHR,1,DUB,LHR,JFK", `{"from":"FRA","to":"JFK","passengers":1,"via":["DUB","LHR"]}`},
		{"From,To,Pax,via,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "FRA,JFK,1,DUB,FRA,LHR,LHR,JFK", "Leg 2 From NOT_ALLOWED"},
		{"From,To,Pax,via,Leg 1 From,Leg 1 To,Leg 2 From,Leg 2 To", "FRA,JFK,1,lhr,FRA,LHR,LHR,JFK", stop},
	} {
		cells := strings.ReplaceAll(c.head+"\n"+c.row+"\n", ",", ";")
		if got, _, err := all(cells, "flights", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{"2 " + c.want}) {
			t.Errorf("%s: %s: %q, %v, want %s", c.head, c.row, got, err, c.want)
		}
	}
	for _, c := range []struct{ typ, file, want string }{
		{"ground-transport", "mode;passengers;Leg 1 from;Leg 1 to;Leg 2 from;Leg 2 to\nrail;1;Köln;Frankfurt am Main;Frankfurt am Main;Berlin\n", `2 {"mode":"rail","passengers":1,"from":"Köln","to":"Berlin","via":["Frankfurt am Main"]}`},
		{"ground-transport", "mode;passengers;distanceKm;Leg 2 km\nrail;1;100;50\n", "2 Leg 2 km NOT_ALLOWED"},
		{"ground-transport", "mode;passengers;from;to;Leg 2 km\nrail;1;Köln;Berlin;50\n", "2 Leg 2 km NOT_ALLOWED"},
		{"ground-transport", "mode;passengers;distanceKm;Leg 2 km\nrail;1;100;\n", `2 {"mode":"rail","passengers":1,"distanceKm":100}`},
	} {
		if got, _, err := all(c.file, c.typ, sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", c.file, got, err, c.want)
		}
	}
}
