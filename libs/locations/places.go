package locations

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed places.tsv
var placesText string

// Location is a place with a code: an airport, or a city that represents several.
type Location struct {
	// Code is the requested code in upper case: "LHR", "EGLL" or "LON".
	Code string `json:"code"`
	// Airport is the IATA code of the airport meant: "LHR" for all three.
	Airport string `json:"airport"`
	ICAO    string `json:"icao,omitempty"`
	Name    string `json:"name"` // of the airport, or of the city for a city code
	City    string `json:"city"`
	Country string `json:"country"` // ISO 3166-1 alpha-2
	// Latitude and Longitude are those of Airport, in degrees.
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	// Approximate is true for a city code, which represents several airports.
	Approximate bool `json:"approximate"`
	// Large is true for the airports that OurAirports classes as large.
	Large bool `json:"large"`
}

// Haul is how far a territory is from the UK in the DESNZ tables.
type Haul string

// The hauls of the DESNZ country table.
const (
	Domestic  Haul = "domestic"
	ShortHaul Haul = "short_haul"
	LongHaul  Haul = "long_haul"
)

type placeTable struct {
	airports []Location
	iata     map[string]int
	icao     map[string]int
	cities   map[string]Location
	haul     map[string]Haul
}

var places = sync.OnceValue(func() *placeTable {
	t := &placeTable{
		airports: make([]Location, 0, 5600), iata: make(map[string]int, 5600), icao: make(map[string]int, 5600),
		cities: make(map[string]Location, 128), haul: make(map[string]Haul, 256),
	}
	for line := range strings.Lines(placesText) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case c[0] == "airport" && len(c) == 9:
			lat, latErr := strconv.ParseFloat(c[6], 64)
			lon, lonErr := strconv.ParseFloat(c[7], 64)
			if latErr != nil || lonErr != nil {
				continue // a test asserts that no line is skipped
			}
			t.iata[c[1]] = len(t.airports)
			if c[2] != "" {
				t.icao[c[2]] = len(t.airports)
			}
			t.airports = append(t.airports, Location{Code: c[1], Airport: c[1], ICAO: c[2], Name: c[3], City: c[4],
				Country: c[5], Latitude: lat, Longitude: lon, Large: c[8] != ""})
		case c[0] == "city" && len(c) == 5:
			// City lines follow all airports.
			l := t.airports[t.iata[c[4]]]
			l.Code, l.Name, l.City, l.Country, l.Approximate = c[1], c[2], c[2], c[3], true
			t.cities[c[1]] = l
		case c[0] == "haul" && len(c) == 3:
			t.haul[c[1]] = Haul(c[2])
		}
	}
	return t
})

// Resolve finds a place by its IATA or ICAO code or its city code, in any case.
// A code that is both an airport and a city, such as IST, is the airport.
func Resolve(code string) (Location, bool) {
	code = upper(code)
	t := places()
	switch len(code) {
	case 3:
		if i, ok := t.iata[code]; ok {
			return t.airports[i], true
		}
		l, ok := t.cities[code]
		return l, ok
	case 4:
		if i, ok := t.icao[code]; ok {
			l := t.airports[i]
			l.Code = code
			return l, true
		}
	}
	return Location{}, false
}

// upper is strings.ToUpper without its cost for a code that is upper already.
func upper(code string) string {
	for i := range len(code) {
		if c := code[i]; c < 'A' || c > 'Z' {
			return strings.ToUpper(code)
		}
	}
	return code
}

// Airports returns all airports ordered by IATA code. The slice is the caller's.
func Airports() []Location { return slices.Clone(places().airports) }

// Cities returns all city codes, ordered by code.
func Cities() []Location { return slices.Clone(cities()) }

var cities = sync.OnceValue(func() []Location {
	return slices.SortedFunc(maps.Values(places().cities), func(a, b Location) int { return strings.Compare(a.Code, b.Code) })
})

// airportWords maps words to the airports whose names contain them, in order.
var airportWords = sync.OnceValue(func() map[string][]int {
	out := map[string][]int{}
	for i, l := range places().airports {
		for _, word := range nameWords(l.Name) {
			if all := out[word]; len(all) == 0 || all[len(all)-1] != i {
				out[word] = append(all, i)
			}
		}
	}
	return out
})

// AirportsNamed returns at most limit airports whose names contain the words of a text, large ones first: Amsterdam
// for Schiphol. The result is only suggested, since many airports share words.
func AirportsNamed(text string, limit int) []Location {
	words := nameWords(text)
	if len(words) == 0 {
		return nil
	}
	var large, small []Location
	for _, i := range airportWords()[words[0]] {
		if slices.ContainsFunc(words[1:], func(word string) bool {
			_, stands := slices.BinarySearch(airportWords()[word], i)
			return !stands
		}) {
			continue
		}
		if l := places().airports[i]; l.Large {
			large = append(large, l)
		} else {
			small = append(small, l)
		}
	}
	found := append(large, small...)
	return found[:min(limit, len(found))]
}

