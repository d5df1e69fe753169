package footprint

import (
	"errors"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// findPlace returns what a text that is no code names: a town (places.Find), or the airport
// that is called so (locations.AirportCalled). The airport is meant where no town has the
// name, or a small one abroad, and an airport of the event's country before any town elsewhere:
// Heathrow is no town in Florida. Town is then the one that has the name as well; its zero
// value where there is none.
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
