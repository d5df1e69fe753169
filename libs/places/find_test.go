package places_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, home, want string }{
		{"Brighton, GB", "", "Brighton, England, GB"},
		{"brighton", "GB", "Brighton, England, GB"},
		{"München", "GB", "Munich, Bavaria, DE"},
		{"Munich", "", "Munich, Bavaria, DE"},
		{"Köln, Germany", "", "Köln, North Rhine-Westphalia, DE"},
		{"London", "", "London, England, GB"},
		{"London, CA", "GB", "London, Ontario, CA"},
		{"London, Ontario, Canada", "GB", "London, Ontario, CA"},
		{"Portland, Oregon, US", "", "Portland, Oregon, US"},
		{"Portland, OR", "", "Portland, Oregon, US"},
		{"San Jose, CA", "", "San Jose, California, US"},
		{"Cambridge", "GB", "Cambridge, England, GB"},
		{"Cambridge, MA, US", "GB", "Cambridge, Massachusetts, US"},
		{"Newcastle upon Tyne", "GB", "Newcastle upon Tyne, England, GB"},
		{"Berlin", "GB", "Berlin, State of Berlin, DE"},
		{"São Paulo", "", "São Paulo, BR"},
		{"ZURICH", "DE", "Zürich, Zurich, CH"},
		{"Brooklyn, US", "", "Brooklyn, New York, US"},
		{"Manchester", "GB", "Manchester, England, GB"},
		{"BS1 4DJ", "GB", "BS1, GB"},
		{"BS16QY, GB", "", "BS1, GB"},
		{"94103, US", "", "941, US"},
		{"Hull", "GB", "Kingston upon Hull, England, GB"},
		{"Hull", "US", "Hull, Massachusetts, US"},
		{"Cologne", "DE", "Köln, North Rhine-Westphalia, DE"},
		{"Cologne", "IT", "Cologne, Lombardy, IT"},
		{"Hanover", "DE", "Hannover, Lower Saxony, DE"},
		{"Geneva", "CH", "Genève, Geneva, CH"},
		{"Newcastle, Northern Ireland, GB", "", "Newcastle, Northern Ireland, GB"},
		{"Santiago", "ES", "Santiago, Santiago Metropolitan, CL"},
		{"New Delhi", "GB", "New Delhi, Delhi, IN"},
		{"Rome", "GB", "Rome, Lazio, IT"},
		// A small town that is called so, and a larger one that was.
		{"Madrid, US", "GB", "Madrid, Iowa, US"},
		{"Ablon, FR", "", "Ablon, Normandy, FR"},
	} {
		got, err := places.Find(c.text, c.home)
		if err != nil || got.String() != c.want {
			t.Errorf("Find(%q, %q) = %v (%s), %v; want %s", c.text, c.home, got.Place, got.FoundBy, err, c.want)
		}
	}
}