// AirportCalled returns the large airport that a text names by all words of its name, or by those other than its
// city's: London Heathrow, Heathrow. ok is false if there is none, or several.
func AirportCalled(text string) (called Location, ok bool) {
	words := nameWords(text)
	if len(words) == 0 {
		return Location{}, false
	}
	whole := len(words) < len(strings.Fields(text)) // the text contains "airport"
	for _, i := range airportWords()[words[0]] {
		l := places().airports[i]
		if !l.Large {
			continue
		}
		name, city := nameWords(l.Name), nameWords(l.City)
		own := slices.DeleteFunc(slices.Clone(name), func(word string) bool { return slices.Contains(city, word) })
		all := sameWords(words, name) || sameWords(words, slices.Concat(city, own))
		if sameWords(words, own) && tells(own) && !airportCities()[inOrder(own)] || all && (whole || len(own) > 0) {
			if ok {
				return Location{}, false
			}
			called, ok = l, true
		}
	}
	return called, ok
}

// tells reports whether words identify an airport without the name of its city.
func tells(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		switch word {
		case "city", "national", "central", "capital", "intercontinental":
			return false
		}
		return len(word) > 3
	})
}

// airportCities are the cities of airports, by their words.
var airportCities = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, l := range places().airports {
		out[inOrder(nameWords(l.City))] = true
	}
	return out
})

// sameWords reports whether two texts have the same words in any order.
func sameWords(a, b []string) bool { return inOrder(a) == inOrder(b) }

func inOrder(words []string) string { return strings.Join(slices.Sorted(slices.Values(words)), " ") }

// nameWords returns the distinguishing words of an airport's name.
func nameWords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(word string) bool { return word == "airport" || word == "international" || word == "flughafen" })
}

// HaulOf returns a country's haul relative to the UK; false for a territory that
// the table lacks.
func HaulOf(country string) (Haul, bool) {
	h, ok := places().haul[country]
	return h, ok
}

// Suggest returns up to five codes that an unknown code may mean: places whose city or name begins with it, then
// codes that differ in one letter.
func Suggest(code string) []string {
	const limit = 5
	code = strings.ToUpper(strings.TrimSpace(code))
	if code == "" || len(code) > 40 {
		return nil
	}
	var out []string
	add := func(c string) {
		if len(out) < limit && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	t := places()
	if len(code) >= 3 {
		for _, l := range cities() {
			if beginsWith(l.City, code) {
				add(l.Code)
			}
		}
		// A city with exactly that name precedes those that only begin with it.
		var begin []string
		for i := range t.airports {
			switch l := &t.airports[i]; {
			case beginsWith(l.City, code):
				if len(upper(l.City)) == len(code) {
					add(l.Code)
				}
				begin = append(begin, l.Code)
			case beginsWith(l.Name, code):
				begin = append(begin, l.Code)
			}
		}
		for _, c := range begin {
			add(c)
		}
	}
	if len(code) > 4 {
		return out // no code is as long
	}
	// Two letters swapped are likelier than one mistyped, and a large airport
	// is likelier meant than a small one.
	var alike [4][]string
	for i := range t.airports {
		l := &t.airports[i]
		name := l.Code
		if len(code) == 4 {
			name = l.ICAO
		}
		if len(name) != len(code) {
			continue
		}
		how := near(name, code)
		if how == none {
			continue
		}
		place := 0
		if how == replaced {
			place = 2
		}
		if !l.Large {
			place++
		}
		alike[place] = append(alike[place], name)
	}
	for _, codes := range alike {
		for _, c := range codes {
			add(c)
		}
	}
	return out
}

// beginsWith reports whether a text begins, in upper case, with a prefix in upper case. It does not allocate: each
// misspelled name is compared with thousands.
func beginsWith(text, prefix string) bool {
	for _, want := range prefix {
		if text == "" {
			return false
		}
		r, size := utf8.DecodeRuneInString(text)
		if unicode.ToUpper(r) != want {
			return false
		}
		text = text[size:]
	}
	return true
}

type slip uint8

const (
	none slip = iota
	swapped
	replaced
)

// near returns how two codes of equal length differ: by a transposition, by one letter, or by more (none).
func near(a, b string) slip {
	var at [2]int
	n := 0
	for i := range len(a) {
		if a[i] != b[i] {
			if n == 2 {
				return none
			}
			at[n] = i
			n++
		}
	}
	switch {
	case n == 1:
		return replaced
	case n == 2 && at[1] == at[0]+1 && a[at[0]] == b[at[1]] && a[at[1]] == b[at[0]]:
		return swapped
	}
	return none
}
