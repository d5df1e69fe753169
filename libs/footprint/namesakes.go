package footprint

import (
	"errors"
	"slices"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

const (
	// muchLarger is how many times the people of another place of the same name a city has that is meant without its country.
	muchLarger = 10
	// farLarger is how many times the people of a town in the event's country a place elsewhere has for the town not to be taken
	// without being asked: Madrid, Iowa.
	farLarger = 100
)

// findNamed is findPlace, except that it is open whether a town of the event's country or a place elsewhere that has farLarger times
// its people is meant.
func findNamed(text, home string) (places.Found, locations.Location, error) {
	town, airport, err := findPlace(text, home)
	if err == nil && airport.Code == "" && town.Namesake != nil && town.Namesake.Population >= farLarger*town.Population {
		return places.Found{}, locations.Location{}, &places.AmbiguousError{Text: text, Candidates: []places.Place{*town.Namesake, town.Place}}
	}
	return town, airport, err
}

// findFlightPlace is findPlace for an end of a flight, for which an airport says more than the event's country: nobody
// flies to Boston, Lincolnshire. If no airport in that country is that of a town of the name, and one other country has a
// large airport of a city of the name with ten times the people, this city is found; byAirport reports that. It is open which
// is meant if that city is not so much larger, or the town at home, which is much smaller, has an airport too.
func findFlightPlace(text, home string) (town places.Found, airport locations.Location, byAirport bool, err error) {
	town, airport, err = findPlace(text, home)
	open, isOpen := errors.AsType[*places.AmbiguousError](err)
	var atHome []places.Place
	switch {
	case airport.Code != "" || home == "":
	case err == nil && town.Country == home:
		atHome = []places.Place{town.Place}
	case isOpen && !slices.ContainsFunc(open.Candidates, func(p places.Place) bool { return p.Country != home }):
		atHome = open.Candidates
	}
	if len(atHome) == 0 {
		return town, airport, false, err
	}
	city, served, ok := cityAbroad(text, home)
	if !ok {
		return town, airport, false, err
	}
	larger := city.Population >= muchLarger*atHome[0].Population
	switch {
	case !served && larger:
		city.Namesake = &atHome[0]
		return city, locations.Location{}, true, nil
	case !served, larger, isOpen:
		all := append([]places.Place{city.Place}, atHome...)
		open = &places.AmbiguousError{Text: text, Candidates: all[:min(len(all), 10)], More: max(len(all)-10, 0)}
		return places.Found{}, locations.Location{}, false, open
	}
	return town, airport, false, err
}

// findFlown is findFlightPlace for those who only need the place.
func findFlown(text, home string) (places.Found, locations.Location, error) {
	town, airport, _, err := findFlightPlace(text, home)
	return town, airport, err
}

// cityAbroad returns the city with a name and a large airport in the one other country that has such, and reports whether an
// airport at home is that of a city of the name, too. ok is false if there is none, or one in several countries.
func cityAbroad(name, home string) (city places.Found, served, ok bool) {
	country := ""
	for _, l := range locations.AirportsOfCity(name) {
		switch {
		case l.Country == home:
			served = true
		case !l.Large:
		case country != "" && country != l.Country:
			return places.Found{}, served, false
		default:
			country = l.Country
		}
	}
	if country == "" {
		return places.Found{}, served, false
	}
	city, err := places.Find(name+", "+country, home)
	return city, served, err == nil && city.FoundBy == places.ByName
}
