package footprint_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestAirportsByTheirNames: a text that names an airport is that airport if no town of the event's country has the
// name and no well-known one elsewhere, in every field for places; the response says so.
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

// TestAirportsWithTheirCodes: if a text has a code next to a name, as travel agencies write it, the code counts if
// the name is that of the airport or of a town near it.
func TestAirportsWithTheirCodes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"London Heathrow (LHR)": "LHR", "Frankfurt / Frankfurt (FRA/EDDF)": "FRA", "London / Heathrow (LHR/EGLL)": "LHR", "New York JFK (JFK)": "JFK", "Frankfurt (FRA)": "FRA", "Frankfurt (HHN)": "HHN", "München (MUC)": "MUC", "Kopenhagen [CPH]": "CPH",
		"LHR - London Heathrow": "LHR", "LHR (London)": "LHR", "Manchester, MAN": "MAN", "AMS Schiphol": "AMS", "Amsterdam/AMS": "AMS", "London (LON)": "LON", "Köln/Bonn (CGN)": "CGN",
		"Portland (USA)": "", "Berlin (JFK)": "", "London (XQX)": "", "New York (NEW)": "",
	} {
		body, _ := json.Marshal(map[string]any{"from": text, "to": "DXB", "passengers": 1}) //nolint:errchkjson // texts always marshal
		rec, err := footprint.Decode("flights", body, footprint.EventContext{Country: "GB", StartDate: "2026-06-01"})
		got := ""
		if err == nil {
			var f struct{ From string }
			if err := json.Unmarshal(rec.Fields, &f); err != nil {
				t.Fatal(err)
			}
			got = f.From
		}
		if want != "" && got != want || want == "" && strings.Contains(text, "("+got+")") {
			t.Errorf("%q is %q, want %q: %v", text, got, want, err)
		}
	}
}
