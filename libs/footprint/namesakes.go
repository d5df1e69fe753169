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
// its people is meant; and where it is open which of several towns there is, a much larger city elsewhere is suggested, too.
func findNamed(text, home string) (places.Found, locations.Location, error) {
	town, airport, err := findPlace(text, home)
	atHome, isOpen := townsAtHome(town, airport, err, home)
	switch {
	case isOpen:
		if city, _, ok := cityAbroad(text, home); ok && city.Population >= muchLarger*atHome[0].Population {
			return places.Found{}, airport, openBetween(text, city.Place, atHome, err)
		}
	case len(atHome) > 0 && town.Namesake != nil && town.Namesake.Population >= farLarger*town.Population:
		return places.Found{}, airport, openBetween(text, *town.Namesake, atHome, err)
	}
	return town, airport, err
}

// findFlightPlace is findPlace for an end of a flight, for which an airport says more than the event's country: nobody
// flies to Boston, Lincolnshire. If no airport in that country is that of a town of the name, and one other country has a
// large airport of a city of the name with ten times the people, this city is found; byAirport reports that. It is open which
// is meant if that city is not so much larger, or the town at home, which is much smaller, has an airport too.
func findFlightPlace(text, home string) (town places.Found, airport locations.Location, byAirport bool, err error) {
	town, airport, err = findPlace(text, home)
	atHome, isOpen := townsAtHome(town, airport, err, home)
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
		return city, airport, true, nil
	case !served, larger, isOpen:
		return places.Found{}, airport, false, openBetween(text, city.Place, atHome, err)
	}
	return town, airport, false, err
}

// findFlown is findFlightPlace for those who only need the place.
func findFlown(text, home string) (places.Found, locations.Location, error) {
	town, airport, _, err := findFlightPlace(text, home)
	return town, airport, err
}

// townsAtHome returns the towns of the event's country that findPlace found, the largest first, if no others have the name, and
// reports whether it is open which of them is meant.
func townsAtHome(town places.Found, airport locations.Location, err error, home string) (list []places.Place, isOpen bool) {
	open, isOpen := errors.AsType[*places.AmbiguousError](err)
	switch {
	case home == "" || airport.Code != "":
	case err == nil && town.Country == home:
		return []places.Place{town.Place}, false
	case isOpen && !slices.ContainsFunc(open.Candidates, func(p places.Place) bool { return p.Country != home }):
		return open.Candidates, true
	}
	return nil, false
}

// openBetween is the error of a name that may mean a city elsewhere or one of the towns at home, with those that the error of findPlace
// does not list.
func openBetween(text string, city places.Place, atHome []places.Place, err error) error {
	open := places.AmbiguousError{Text: text, Candidates: append([]places.Place{city}, atHome...)}
	if before, ok := errors.AsType[*places.AmbiguousError](err); ok {
		open.More = before.More
	}
	return &open
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
