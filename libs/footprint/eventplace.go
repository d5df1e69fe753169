package footprint

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// Venue is the place of an event as resolved when it was entered, so that
// a later edition of the register changes no figure. The zero value is that of an
// event without a place.
type Venue struct {
	Name      string `json:"name"`
	Region    string `json:"region,omitempty"`
	Country   string `json:"country"`
	GeonameID int64  `json:"geonameId,omitempty"`
	// Code is the airport, or the one that represents the town.
	Code string `json:"code,omitempty"`
	// Latitude and Longitude are degrees with at most six decimals.
	Latitude  json.Number `json:"latitude"`
	Longitude json.Number `json:"longitude"`
	// RadiusKm is that of an area of postcodes.
	RadiusKm int64 `json:"radiusKm,omitempty"`
	// Area reports that the place is a town or an area, not an airport.
	Area bool `json:"area,omitempty"`
}

// IsZero reports whether there is no place.
func (v Venue) IsZero() bool { return v == Venue{} }

// ResolveVenue resolves the text of an event's place: a code stays a code, anything
// else is looked up in the country of the event first. The detail lists the candidates
// of an ambiguous place, the notices the assumptions.
func ResolveVenue(text, home string) (Venue, []Notice, *apperr.Detail) {
	d := &decoder{ev: EventContext{Country: home}}
	s, detail := d.lookUp("place", text)
	if detail != nil {
		return Venue{}, nil, detail
	}
	d.remarkStop("place", s)
	return s.venue(), d.notices, nil
}

// venue returns the stop as the place of an event.
func (s stop) venue() Venue {
	v := Venue{Name: s.Name, Region: s.Region, Country: s.Country, GeonameID: s.GeonameID, RadiusKm: s.RadiusKm, Code: s.Code, Area: s.Code == ""}
	if v.Code == "" {
		if a, ok := (places.Place{Latitude: s.location.Latitude, Longitude: s.location.Longitude, Airport: s.airport}).NearestAirport(); ok {
			v.Code = a.Airport
		}
	}
	v.Latitude, v.Longitude = json.Number(s.Latitude.String()), json.Number(s.Longitude.String())
	return v
}

// location returns the place for distances.
func (v Venue) location() locations.Location {
	return places.LocationAt(v.Name, v.Country, v.Latitude.String(), v.Longitude.String())
}

// String returns the place in words.
func (v Venue) String() string {
	parts := []string{v.Name}
	if v.Region != "" && v.Region != v.Name {
		parts = append(parts, v.Region)
	}
	text := strings.Join(append(parts, v.Country), ", ")
	if !v.Area {
		return v.Code + " (" + text + ")"
	}
	return text
}

// airportLeg returns the great circle from the place to its airport, in metres.
func (v Venue) airportLeg() *big.Rat {
	a, ok := locations.Resolve(v.Code)
	if !ok || !v.Area {
		return new(big.Rat)
	}
	return big.NewRat(locations.GreatCircleMetres(v.location(), a), 1)
}
