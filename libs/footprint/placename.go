package footprint

import (
	"errors"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// findPlace returns the town (places.Find) or the airport (locations.AirportCalled) that a text names. The airport is
// preferred if no town has the name or only a small one abroad, and an airport of the event's country is preferred
// over any town elsewhere: Heathrow is not the town in Florida. Then town is the town of that name; its zero value if
// there is none.
func findPlace(text, home string) (town places.Found, airport locations.Location, err error) {
	town, err = places.Find(text, home)
	if err == nil && !town.Abroad && (home == "" || town.Country == home) {
		return town, locations.Location{}, nil
	}
	called, ok := locations.AirportCalled(text)
	_, open := errors.AsType[*places.AmbiguousError](err)
	if !ok || called.Country != home && (open || err == nil && !town.Abroad) {
		return town, locations.Location{}, err
	}
	return town, called, nil
}

// calledStop returns an airport that was named, and the town of that name.
func calledStop(l locations.Location, town places.Found) stop {
	s := airportStop(l)
	s.called = true
	if town.ID != 0 {
		s.alsoTown = town.String()
	}
	return s
}
