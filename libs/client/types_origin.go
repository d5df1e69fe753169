package client

// IndexedTown is a town of the index.
type IndexedTown struct {
	// Its number in GeoNames.
	ID int `json:"id"`
	// Name of the town.
	Name string `json:"name"`
	// ISO 3166-1 alpha-2.
	Country string `json:"country"`
	// State, province or county.
	Region string `json:"region,omitempty"`
	// Number of people, where it is known.
	Population int `json:"population,omitempty"`
	// Code of the airport that its people are assumed to use.
	Airport string `json:"airport,omitempty"`
	// What names the town in a record without doubt, where its name and country do not.
	Text string `json:"text,omitempty"`
}

// Origin is people who come from one place.
type Origin struct {
	// The town, as it was stated.
	Place string `json:"place,omitempty"`
	// The postcode, as it was stated.
	Postcode string `json:"postcode,omitempty"`
	// ISO 3166-1 alpha-2.
	Country string `json:"country,omitempty"`
	// Code of an airport or city.
	Code string `json:"code,omitempty"`
	// How many people.
	People int `json:"people"`
	// How they came; empty where it is not known.
	Mode string `json:"mode,omitempty"`
	// Whether the way back counts; nil: it does.
	RoundTrip *bool `json:"roundTrip,omitempty"`
	// The places that were found; none for people without origin.
	At []OriginPlace `json:"at,omitempty"`
}

// OriginPlace is a place where people of a row live.
type OriginPlace struct {
	// Name of the town or airport, or the code of the postcode area.
	Name string `json:"name"`
	// State, province or county.
	Region string `json:"region,omitempty"`
	// ISO 3166-1 alpha-2.
	Country string `json:"country"`
	// Its number in GeoNames, of a town.
	GeonameID int `json:"geonameId,omitempty"`
	// Code of the airport, or of the one that stands for the town.
	Code string `json:"code,omitempty"`
	// Degrees north.
	Latitude float64 `json:"latitude"`
	// Degrees east.
	Longitude float64 `json:"longitude"`
	// Of a postcode area: nine in ten of its addresses are that near.
	RadiusKm int `json:"radiusKm,omitempty"`
	// True of a town or a postcode area.
	Area bool `json:"area,omitempty"`
	// How many of the row's people.
	People int `json:"people"`
}

// WhatIf is what another destination of attendee travel would come to.
type WhatIf struct {
	// That of the record or, of an event, of all its records of attendee travel that are not rejected.
	AttendeeTravel MovedFigure `json:"attendeeTravel"`
	// The total of the event; nil where too much is approved to add up.
	Total *MovedFigure `json:"total,omitempty"`
}

// MovedFigure is a figure before and after a change.
type MovedFigure struct {
	Before Interval `json:"before"`
	After  Interval `json:"after"`
}
