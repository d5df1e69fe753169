package findings

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
)

const (
	// farKm is the great-circle distance, in km, from which a ground journey is one to the event, rather than one to
	// or from an airport, or in town. A flight that ends farther from the event is followed by such a journey, so
	// that one of the two arrives. In most countries nine in ten people live closer to an airport
	// (libs/places/source).
	farKm = 150
	// farByRoadKm is farKm for a distance known only by road or rail, in km: a third longer than the great circle.
	farByRoadKm = 200
)

// localModes are modes of journeys in town, at any distance.
var localModes = []string{"taxi", "bus", "tram", "metro", "walk", "bicycle"}

// Spot is a place on the map, in millionths of a degree.
type Spot struct{ Latitude, Longitude int64 }

// spotAt returns the spot of stored degrees; ok is false if there are none.
func spotAt(latitude, longitude json.Number) (s Spot, ok bool) {
	a, aErr := strconv.ParseFloat(latitude.String(), 64)
	b, bErr := strconv.ParseFloat(longitude.String(), 64)
	return Spot{int64(math.Round(a * 1e6)), int64(math.Round(b * 1e6))}, aErr == nil && bErr == nil
}

// kmTo returns the great circle to another spot, in whole km.
func (s Spot) kmTo(o Spot) int64 {
	at := func(s Spot) locations.Location {
		return locations.Location{Latitude: float64(s.Latitude) / 1e6, Longitude: float64(s.Longitude) / 1e6}
	}
	return locations.GreatCircleMetres(at(s), at(o)) / 1000
}

// stops are the stored places of a journey.
type stops []struct{ Latitude, Longitude json.Number }

// ends returns the start and destination of the journey; none if either is unknown.
func (s stops) ends() []Spot {
	if len(s) < 2 {
		return nil
	}
	first, ok := spotAt(s[0].Latitude, s[0].Longitude)
	last, also := spotAt(s[len(s)-1].Latitude, s[len(s)-1].Longitude)
	if !ok || !also {
		return nil
	}
	return []Spot{first, last}
}

// spotsOf returns the start and destination of a record's journey; none if unknown.
func (f *Fact) spotsOf() []Spot {
	if f.Type != "flights" || len(f.Ends) > 0 {
		return f.Ends
	}
	from, ok := locations.Resolve(place(f.From))
	to, also := locations.Resolve(place(f.To))
	if !ok || !also {
		return nil
	}
	at := func(l locations.Location) Spot {
		return Spot{int64(math.Round(l.Latitude * 1e6)), int64(math.Round(l.Longitude * 1e6))}
	}
	return []Spot{at(from), at(to)}
}

// reach states whether a journey begins or ends at the event.
type reach int

const (
	unknown reach = iota
	here
	elsewhere
)

// reaches returns whether the journey of a record begins or ends at the event's place.
func (e Event) reaches(f *Fact) reach {
	ends := f.spotsOf()
	if e.Place == nil || len(ends) == 0 {
		return unknown
	}
	if slices.ContainsFunc(ends, func(s Spot) bool { return s.kmTo(*e.Place) < farKm }) {
		return here
	}
	return elsewhere
}

// long reports whether a journey on the ground is as long as one to the event.
func (f *Fact) long() bool {
	switch {
	case slices.Contains(localModes, f.Mode):
		return false
	case len(f.Ends) == 2:
		return f.Ends[0].kmTo(f.Ends[1]) >= farKm
	}
	return f.DistanceKm != nil && f.DistanceKm.Cmp(decimal.FromInt(farByRoadKm)) >= 0
}

// placeOf returns the spot of an event's place; nil if unknown.
func placeOf(v footprint.Venue) *Spot {
	if s, ok := spotAt(v.Latitude, v.Longitude); ok {
		return &s
	}
	return nil
}
