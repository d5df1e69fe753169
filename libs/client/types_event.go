package client

import (
	"time"
)

// Event is what a footprint is calculated for. Fields that were never given are empty.
type Event struct {
	// Identifier of the event.
	ID string `json:"_id"`
	// Title of the event.
	Title string `json:"title"`
	// The first day.
	StartDate string `json:"startDate,omitempty"`
	// The last day.
	EndDate string `json:"endDate,omitempty"`
	// People who come in person.
	Attendees *int `json:"attendees,omitempty"`
	// People who take part from elsewhere.
	VirtualAttendees *int `json:"virtualAttendees,omitempty"`
	// ISO 3166-1 alpha-2.
	Country string `json:"country,omitempty"`
	// Where it takes place, as it was stated.
	Place string `json:"place,omitempty"`
	// What Place was resolved to; nil where there is none.
	Location *EventLocation `json:"location,omitempty"`
	// What another place would come to, in answers to rehearsals.
	WhatIf *WhatIf `json:"whatIf,omitempty"`
	// An IANA time zone.
	Timezone string `json:"timezone,omitempty"`
	// Notes about the event.
	Description string `json:"description,omitempty"`
	// What the footprint is meant to cover, as it was given.
	Boundary *Boundary `json:"boundary,omitempty"`
	// Your own key of the event.
	ExternalReference string `json:"externalReference,omitempty"`
	// Texts of your own.
	Metadata map[string]string `json:"metadata,omitempty"`
	// What was stated to be offset or removed. No figure has it subtracted.
	Compensation []Compensation `json:"compensation,omitempty"`
	Method       Method         `json:"method"`
	// Who sees the event and works on it; nil where everybody in the organization does.
	Team *Team `json:"team,omitempty"`
	// The set of emission factors its footprint is calculated with. It is fixed when the event is made.
	FactorSet string `json:"factorSet"`
	CreatedBy Actor  `json:"createdBy"`
	// When it was made.
	CreatedAt time.Time `json:"createdAt"`
	// When it last changed.
	UpdatedAt time.Time `json:"updatedAt"`
	// Who changed it last; nil where nobody has since histories are kept.
	UpdatedBy *Actor `json:"updatedBy,omitempty"`
	// Whether its figure is signed; nil where it never was.
	SignOff *SignOff `json:"signOff,omitempty"`
	// How many proposed changes wait for a second manager.
	OpenChanges int `json:"openChanges,omitempty"`
	// Number of records by status.
	Counts Counts `json:"counts"`
	// The newest result in short; nil where there is none.
	Result *EventResult `json:"result,omitempty"`
	// Rises with every change of the event; counts and result change without it.
	Revision int `json:"revision"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// EventLocation is what the place of an event was resolved to.
type EventLocation struct {
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
	// True of a town or a postcode area, absent for an airport.
	Area bool `json:"area,omitempty"`
}

// EventResult is the newest result of an event in short.
type EventResult struct {
	// Revision of the result.
	Revision int `json:"revision"`
	// The total and its bounds.
	Total Interval `json:"total"`
	// current, or recalculating where a change is not in it yet.
	Status string `json:"status"`
}

// Boundary is what the footprint is meant to cover. It describes; approved records always count.
type Boundary struct {
	// Record types.
	Included []string `json:"included,omitempty"`
	// What is left out on purpose.
	Excluded []Exclusion `json:"excluded,omitempty"`
}

// Exclusion is a record type that is left out on purpose.
type Exclusion struct {
	// A record type.
	Type string `json:"type,omitempty"`
	// Why it is left out.
	Reason string `json:"reason,omitempty"`
}

// Compensation is an offset or a removal that the organizer states. It stands apart from the footprint.
type Compensation struct {
	// "offset" or "removal".
	Kind string `json:"kind"`
	// How much, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// What was bought or done.
	Description string `json:"description"`
	// The standard it was certified by.
	Standard string `json:"standard,omitempty"`
	// The registry that holds it.
	Registry string `json:"registry,omitempty"`
	// Where it is found there, such as serial numbers.
	Reference string `json:"reference,omitempty"`
	// The day of the retirement.
	RetiredOn string `json:"retiredOn,omitempty"`
}

// EventInput is a new event.
type EventInput struct {
	// Title of the event.
	Title string `json:"title"`
	// The first day.
	StartDate string `json:"startDate,omitempty"`
	// The last day, not before startDate.
	EndDate string `json:"endDate,omitempty"`
	// People who come in person. Results per attendee need it.
	Attendees *int `json:"attendees,omitempty"`
	// People who take part from elsewhere.
	VirtualAttendees *int `json:"virtualAttendees,omitempty"`
	// ISO 3166-1 alpha-2. Records without a country take this one.
	Country string `json:"country,omitempty"`
	// Where it takes place: a town with its country, a postcode area or a code. Attendees travel there.
	Place string `json:"place,omitempty"`
	// An IANA time zone.
	Timezone string `json:"timezone,omitempty"`
	// Notes about the event.
	Description string `json:"description,omitempty"`
	// What the footprint is meant to cover. It describes; approved records always count.
	Boundary *Boundary `json:"boundary,omitempty"`
	// Your own key of the event, unique in the organization.
	ExternalReference string `json:"externalReference,omitempty"`
	// Up to 20 texts of your own.
	Metadata map[string]string `json:"metadata,omitempty"`
	// What you state to have offset or removed. No figure has it subtracted.
	Compensation []Compensation `json:"compensation,omitempty"`
	Method       *Method        `json:"method,omitempty"`
	// Who sees the event and works on it. Without one, everybody in the organization does.
	Team *Team `json:"team,omitempty"`
}

// Team is who sees an event and works on it.
type Team struct {
	// Each member once, at least one of them a reviewer.
	Members []TeamMember `json:"members"`
	// Whether no member can review any more; then an administrator sets another team.
	WithoutReviewer bool `json:"withoutReviewer,omitempty"`
}

// TeamMember is a user in the team of an event.
type TeamMember struct {
	// Id of an active user of the organization.
	UserID string `json:"userId"`
	// "viewer", "contributor" or "reviewer".
	Role string `json:"role"`
}

// EventPut is all fields of an event; what is not set is emptied.
type EventPut struct {
	EventInput
	// Why, for the history. The organization may require it.
	Comment string `json:"comment,omitempty"`
}

// EventPatch changes an event. What is not set stays as it is.
type EventPatch struct {
	// Title of the event.
	Title Optional[string] `json:"title,omitzero"`
	// The first day.
	StartDate Optional[string] `json:"startDate,omitzero"`
	// The last day, not before startDate.
	EndDate Optional[string] `json:"endDate,omitzero"`
	// People who come in person.
	Attendees Optional[int] `json:"attendees,omitzero"`
	// People who take part from elsewhere.
	VirtualAttendees Optional[int] `json:"virtualAttendees,omitzero"`
	// ISO 3166-1 alpha-2. Records without a country take this one.
	Country Optional[string] `json:"country,omitzero"`
	// Where it takes place: a town with its country, a postcode area or a code. Attendees travel there.
	Place Optional[string] `json:"place,omitzero"`
	// An IANA time zone.
	Timezone Optional[string] `json:"timezone,omitzero"`
	// Notes about the event.
	Description Optional[string] `json:"description,omitzero"`
	// What the footprint is meant to cover, as in EventInput; it replaces the boundary as a whole.
	Boundary Optional[Boundary] `json:"boundary,omitzero"`
	// Your own key of the event, unique in the organization.
	ExternalReference Optional[string] `json:"externalReference,omitzero"`
	// Up to 20 texts of your own.
	Metadata Optional[map[string]string] `json:"metadata,omitzero"`
	// What you state to have offset or removed; it replaces the list as a whole.
	Compensation Optional[[]Compensation] `json:"compensation,omitzero"`
	Method       Optional[Method]         `json:"method,omitzero"`
	// Who sees the event and works on it; it replaces the team as a whole, and null takes it away.
	Team Optional[Team] `json:"team,omitzero"`
	// Why, for the history. The organization may require it.
	Comment Optional[string] `json:"comment,omitzero"`
}

// Method says how the footprint is calculated. A change calculates it anew.
type Method struct {
	// Whether flights count the effects at altitude beside their CO2.
	RadiativeForcing *bool `json:"radiativeForcing,omitempty"`
	// The factors' published CO2e, or their gases weighed by AR6 where they are known.
	GWP string `json:"gwp,omitempty"`
	// The arithmetic the event is pinned to; absent it stays as it is, and is the newest for a new event.
	Engine string `json:"engine,omitempty"`
}
