package footprint_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestStationsAreTakenAsTheirTowns: a station has the distance of its town, and a notice says which town was taken.
func TestStationsAreTakenAsTheirTowns(t *testing.T) {
	t.Parallel()
	event := london
	event.Country = "DE"
	route := func(from string) (stops, notices string, err error) {
		body, _ := json.Marshal(map[string]any{"mode": "rail", "from": from, "to": "Leipzig, DE", "passengers": 2})
		d, err := footprint.Decode("ground-transport", body, event)
		if err != nil {
			return "", describe(err), err
		}
		var f struct {
			Journey struct {
				Stops []struct{ Name, Country string }
			}
		}
		if err := json.Unmarshal(d.Fields, &f); err != nil {
			t.Fatal(err)
		}
		return f.Journey.Stops[0].Name + ", " + f.Journey.Stops[0].Country, fmt.Sprint(d.Notices), nil
	}
	for text, town := range map[string]string{
		"Köln Hbf": "Köln, DE", "Koeln Hbf": "Köln, DE", "Berlin Hbf": "Berlin, DE", "Berlin Südkreuz": "Berlin, DE", "Berlin Hbf, DE": "Berlin, DE", "Frankfurt(Main)Hbf": "Frankfurt am Main, DE", "Frankfurt (Main) Hbf": "Frankfurt am Main, DE",
		"Hannover Hauptbahnhof": "Hannover, DE", "München Ost": "Munich, DE", "Köln Messe/Deutz": "Köln, DE", "Paris Gare de Lyon": "Paris, FR", "Gare du Nord, Paris": "Paris, FR", "London St Pancras": "London, GB",
		"London St. Pancras International": "London, GB", "London King's Cross": "London, GB", "Bruxelles-Midi": "Brussels, BE", "Zürich HB": "Zürich, CH", "Amsterdam Centraal": "Amsterdam, NL", "Bahnhof Zürich": "Zürich, CH",
		"Roma Termini": "Rome, IT", "Firenze SMN": "Florence, IT", "Bologna C.le": "Bologna, IT", "Madrid Puerta de Atocha": "Madrid, ES", "København H": "Copenhagen, DK", "Den Haag HS": "The Hague, NL",
		"Warszawa Centralna": "Warsaw, PL", "Kraków Główny": "Kraków, PL", "Praha hl.n.": "Prague, CZ", "Budapest Keleti": "Budapest, HU", "Basel SBB": "Basel, CH", "Wien Hbf": "Vienna, AT", "Roma Termini, Italia": "Rome, IT",
	} {
		got, notices, err := route(text)
		if err != nil || got != town || !strings.Contains(notices, footprint.NoticeNamesake) || !strings.Contains(notices, text) {
			t.Errorf("%s is %q, want %q, with %s", text, got, town, notices)
		}
	}
	for _, text := range []string{"Gare de Lyon Hbf", "Hbf", "Xyzzy Hbf", "Köln Lager 4", "Gare du Nord, Xyzzy", "Köln Bonn Hotel"} {
		if got, _, err := route(text); err == nil {
			t.Errorf("%s is %s", text, got)
		}
	}
	// A place of that name is itself.
	if got, notices, _ := route("Hamburg-Altona"); got != "Altona, DE" || strings.Contains(notices, "Hamburg-Altona") {
		t.Errorf("a district: %s, %s", got, notices)
	}
}
