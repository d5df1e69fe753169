package places

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/locations"
)

// Place is a town, a district of a city, or an area of postcodes.
type Place struct {
	// ID is the GeoNames id; 0 for an area of postcodes.
	ID int64
	// Name is the town's, or the postcode area's code.
	Name string
	// Country is an ISO 3166-1 alpha-2 code.
	Country string
	// Region and RegionCode are those of the first administrative division in GeoNames. A postcode area has its own
	// name as Region.
	Region, RegionCode  string
	Latitude, Longitude float64
	// Population is the number of people; 0 if unknown.
	Population int64
	// Kind is empty for a town, else capital, region_seat, district or postcode.
	Kind string
	// Airport is the IATA code of the airport that people of the town are assumed to use, and AirportKm its
	// great-circle distance. Small towns have none; see [Place.NearestAirport].
	Airport   string
	AirportKm int64
	// RadiusKm is the 90th percentile of the distance of an area's members from
	// its centre; 0 for towns.
	RadiusKm int64
	// FoundBy is the kind of name that found the place.
	FoundBy string

	number int
}

// String returns a text that identifies the place: "Brighton, England, GB".
func (p Place) String() string {
	parts := []string{p.Name}
	if p.Region != "" && p.Region != p.Name && p.Kind != "postcode" {
		parts = append(parts, p.Region)
	}
	return strings.Join(append(parts, p.Country), ", ")
}

// Location returns the place as a location without a code, for distances.
func (p Place) Location() locations.Location {
	return locations.Location{Name: p.Name, City: p.Name, Country: p.Country, Latitude: p.Latitude, Longitude: p.Longitude, Approximate: true}
}

// Degrees returns an angle with six decimals, the precision of the tables, as stored with a record.
func Degrees(angle float64) *decimal.Decimal {
	out, err := decimal.Parse(strconv.FormatFloat(angle, 'f', 6, 64))
	if err != nil {
		return nil
	}
	return &out
}

// LocationAt returns a location of a name by its degrees, as [Degrees] writes them.
func LocationAt(name, country, latitude, longitude string) locations.Location {
	l := locations.Location{Name: name, City: name, Country: country, Approximate: true}
	l.Latitude, _ = strconv.ParseFloat(latitude, 64)
	l.Longitude, _ = strconv.ParseFloat(longitude, 64)
	return l
}

// NearestAirport returns the airport that the place's people are assumed to
// use: the suggested one, else the nearest large one.
func (p Place) NearestAirport() (locations.Location, bool) {
	if l, ok := locations.Resolve(p.Airport); ok {
		return l, true
	}
	var best locations.Location
	least, found := int64(0), false
	for _, a := range locations.Airports() {
		if !a.Large {
			continue
		}
		if d := locations.GreatCircleMetres(p.Location(), a); !found || d < least {
			best, least, found = a, d, true
		}
	}
	return best, found
}

// AmbiguousError reports that a name may mean several places.
type AmbiguousError struct {
	Text string
	// Candidates are the places meant, the largest first, at most ten.
	Candidates []Place
	// More is the number of further candidates.
	More int
}

func (e *AmbiguousError) Error() string {
	names := make([]string, 0, len(e.Candidates))
	for _, p := range e.Candidates {
		names = append(names, p.String())
	}
	more := ""
	if e.More > 0 {
		more = fmt.Sprintf(" and %d more", e.More)
	}
	return fmt.Sprintf("%q may mean %s%s", e.Text, strings.Join(names, "; "), more)
}

// NotFoundError reports that no place has a name.
type NotFoundError struct {
	Text string

	searched *image // nil: no suggestions
}

// Suggestions returns names similar to the text, at most three. It compares
// the text with thousands of names, so it is computed on demand only.
func (e *NotFoundError) Suggestions() []string {
	if e.searched == nil {
		return nil
	}
	return e.searched.suggest(e.Text)
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("no place is called %q", e.Text) }