// TestNamesInOtherLanguages: a name in another language or script finds a town, but only where nothing else is called so:
// Velence is Venice in Hungarian, and a town in Hungary.
func TestNamesInOtherLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Venezia": "Venice, Veneto, IT", "Venedig": "Venice, Veneto, IT", "'s-Gravenhage": "The Hague, South Holland, NL", "s-Gravenhage, NL": "The Hague, South Holland, NL",
		"Lüttich": "Liège, Wallonia, BE", "Luik (BE)": "Liège, Wallonia, BE", "Aix-la-Chapelle": "Aachen, North Rhine-Westphalia, DE", "Ypres": "Ieper, Flanders, BE",
		"Αθήνα": "Athens, Attica, GR", "Москва": "Moscow, RU", "東京": "Tokyo, JP", "Velence": "Velence, Fejér, HU",
	} {
		if got, err := places.Find(text, "GB"); err != nil || got.String() != want {
			t.Errorf("Find(%q) = %v (%s), %v; want %s", text, got.Place, got.FoundBy, err, want)
		}
	}
}

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, home string }{{"Newcastle", ""}, {"Springfield", "US"}, {"Cambridge", ""}, {"Cambridge, US", ""}, {"Richmond", ""},
		// The place with that alternative name has far more people.
		{"Newcastle", "GB"}, {"Newcastle, GB", "DE"}, {"Hull", ""}, {"Cologne", "GB"}, {"Lyons", "GB"}, {"Bruges", "GB"},
		{"Iráklion, GR", ""}, {"Iráklion", "GR"}} {
		got, err := places.Find(c.text, c.home)
		e, ok := errors.AsType[*places.AmbiguousError](err)
		if !ok || got.Name != "" || len(e.Candidates) < 2 {
			t.Errorf("Find(%q, %q) = %v, %v", c.text, c.home, got, err)
			continue
		}
		for _, p := range e.Candidates {
			if p.Country == "" || p.Region == "" && p.Kind != "capital" {
				t.Errorf("%q: the candidate %+v lacks its country or region", c.text, p)
			}
		}
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "  ", "Qwxzy", ",", ", GB", "Brighton, Atlantis", strings.Repeat("a", 10_000), "ZZ99 9ZZ, GB", "\x00", "()"} {
		_, err := places.Find(text, "GB")
		if _, ok := errors.AsType[*places.NotFoundError](err); !ok {
			t.Errorf("Find(%.20q): %v", text, err)
		}
	}
	_, err := places.Find("Brigthon", "GB")
	e, ok := errors.AsType[*places.NotFoundError](err)
	if !ok || len(e.Suggestions()) == 0 || !strings.HasPrefix(e.Suggestions()[0], "Brighton") {
		t.Errorf("Brigthon: %v %+v", err, e)
	}
}

// TestPlacesOfTheEventsCountryComeFirst verifies that the event's country precedes the world, and that a far larger namesake is reported.
func TestPlacesOfTheEventsCountryComeFirst(t *testing.T) {
	t.Parallel()
	got, err := places.Find("Boston", "GB")
	if err != nil || got.Country != "GB" || got.Namesake == nil || got.Namesake.Country != "US" {
		t.Errorf("Boston in GB: %+v, %v", got, err)
	}
	if got, err = places.Find("Boston", "FR"); err != nil || got.Country != "US" || got.Namesake != nil {
		t.Errorf("Boston from FR: %+v, %v", got, err)
	}
}

// TestNameDecidedByCountry: a place decided by the event's country reports the namesake elsewhere, and one found
// abroad reports that it is not in the event's country.
func TestNameDecidedByCountry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, home, namesake string
		abroad               bool
	}{
		{"Hull", "GB", "Hull, Massachusetts, US", false},
		{"Cologne", "DE", "Cologne, Lombardy, IT", false},
		{"Londonderry", "GB", "", true},
		{"Londonderry", "US", "", false},
		{"Londonderry, US", "GB", "", false},
		{"Londonderry", "", "", false},
		{"Berlin", "GB", "", false},
	} {
		got, err := places.Find(c.text, c.home)
		namesake := ""
		if got.Namesake != nil {
			namesake = got.Namesake.String()
		}
		if err != nil || namesake != c.namesake || got.Abroad != c.abroad {
			t.Errorf("Find(%q, %q) = %v beside %q, abroad %v, %v", c.text, c.home, got.Place, namesake, got.Abroad, err)
		}
	}
	// A district abroad is named with its country.
	for text, found := range map[string]bool{"Docklands": false, "Docklands, AU": true} {
		if got, err := places.Find(text, "GB"); (err == nil) != found {
			t.Errorf("%s: %v, %v", text, got.Place, err)
		}
	}
}

