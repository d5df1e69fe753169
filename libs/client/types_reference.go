package client

import (
	"encoding/json"
)

// RecordType says what records of one type hold and how they are calculated.
type RecordType struct {
	// The name used in paths.
	Type string `json:"type"`
	// What records of the type are about.
	Description string `json:"description"`
	// How its footprint is calculated.
	Formula string `json:"formula"`
	// The JSON Schema (2020-12) of its input. x-unit names the unit of a number.
	Schema json.RawMessage `json:"schema"`
	// Good inputs.
	Examples []json.RawMessage `json:"examples"`
}

// Location is an airport or a city, with its position.
type Location struct {
	// As asked for, in capitals.
	Code string `json:"code"`
	// The IATA code of the airport distances are measured from.
	Airport string `json:"airport,omitempty"`
	// ICAO code, where there is one.
	ICAO string `json:"icao,omitempty"`
	// Name of the airport or city.
	Name string `json:"name"`
	// City it belongs to.
	City string `json:"city"`
	// ISO 3166-1 alpha-2.
	Country string `json:"country"`
	// In degrees, north positive.
	Latitude float64 `json:"latitude"`
	// In degrees, east positive.
	Longitude float64 `json:"longitude"`
	// A city with several airports; one of them stands for it.
	Approximate bool `json:"approximate,omitempty"`
	// One of the airports most journeys begin at.
	Large bool `json:"large,omitempty"`
}

// IndexedPlace is an airport or a city of the index.
type IndexedPlace struct {
	// IATA code of the airport or city.
	Code string `json:"code"`
	// ICAO code, where there is one.
	ICAO string `json:"icao,omitempty"`
	// Name of the airport or city.
	Name string `json:"name"`
	// City it belongs to.
	City string `json:"city"`
	// ISO 3166-1 alpha-2.
	Country string `json:"country"`
	// A single airport, or a city that stands for several.
	Kind string `json:"kind"`
	// One of the airports most journeys begin at.
	Large bool `json:"large,omitempty"`
}

// Health reports whether the service is there.
type Health struct {
	// ok or ready.
	Status string `json:"status"`
	// Of /health/ready, what was asked.
	Checks map[string]string `json:"checks,omitempty"`
}
