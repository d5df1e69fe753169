package client

// Common is what a record of any type may say.
type Common struct {
	// What it was, in your words.
	Description string `json:"description,omitempty"`
	// The day of the activity.
	Date string `json:"date,omitempty"`
	// Whose activity it is. Absent, it is summed as unspecified.
	Group string `json:"group,omitempty"`
	// How the amounts are known. It widens or narrows the interval.
	DataQuality string `json:"dataQuality,omitempty"`
	// Your own key of the record. Unique in the event and type.
	ExternalReference string `json:"externalReference,omitempty"`
	// Of a survey: how many answered. Needs population, and is not above it.
	Respondents int `json:"respondents,omitempty"`
	// Of a survey: how many were asked. The quantity is scaled up by population ÷ respondents, and shown apart.
	Population int `json:"population,omitempty"`
	// Of a survey: the coefficient of variation among those who answered, in share of 1.
	SampleCV *float64 `json:"sampleCV,omitempty"`
	// Each with a name, an address or a hash, at least.
	Evidence []Evidence `json:"evidence,omitempty"`
	// Up to 20 texts of your own. Keys have 1–40 of the characters A-Z a-z 0-9 _ -.
	Metadata map[string]string `json:"metadata,omitempty"`
}

// Evidence names a document that shows what a record says. It has a name, an address or a hash, at
// least.
type Evidence struct {
	// What it is, such as the number of an invoice.
	Name string `json:"name,omitempty"`
	// An https address.
	URL string `json:"url,omitempty"`
	// SHA-256 of the file, in hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
}

// Flight is the input of a record of the type flights: the great-circle distance of all legs ×
// passengers × trips × factor, by haul and cabin class.
type Flight struct {
	Common
	// IATA code of an airport or a city (LHR, LON), or ICAO code (EGLL). Any case; kept in upper case.
	From string `json:"from"`
	// As from, and another place.
	To string `json:"to"`
	// People on the flight.
	Passengers int `json:"passengers"`
	// economy, premium_economy, business, first or average. Any case; space or hyphen for _, premium and a
	// trailing " class" are understood. Absent: average, marked as defaulted.
	Class string `json:"class,omitempty"`
	// Places of the stops between.
	Via []string `json:"via,omitempty"`
	// Counts the way back as well.
	RoundTrip bool `json:"roundTrip,omitempty"`
	// How often the whole journey was made.
	Trips int `json:"trips,omitempty"`
	// Not together with roundTrip.
	Direction string `json:"direction,omitempty"`
	// Great-circle distance, one way; not together with via. With it a place that is not known is accepted. In km.
	DistanceKm *float64 `json:"distanceKm,omitempty"`
}

// Accommodation is the input of a record of the type accommodation: rooms × nights × the country's
// factor of a hotel room and night.
type Accommodation struct {
	Common
	// Nights of the stay.
	Nights int `json:"nights"`
	// Rooms each night. Required unless guests is given.
	Rooms int `json:"rooms,omitempty"`
	// People. Without rooms, one room each, marked as defaulted.
	Guests int `json:"guests,omitempty"`
	// ISO 3166-1 alpha-2. Absent: the event's.
	Country string `json:"country,omitempty"`
	// London has a factor of its own.
	City string `json:"city,omitempty"`
	// private and camping need kgCO2ePerRoomNight.
	Kind string `json:"kind,omitempty"`
	// The house's own factor in kg CO2e; needs evidence. In kg CO2e per room and night.
	KgCO2ePerRoomNight *float64 `json:"kgCO2ePerRoomNight,omitempty"`
}

