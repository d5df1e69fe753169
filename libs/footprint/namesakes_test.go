package footprint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// taken returns where a place was found, the message of the notice about it, and the suggestions where it was asked about.
func taken(t *testing.T, typ, body, home, field string) (place, notice string, asked []string) {
	t.Helper()
	rec, err := footprint.Decode(typ, []byte(body), footprint.EventContext{Country: home, StartDate: "2026-06-01", GWP: "published", FactorSet: "desnz-2026"})
	if err != nil {
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || len(e.Details) != 1 || e.Details[0].Field != field || e.Details[0].Code != footprint.AmbiguousPlace {
			t.Fatalf("%s in %s: %v", body, home, err)
		}
		return "", "", e.Details[0].Suggestions
	}
	type named struct{ Name, Region, Country string }
	var f struct {
		Journey struct{ Stops []named }
		Origins []struct{ At []named }
	}
	if err := json.Unmarshal(rec.Fields, &f); err != nil {
		t.Fatal(err)
	}
	at := f.Journey.Stops
	if len(f.Origins) > 0 {
		at = f.Origins[0].At
	}
	for _, n := range rec.Notices {
		if n.Code == footprint.NoticeNamesake && n.Field == field {
			notice = n.Message
		}
	}
	if len(at) == 0 {
		t.Fatalf("%s in %s: %s", body, home, rec.Fields)
	}
	return at[0].Name + ", " + at[0].Country, notice, nil
}

// TestFlightsGoWhereAirportsAre: a flight from a name that a town of the event's country without an airport has, too, is from the
// much larger city abroad that has one, and the notice names the town. Where both have an airport, or neither is much larger, it
// is asked.
func TestFlightsGoWhereAirportsAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ home, place, from, other, asked string }{
		{"GB", "Boston", "Boston, US", "Boston, England, GB", ""},
		{"GB", "Perth", "Perth, AU", "Perth, Scotland, GB", ""},
		{"GB", "Houston", "Houston, US", "Houston, Scotland, GB", ""},
		{"US", "Madrid", "Madrid, ES", "Madrid, Iowa, US", ""},
		{"US", "Dublin", "Dublin, IE", "Dublin, California, US", ""}, // of several at home
		{"DE", "Bergen", "Bergen, NO", "Bergen, Lower Saxony, DE", ""},
		{"CA", "London", "", "", "London, England, GB; London, Ontario, CA"},
		{"GB", "Halifax", "", "", "Halifax, Nova Scotia, CA; Halifax, England, GB"},
		{"US", "Paris", "", "", "Paris, Île-de-France, FR; Paris, Texas, US"},
		{"GB", "Manchester", "Manchester, GB", "", ""},
		{"US", "Birmingham", "Birmingham, US", "", ""}, // it has an airport, and Birmingham is not ten times as large
		{"AU", "Perth", "Perth, AU", "", ""},
		{"GB", "Boston, GB", "Boston, GB", "", ""},
		{"", "Boston", "Boston, US", "", ""},
	} {
		from, notice, asked := taken(t, "flights", fmt.Sprintf(`{"from":%q,"to":"DXB","passengers":1}`, c.place), c.home, "from")
		all := strings.Join(asked, "; ")
		if from != c.from || !strings.HasPrefix(all, c.asked) || c.asked == "" && all != "" {
			t.Errorf("%s in %s: %s, asked %q", c.place, c.home, from, asked)
		}
		if c.other != "" && (!strings.Contains(notice, "which has an airport of its own") || !strings.Contains(notice, c.other)) {
			t.Errorf("%s in %s: the notice %q does not name %s", c.place, c.home, notice, c.other)
		}
	}
}

// TestPeopleOfNamesakes: people who fly come from where the airport is. Else a town of the event's country is taken, with a notice,
// unless a place elsewhere has a hundred times its people: then it is asked. Rows that name the country are not.
func TestPeopleOfNamesakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ home, row, from, notice, asked string }{
		{"US", `"place":"Madrid","mode":"plane"`, "Madrid, ES", "Madrid, Iowa, US", ""},
		{"US", `"place":"Madrid"`, "", "", "Madrid, ES; Madrid, Iowa, US"},
		{"US", `"place":"Madrid","mode":"car"`, "", "", "Madrid, ES; Madrid, Iowa, US"},
		{"US", `"place":"Madrid","country":"US"`, "Madrid, US", "", ""},
		{"US", `"place":"Madrid","country":"ES"`, "Madrid, ES", "", ""},
		{"GB", `"place":"Boston"`, "Boston, GB", "Boston, Massachusetts, US", ""},
		{"GB", `"place":"Boston","mode":"plane"`, "Boston, US", "Boston, England, GB", ""},
		{"GB", `"place":"Boston","country":"GB","mode":"plane"`, "Boston, GB", "", ""},
		{"GB", `"place":"Leeds"`, "Leeds, GB", "", ""},
		{"US", `"place":"Paris"`, "", "", "Paris, Île-de-France, FR; Paris, Texas, US"}, // of several at home
	} {
		from, notice, asked := taken(t, footprint.AttendeeTravel, `{"to":"Leeds, GB","origins":[{`+c.row+`,"people":3}]}`, c.home, "origins[0].place")
		all := strings.Join(asked, "; ")
		if from != c.from || !strings.HasPrefix(all, c.asked) || c.asked == "" && all != "" {
			t.Errorf("%s in %s: %s, asked %q", c.row, c.home, from, asked)
		}
		if c.notice == "" && notice != "" || !strings.Contains(notice, c.notice) {
			t.Errorf("%s in %s: the notice is %q, want %s", c.row, c.home, notice, c.notice)
		}
	}
}
