package footprint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestAirportsByTheirNames: a text that names an airport is that airport where no town of the
// event's country has the name and no well-known one elsewhere, in every field that takes
// places; the answer says so.
func TestAirportsByTheirNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, home, code, town string }{
		{"flights", `{"from":"Heathrow","to":"JFK","passengers":1}`, "GB", "LHR", "Heathrow, Florida, US"},
		{"flights", `{"from":"Schiphol","to":"JFK","passengers":1}`, "GB", "AMS", ""},
		{"flights", `{"from":"Flughafen Charles-de-Gaulle","to":"JFK","passengers":1}`, "GB", "CDG", ""},
		{"flights", `{"from":"Edinburgh Airport","to":"JFK","passengers":1}`, "GB", "EDI", ""},
		{"flights", `{"from":"London Heathrow","to":"JFK","passengers":1}`, "", "LHR", ""},
		{"ground-transport", `{"mode":"taxi","from":"Heathrow","to":"London","passengers":2}`, "GB", "LHR", "Heathrow, Florida, US"},
		{"freight", `{"mode":"road","from":"Heathrow","to":"Leeds","weightKg":5}`, "DE", "LHR", "Heathrow, Florida, US"},
	} {
		rec, err := footprint.Decode(c.typ, []byte(c.body), footprint.EventContext{Country: c.home, StartDate: "2026-06-01"})
		if err != nil {
			t.Errorf("%s %s: %v", c.typ, c.body, err)
			continue
		}
		if !strings.Contains(string(rec.Fields), `"`+c.code+`"`) {
			t.Errorf("%s: %s, want %s", c.body, rec.Fields, c.code)
		}
		if !slices.ContainsFunc(rec.Notices, func(n footprint.Notice) bool {
			return n.Code == footprint.NoticeNamesake && n.Field == "from" && strings.Contains(n.Message, c.code) && strings.Contains(n.Message, c.town)
		}) {
			t.Errorf("%s: %+v do not say that %s was taken, and not %s", c.body, rec.Notices, c.code, c.town)
		}
	}
}
