package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// A row of a booking with the names of travellers has as many passengers, where no column says how many there are.
func TestOneTraveller(t *testing.T) {
	t.Parallel()
	const one, two, none = `2 {"from":"LHR","to":"CDG","passengers":1}`, `2 {"from":"LHR","to":"CDG","passengers":2}`, `2 {"from":"LHR","to":"CDG"}`
	for name, want := range map[string]string{
		"Ada Webb": one, "WEBB/ADA MRS": one, "Webb, Ada": one, "Webb, Ada Mary": one, "de la Cruz, Ada": one, "Anderson": one,
		"": none, "Ada Webb; Ken Ito": two, "Ada Webb, Ken Ito": none, "Ada Webb & Ken Ito": two, "Ada and Ken": none, "Ada Webb / Ken Ito": two, "Webb x2": none, "Sales team": none, "TBC": none, "A, B, C": none, "A. Webb, K. Ito": two, "J.-P. Webb, K. Ito": two, "Van Dyck, Ada Mary": none, "Ada Webb, K. Ito": none,
	} {
		for _, head := range []string{"Passenger", "Traveller Name", "Last name"} {
			if got, _, err := all("from;to;"+head+"\nLHR;CDG;\""+name+"\"\n", "flights", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{want}) {
				t.Errorf("%s %q: %q, %v, want %s", head, name, got, err, want)
			}
		}
	}
	for name, c := range map[string]struct {
		typ, file string
		rules     int
		want      string
	}{
		"beside how many":   {"flights", "from,to,Passenger,Pax\nLHR,CDG,Ada Webb,3\n", sheet.Rules, `2 {"from":"LHR","to":"CDG","passengers":3}`},
		"beside tickets":    {"flights", "from,to,Passenger,Tickets\nLHR,CDG,Ada Webb,2\n", sheet.Rules, none},
		"a missing number":  {"flights", "from,to,Passenger,Pax\nLHR,CDG,Ada Webb,\n", sheet.Rules, none},
		"by car":            {"ground-transport", "mode,distanceKm,Employee,Vehicles\ncar,9,Ada Webb,2\n", sheet.Rules, `2 {"mode":"car","distanceKm":9,"vehicles":2}`},
		"by train":          {"ground-transport", "mode,distanceKm,Employee\nrail,9,Ada Webb\n", sheet.Rules, `2 {"mode":"rail","distanceKm":9,"passengers":1}`},
		"accepted before":   {"flights", "from,to,Passenger\nLHR,CDG,Ada Webb\n", 0, none},
		"a name of a trip":  {"flights", "from,to,Name\nLHR,CDG,Kick-off\n", sheet.Rules, none},
		"a kind of invoice": {"purchases", "category,amount,currency,Type\nav_hire,9,GBP,Invoice\n", sheet.Rules, `2 {"category":"av_hire","amount":9,"currency":"GBP"}`},
		"a credit note":     {"purchases", "category,amount,currency,Type\nav_hire,9,GBP,Credit Note\n", sheet.Rules, "2 Type ROW_NOT_COUNTED"},
		"a kind of room":    {"accommodation", "rooms,nights,Type\n2,3,Double\n", sheet.Rules, `2 {"rooms":2,"nights":3}`},
		"a train":           {"flights", "from,to,passengers,Type\nLHR,CDG,1,Rail\n", sheet.Rules, "2 Type ROW_NOT_COUNTED"},
		"another type":      {"flights", "from,to,passengers,Type\nLHR,CDG,1,waste\n", sheet.Rules, "2 Type NOT_ALLOWED"},
		"sewerage":          {"water", "supplyM3,Type\n9,Sewerage\n", sheet.Rules, "2 Type ROW_NOT_COUNTED"},
		"before":            {"accommodation", "rooms,nights,Type\n2,3,Double\n", 0, "2 Type NOT_ALLOWED"},
	} {
		if got, _, err := all(c.file, c.typ, sheet.Options{Rules: c.rules}); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
}
