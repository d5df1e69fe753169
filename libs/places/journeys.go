package places

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/decimal"
)

//go:embed journeys.tsv
var journeysText string

// Detour is the ratio of a route's length to the great circle.
type Detour struct {
	ID string
	// Value is the ratio to use, Low and High its 95 % range as published.
	Value, Low, High decimal.Decimal
	Detail           string
	Region           string
	Year             int
	Source           string
	SourceLocation   string
	Licence          string
}

// Origin is a town that represents a share of a country's population.
type Origin struct {
	Place
	// Weight is the share of the country's people; the weights of a country add
	// to 1.
	Weight decimal.Decimal
}

type journeyTable struct {
	detours  map[string]Detour
	origins  map[string][]Origin
	airports map[string]int64
	modes    []ModeShare
}

var journeys = sync.OnceValue(func() *journeyTable {
	t := &journeyTable{detours: map[string]Detour{}, origins: map[string][]Origin{}, airports: map[string]int64{}}
	for line := range strings.Lines(journeysText) {
		t.read(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return t
})

// read parses one line; the generator has checked its figures, and the tests parse all of them.
func (t *journeyTable) read(c []string) {
	switch {
	case c[0] == "detour" && len(c) == 12:
		d := Detour{ID: c[1], Detail: c[3], Region: c[7], Source: c[9], SourceLocation: c[10], Licence: c[11]}
		d.Value, _ = decimal.Parse(c[4])
		d.Low, _ = decimal.Parse(c[5])
		d.High, _ = decimal.Parse(c[6])
		d.Year, _ = strconv.Atoi(c[8])
		t.detours[d.ID] = d
	case c[0] == "origin" && len(c) == 7:
		o := Origin{Place: Place{Name: c[2], Country: c[1], Airport: c[6], FoundBy: ByCountryCentre, number: -1}}
		o.Latitude, _ = strconv.ParseFloat(c[3], 64)
		o.Longitude, _ = strconv.ParseFloat(c[4], 64)
		o.Weight, _ = decimal.Parse(c[5])
		t.origins[c[1]] = append(t.origins[c[1]], o)
	case c[0] == "mode" && len(c) == 12:
		m := ModeShare{ID: c[1], Region: c[2], Population: c[3], Mode: c[6], Source: c[9], SourceLocation: c[10], Licence: c[11]}
		m.FromKm, _ = strconv.ParseInt(c[4], 10, 64)
		m.ToKm, _ = strconv.ParseInt(c[5], 10, 64)
		m.Share, _ = decimal.Parse(c[7])
		m.Year, _ = strconv.Atoi(c[8])
		t.modes = append(t.modes, m)
	case c[0] == "homeAirport" && len(c) == 3:
		t.airports[c[1]], _ = strconv.ParseInt(c[2], 10, 64)
	}
}

// detourByID returns the row of an id.
func detourByID(id string) (Detour, bool) {
	d, ok := journeys().detours[id]
	return d, ok
}

// bands are the rows of British roads by the great circle, in metres.
var bands = []struct {
	below int64
	id    string
}{
	{25_000, "detour.road.gb.0-25"}, {50_000, "detour.road.gb.25-50"}, {100_000, "detour.road.gb.50-100"}, {200_000, "detour.road.gb.100-200"},
	{300_000, "detour.road.gb.200-300"}, {500_000, "detour.road.gb.300-500"},
}

// DetourFor returns the detour of a mode of ground transport or freight between
// two places that are metres apart. Roads within Great Britain have rows by
// distance; elsewhere short ways are those of towns, and long ones those between
// cities. The false result means that the mode has none.
func DetourFor(mode, fromCountry, toCountry string, metres int64) (Detour, bool) {
	switch mode {
	case "rail", "international_rail", "tram", "metro":
		return detourByID("detour.rail")
	case "bus":
		return detourByID("detour.bus")
	case "ferry", "sea":
		return detourByID("detour.ferry")
	case "car", "taxi", "motorbike", "van", "coach", "bicycle", "walk", "road":
		if fromCountry != "GB" || toCountry != "GB" {
			if metres < 25_000 {
				return detourByID("detour.road.urban.europe")
			}
			return detourByID("detour.road.city_pairs.europe")
		}
		for _, b := range bands {
			if metres < b.below {
				return detourByID(b.id)
			}
		}
		return detourByID("detour.road.gb.500+")
	}
	return Detour{}, false
}

// Origins returns the towns that represent a country's population, the largest share
// first. The slice is shared and must not be changed.
func Origins(country string) []Origin { return journeys().origins[country] }

// HomeAirportKm returns the median great-circle distance from home to the
// nearest airport of a country's people, in km.
func HomeAirportKm(country string) (int64, bool) {
	km, ok := journeys().airports[country]
	return km, ok
}
