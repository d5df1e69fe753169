package sheet_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// A number of people that the rows of a list would not count is asked about, also once the names are removed.
func TestNumbersOfPeopleThatWouldNotCount(t *testing.T) {
	t.Parallel()
	const one, all100 = `{"country":"DE"}`, `{"country":"DE","people":100}`
	for _, c := range []struct{ head, row, want string }{
		{"Country;Registered;Attended", "DE;100;80", "Registered NOT_ALLOWED"},
		{"Country;Adults;Kids", "DE;100;0", "Adults NOT_ALLOWED"},
		{"Country;2026", "DE;80", "2026 NOT_ALLOWED"},
		{"Country;Day 1", "DE;80", "Day 1 NOT_ALLOWED"},
		{"Country;Total", "DE;80", "Total NOT_ALLOWED"},
		{"Country;% of attendees", "DE;60%", "% of attendees NOT_ALLOWED"},
		{"Country;Members", "DE;1", one},
		{"Country;Members", "DE;", one},
		{"Country;Joined", "DE;10.05.2026", one},
		{"Country;Order no.;Age;Ticket price", "DE;4711;41;99", one},
		{"Name;Country;Points", "Ann;DE;40", one},
		{"Email;Country;Points", "ann@example.org;DE;40", one},
		{"Name;Country;Guests", "Ann;DE;2", "Guests NOT_ALLOWED"},
		{"Name;Country;Guests", "Ann;DE;0", one},
		{"Name;Country;Guests", "Ann;DE;Bob", one},
		{"Name;Country;+1", "Ann;DE;yes", "+1 NOT_ALLOWED"},
		{"Name;Country;+1", "Ann;DE;no", one},
		{"Name;Country;Begleitpersonen", "Ann;DE;+1", "Begleitpersonen NOT_ALLOWED"},
		{"Country;People;Guests", "DE;100;3", all100},
		{"Country;Tickets", "DE;100", all100},
		{"Country;In person;Online", "DE;100;40", all100},
		{"Country;People;Online", "DE;100;40", "Online NOT_ALLOWED"},
		{"Country;People;Online", "DE;100;0", all100},
		{"Country;People;Online", "DE;100;yes", "Online ROW_NOT_COUNTED"},
		{"Land;Personen;davon online", "DE;100;40", "davon online NOT_ALLOWED"},
		{"Country;People;No-shows", "DE;100;20", "No-shows NOT_ALLOWED"},
		{"Country;People;Cancelled", "DE;100;20", "Cancelled NOT_ALLOWED"},
		{"Country;People;Cancelled", "DE;100;yes", "Cancelled ROW_NOT_COUNTED"},
		{"Name;Country;Attended", "Ann;DE;No", "Attended ROW_NOT_COUNTED"},
		{"Name;Country;Attended", "Ann;DE;Yes", one},
		{"Country;Attended", "DE;80", "Attended NOT_ALLOWED"},
		{"Country;Visitors", "DE;85%", `{"country":"DE","people":"85%"}`}, // which the decoder of origins refuses,
		{"Country;Tickets sold;Invited;Total", "DE;100;15;115", "Invited NOT_ALLOWED"},
		{"Country;Tickets sold;Invited;Total", "DE;100;0;100", all100},
		{"Country;Tickets sold;Invités;Gesamt", "DE;100;15;115", "Invités NOT_ALLOWED"},
		{"Name;Country;Attendee status", "Ann;DE;Transferred", "Attendee status ROW_NOT_COUNTED"},
	} {
		file, o, want := c.head+"\n"+c.row+"\n", sheet.Options{Rules: sheet.Rules}, []string{"2 " + c.want}
		if got, _, err := all(file, footprint.OriginRows, o); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s: %q, %v, want %s", c.head, c.row, got, err, c.want)
		}
		var only strings.Builder
		if _, err := sheet.KeepColumns(&only, from(file), footprint.OriginRows, o); err != nil {
			t.Fatal(err)
		}
		if got, _, err := all(only.String(), footprint.OriginRows, o); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s, without names: %q, %v, want %s", c.head, c.row, got, err, c.want)
		}
		if text := only.String(); strings.Contains(text, "Ann") || strings.Contains(text, "Bob") {
			t.Errorf("%s: the names are in %q", c.head, text)
		}
	}
}
