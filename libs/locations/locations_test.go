package locations_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/locations"
)

func TestTablesAreComplete(t *testing.T) {
	t.Parallel()
	if n := len(locations.Airports()); n != 5459 {
		t.Errorf("%d airports", n)
	}
	if n := len(locations.Cities()); n != 116 {
		t.Errorf("%d cities", n)
	}
	countries := locations.Countries()
	if len(countries) != 250 { // 249 of ISO 3166-1, and XK
		t.Errorf("%d countries", len(countries))
	}
	regions := []string{"Africa", "Americas", "Asia", "Europe", "Oceania"}
	for _, c := range countries {
		if !slices.Contains(regions, c.Region) && c.Code != "AQ" {
			t.Errorf("%s has the region %q", c.Code, c.Region)
		}
		if c.Name == "" || c.Code != strings.ToUpper(c.Code) || len(c.Code) != 2 {
			t.Errorf("odd country %+v", c)
		}
	}
	for _, a := range locations.Airports() {
		if _, ok := locations.CountryByCode(a.Country); !ok {
			t.Errorf("%s is in the unknown country %s", a.Code, a.Country)
		}
		if got, ok := locations.Resolve(a.Code); !ok || got != a {
			t.Errorf("%s resolves to %+v", a.Code, got)
		}
		if a.Latitude < -90 || a.Latitude > 90 || a.Longitude < -180 || a.Longitude > 180 {
			t.Errorf("%s lies at %v, %v", a.Code, a.Latitude, a.Longitude)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for code, airport := range map[string]string{"LHR": "LHR", "lhr": "LHR", "EGLL": "LHR", "egll": "LHR", "LON": "LHR", "NYC": "JFK", "IST": "IST", "NAN": "NAN"} {
		l, ok := locations.Resolve(code)
		if !ok || l.Airport != airport || l.Code != strings.ToUpper(code) {
			t.Errorf("Resolve(%s) = %+v, %v", code, l, ok)
		}
	}
	if l, _ := locations.Resolve("LON"); !l.Approximate || l.Country != "GB" {
		t.Errorf("LON: %+v", l)
	}
	if l, _ := locations.Resolve("IST"); l.Approximate {
		t.Error("IST must be the airport")
	}
	if l, _ := locations.Resolve("WDH"); l.Country != "NA" {
		t.Errorf("Windhoek is in %s", l.Country)
	}
	for _, code := range []string{"", "L", "LHRR0", "QQQ", "  ", "ZZZZ", "ÄÖÜ"} {
		if l, ok := locations.Resolve(code); ok {
			t.Errorf("Resolve(%q) = %+v", code, l)
		}
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"london": "LON", "LHT": "LHR", "HLR": "LHR", "EGLI": "EGLL", "zurich": "ZRH", "Berlin": "BER"} {
		if got := locations.Suggest(code); !slices.Contains(got, want) || len(got) > 5 {
			t.Errorf("Suggest(%s) = %v, want %s in it", code, got, want)
		}
	}
	if got := locations.Suggest("qqqqqq"); len(got) != 0 {
		t.Errorf("Suggest(qqqqqq) = %v", got)
	}
	if got := locations.SuggestCountry("UK"); !slices.Equal(got, []string{"GB"}) {
		t.Errorf("UK suggests %v", got)
	}
}

func TestHaul(t *testing.T) {
	t.Parallel()
	for country, want := range map[string]locations.Haul{"GB": "domestic", "JE": "domestic", "FR": "short_haul", "XK": "short_haul", "US": "long_haul", "RU": "long_haul", "NA": "long_haul"} {
		if got, ok := locations.HaulOf(country); !ok || got != want {
			t.Errorf("HaulOf(%s) = %s, %v", country, got, ok)
		}
	}
	if _, ok := locations.HaulOf("MC"); ok {
		t.Error("Monaco is not in the table")
	}
}

func TestGreatCircle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		metres   int64
	}{{"LHR", "JFK", 5539833}, {"LHR", "CDG", 347613}, {"CDG", "BER", 855510}, {"LHR", "LON", 0}} {
		a, _ := locations.Resolve(c.from)
		b, _ := locations.Resolve(c.to)
		if got := locations.GreatCircleMetres(a, b); got != c.metres {
			t.Errorf("%s–%s is %d m, want %d", c.from, c.to, got, c.metres)
		}
	}
	// Poles, antipodes and the date line.
	at := func(lat, lon float64) locations.Location { return locations.Location{Latitude: lat, Longitude: lon} }
	const half = 20015114 // π × 6,371,008.8 m
	if d := locations.GreatCircleMetres(at(90, 0), at(-90, 77)); d != half {
		t.Errorf("pole to pole is %d m", d)
	}
	if d := locations.GreatCircleMetres(at(0, 179.5), at(0, -179.5)); d != 111195 {
		t.Errorf("over the date line it is %d m", d)
	}
	airports := locations.Airports()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(airports).Draw(t, "a")
		b := rapid.SampledFrom(airports).Draw(t, "b")
		d := locations.GreatCircleMetres(a, b)
		if d < 0 || d > half || d != locations.GreatCircleMetres(b, a) || (a == b) != (d == 0) && d == 0 && a.Latitude != b.Latitude {
			t.Fatalf("%s–%s is %d m", a.Code, b.Code, d)
		}
	})
}

func BenchmarkResolveAndMeasure(b *testing.B) {
	for b.Loop() {
		x, _ := locations.Resolve("LHR")
		y, _ := locations.Resolve("JFK")
		locations.GreatCircleMetres(x, y)
	}
}

func TestAirportsNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Schiphol": "AMS", "charles-de-gaulle": "CDG", "Heathrow Airport": "LHR", "Airport": "", "Schiphol Heathrow": "", "": ""} {
		found := locations.AirportsNamed(text, 1)
		if got := len(found) > 0; got != (want != "") || got && found[0].Code != want {
			t.Errorf("%q is %v, want %s", text, found, want)
		}
	}
	if found := locations.AirportsNamed("regional", 3); len(found) != 3 {
		t.Errorf("three of many are %v", found)
	}
}

// TestSuggestionsCopyNothing: a request may have hundreds of codes that are not known, and
// each is compared with the names of all airports. It is alone: what others allocate would
// be counted.
func TestSuggestionsCopyNothing(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	if made := testing.AllocsPerRun(10, func() { locations.Suggest("XXX") }); made > 50 {
		t.Errorf("%.0f allocations for one suggestion", made)
	}
}