// Venue is the input of a record of the type venue: the energy of the venue × its factor. It has at
// least one of: metered energy (ElectricityKWh, GasKWh, HeatKWh); the year's energy with
// SpaceSharePercent and Days; FloorAreaM2 with Days and VenueType.
type Venue struct {
	Common
	// Name of the hall or building.
	Name string `json:"name,omitempty"`
	// ISO 3166-1 alpha-2. Absent: the event's.
	Country string `json:"country,omitempty"`
	// State or province where grids differ within a country.
	Subdivision string `json:"subdivision,omitempty"`
	// Metered electricity, in kWh.
	ElectricityKWh *float64 `json:"electricityKWh,omitempty"`
	// By gross calorific value, in kWh.
	GasKWh *float64 `json:"gasKWh,omitempty"`
	// Heat or steam from a network, in kWh.
	HeatKWh *float64 `json:"heatKWh,omitempty"`
	// The venue's electricity in a year, in kWh.
	AnnualElectricityKWh *float64 `json:"annualElectricityKWh,omitempty"`
	// The venue's gas in a year, by gross calorific value, in kWh.
	AnnualGasKWh *float64 `json:"annualGasKWh,omitempty"`
	// Share of the venue's space that the event used, in %.
	SpaceSharePercent *float64 `json:"spaceSharePercent,omitempty"`
	// Days of use, building up and down included.
	Days int `json:"days,omitempty"`
	// Floor area used, in m2.
	FloorAreaM2 *float64 `json:"floorAreaM2,omitempty"`
	// What kind of building it is; with floorAreaM2 it gives the usual consumption.
	VenueType string `json:"venueType,omitempty"`
	// Share under a renewable contract. It never lowers the total; marketBased shows it. In %.
	RenewablePercent *float64 `json:"renewablePercent,omitempty"`
	// Decides the scope.
	Control string `json:"control,omitempty"`
	// Names the place for the check of energy counted twice.
	Site string `json:"site,omitempty"`
}

// Waste is the input of a record of the type waste: weight × the factor of the material and its
// treatment.
type Waste struct {
	Common
	// What becomes of the waste.
	Treatment string `json:"treatment"`
	// What the waste is made of.
	Material string `json:"material,omitempty"`
	// Required unless volumeLitres is given, in kg.
	WeightKg *float64 `json:"weightKg,omitempty"`
	// Needs densityKgPerM3, in l.
	VolumeLitres *float64 `json:"volumeLitres,omitempty"`
	// Weight of a cubic metre of it, in kg/m3.
	DensityKgPerM3 *float64 `json:"densityKgPerM3,omitempty"`
	// ISO 3166-1 alpha-2. Absent: the event's.
	Country string `json:"country,omitempty"`
}

// GroundTransport is the input of a record of the type ground-transport: journeys over land and by
// ferry, by vehicle or by passenger.
type GroundTransport struct {
	Common
	// Where it took place, ISO 3166-1 alpha-2 in any case; absent, the event's. Elsewhere than in the country of
	// the factor a proxy stands in, which is noticed.
	Country string `json:"country,omitempty"`
	// How the journey was made. Car, motorbike and van count by vehicle, taxi by either, all others by passenger;
	// walking and cycling are 0.
	Mode string `json:"mode"`
	// Fuel of a car (any), a van (petrol, diesel, battery_electric) or a motorbike (petrol). Electric cars include
	// the grid and its losses.
	Fuel string `json:"fuel,omitempty"`
	// What published class the vehicle is of: car and motorbike small, medium, large, average; taxi regular,
	// black_cab; bus average, local_london, local_not_london; ferry average, foot, car.
	Size string `json:"size,omitempty"`
	// Who runs it: own counts in scope 1 and 2, with the upstream part in scope 3; hired, and hired with its
	// operator, count in scope 3.
	Control string `json:"control,omitempty"`
	// Distance one way, in km.
	DistanceKm float64 `json:"distanceKm"`
	// People who travelled. For cars, motorbikes and vans they fill vehicles by occupancy.
	Passengers int `json:"passengers,omitempty"`
	// Vehicles that travelled; they decide where passengers is given too.
	Vehicles int `json:"vehicles,omitempty"`
	// People in each vehicle, in people per vehicle.
	Occupancy *float64 `json:"occupancy,omitempty"`
	// Counts the way back as well.
	RoundTrip bool `json:"roundTrip,omitempty"`
	// How often the journey was made.
	Trips int `json:"trips,omitempty"`
}