// TestCommaInName: a few names have commas, and are found by their normalized form.
func TestCommaInName(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Mianzhu, Deyang, Sichuan, Sichuan, CN", "Mianzhu, Deyang, Sichuan, CN", "Mianzhu, Deyang, Sichuan"} {
		if got, err := places.Find(text, ""); err != nil || got.Country != "CN" || got.Name != "Mianzhu, Deyang, Sichuan" {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// TestFoundAgain holds that what names a place without doubt finds it again.
func TestFoundAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, places.Count()-1).Draw(t, "place")
		p := places.At(n)
		got, err := places.Find(p.String(), "")
		if err != nil {
			if e, ok := errors.AsType[*places.AmbiguousError](err); !ok || len(e.Candidates) < 2 {
				t.Fatalf("%s: %v", p, err)
			}
			return
		}
		if got.Country != p.Country {
			t.Fatalf("%s finds %s", p, got.Place)
		}
	})
}

func TestNearestAirport(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"Brighton, GB": "LGW", "Paris, FR": "CDG", "London, GB": "LHR", "Berlin, DE": "BER"} {
		p, err := places.Find(text, "")
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := p.NearestAirport(); !ok || a.Airport != want {
			t.Errorf("%s flies from %s, want %s", text, a.Airport, want)
		}
	}
	// A small town has no suggested airport.
	p := places.Place{Latitude: 51.47, Longitude: -0.45}
	if a, ok := p.NearestAirport(); !ok || a.Airport != "LHR" {
		t.Errorf("beside Heathrow: %+v", a)
	}
}

func TestDetours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode, from, to string
		metres         int64
		want           string
	}{
		{"car", "GB", "GB", 113_500, "1.369"}, {"rail", "GB", "GB", 261_700, "1.2"}, {"coach", "DE", "FR", 400_000, "1.285"},
		{"taxi", "FR", "FR", 8_000, "1.343"}, {"bus", "GB", "GB", 10_000, "1.5"}, {"ferry", "GB", "FR", 40_000, "1"},
		{"road", "GB", "GB", 24_999, "1.541"}, {"road", "GB", "GB", 500_000, "1.328"}, {"van", "GB", "FR", 300_000, "1.285"},
	} {
		d, ok := places.DetourFor(c.mode, c.from, c.to, c.metres)
		if !ok || d.Value.String() != c.want || d.Source == "" || d.Low.Cmp(d.Value) > 0 || d.High.Cmp(d.Value) < 0 {
			t.Errorf("%+v: %+v", c, d)
		}
	}
	if d, ok := places.DetourFor("plane", "GB", "FR", 1); ok {
		t.Errorf("a plane has the detour %v", d)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	countries := 0
	for _, c := range locations.Countries() {
		list := places.Origins(c.Code)
		if len(list) == 0 {
			continue
		}
		countries++
		sum := 0.0
		for _, o := range list {
			sum += float64(o.Weight.Coefficient()) / pow10(o.Weight.Scale())
			if o.Latitude == 0 && o.Longitude == 0 || o.Weight.Sign() <= 0 {
				t.Errorf("%s: %+v", c.Code, o)
			}
		}
		if sum < 0.998 || sum > 1.002 {
			t.Errorf("the origins of %s add to %v", c.Code, sum)
		}
	}
	if countries < 200 {
		t.Errorf("%d countries have origins", countries)
	}
	if km, ok := places.HomeAirportKm("GB"); !ok || km != 18 {
		t.Errorf("GB: %d km", km)
	}
}

func pow10(n int) float64 {
	v := 1.0
	for range n {
		v *= 10
	}
	return v
}

// TestImage reads every line that the package holds.
func TestImage(t *testing.T) {
	t.Parallel()
	if n := places.Count(); n != 53_288+62_910 {
		t.Fatalf("%d places", n)
	}
	for n := range places.Count() {
		p := places.At(n)
		_, known := locations.CountryByCode(p.Country)
		if p.ID == 0 || p.Name == "" || !known || p.Latitude < -90 || p.Latitude > 90 || p.Longitude < -180 || p.Longitude > 180 {
			t.Fatalf("%d: %+v", n, p)
		}
		if p.Airport != "" {
			if _, ok := locations.Resolve(p.Airport); !ok {
				t.Errorf("%s flies from the unknown airport %s", p, p.Airport)
			}
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		if _, err := places.Find("Brighton", "GB"); err != nil {
			b.Fatal(err)
		}
	}
}
