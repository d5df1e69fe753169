package client

// Freight is the input of a record of the type freight: goods carried to and from the event, by weight
// and distance.
type Freight struct {
	Common
	// Where it took place, ISO 3166-1 alpha-2 in any case; absent, the event's. Elsewhere than in the country of
	// the factor a proxy stands in, which is noticed.
	Country string `json:"country,omitempty"`
	// How the goods were carried.
	Mode string `json:"mode"`
	// Vehicle of road or sea freight; absent, an average lorry or a container ship.
	Vehicle string `json:"vehicle,omitempty"`
	// Refrigerated lorry, for hgv and hgv_artic.
	Refrigerated bool `json:"refrigerated,omitempty"`
	// Airport of departure of air freight, which with to decides the haul.
	From string `json:"from,omitempty"`
	// Airport of arrival of air freight.
	To string `json:"to,omitempty"`
	// Haul of air freight, where no airports are named. Absent as well: short below 3,700 km, else long.
	Haul string `json:"haul,omitempty"`
	// Weight of the goods, in kg.
	WeightKg float64 `json:"weightKg"`
	// Distance one way; of air freight the great circle. In km.
	DistanceKm float64 `json:"distanceKm"`
	// The goods travel back: counts the distance twice.
	RoundTrip bool `json:"roundTrip,omitempty"`
}

// Catering is the input of a record of the type catering: main meals by diet, and drinks by the litre.
type Catering struct {
	Common
	// Where it took place, ISO 3166-1 alpha-2 in any case; absent, the event's. Elsewhere than in the country of
	// the factor a proxy stands in, which is noticed.
	Country string `json:"country,omitempty"`
	// Meals that were made, wasted ones included.
	Meals int `json:"meals"`
	// What the meals were; mixed is the mean of the others.
	Diet string `json:"diet"`
	// Occasion. Only main meals have factors; breakfast and snack have none.
	MealType string `json:"mealType,omitempty"`
	// Litres of each drink.
	Drinks map[string]float64 `json:"drinks,omitempty"`
	// Share of the meals that was thrown away. It informs and does not count: wasted meals were made too. In %.
	WastedPercent *float64 `json:"wastedPercent,omitempty"`
}

// Materials is the input of a record of the type materials: materials that were bought, hired or used
// again, by weight, area or item.
type Materials struct {
	Common
	// Where it took place, ISO 3166-1 alpha-2 in any case; absent, the event's. Elsewhere than in the country of
	// the factor a proxy stands in, which is noticed.
	Country string `json:"country,omitempty"`
	// What the goods are made of. Shirts are counted by items, carpet by areaM2 or weight, all else by weight.
	Material string `json:"material"`
	// Where the material comes from. Not every source is published for every material.
	Source string `json:"source,omitempty"`
	// Weight of the material, in kg.
	WeightKg *float64 `json:"weightKg,omitempty"`
	// Area; carpet has factors by area, other materials are weighed by gramsPerM2. In m2.
	AreaM2 *float64 `json:"areaM2,omitempty"`
	// Weight of a square metre, in g/m2.
	GramsPerM2 *float64 `json:"gramsPerM2,omitempty"`
	// Number of shirts.
	Items int `json:"items,omitempty"`
	// Of hired material: how often it is used over its life; each use bears its share.
	UsesOverLife int `json:"usesOverLife,omitempty"`
	// What becomes of it. Absent, its waste is left to waste records; name it only where there are none.
	EndOfLife string `json:"endOfLife,omitempty"`
}

// Energy is the input of a record of the type energy: energy that is not on the meter of the venue.
type Energy struct {
	Common
	// Names the place, so that energy of one place counted twice is found.
	Site string `json:"site,omitempty"`
	// Fuel or supply.
	Source string `json:"source"`
	// Where it was used, ISO 3166-1 alpha-2 in any case; absent, the event's. Grid electricity needs one.
	Country string `json:"country,omitempty"`
	// State, province or territory, ISO 3166-2 with or without the country, for grid electricity of US, AU and CA.
	Subdivision string `json:"subdivision,omitempty"`
	// Who runs it: own counts in scope 1 and 2, with the upstream part in scope 3; hired, and hired with its
	// operator, count in scope 3.
	Control string `json:"control,omitempty"`
	// Grid electricity, or energy of the fuel by gross calorific value; not what a generator puts out. Biodiesel
	// and HVO have factors by the litre only. In kWh.
	EnergyKWh *float64 `json:"energyKWh,omitempty"`
	// Litres of a liquid fuel; they decide where energy is given too.
	VolumeLitres *float64 `json:"volumeLitres,omitempty"`
	// Cubic metres of natural gas, in m3.
	VolumeM3 *float64 `json:"volumeM3,omitempty"`
}

// Water is the input of a record of the type water: water from the mains and its treatment.
type Water struct {
	Common
	// Names the place, so that energy of one place counted twice is found.
	Site string `json:"site,omitempty"`
	// Where it took place, ISO 3166-1 alpha-2 in any case; absent, the event's. Elsewhere than in the country of
	// the factor a proxy stands in, which is noticed.
	Country string `json:"country,omitempty"`
	// Water taken from the mains, in m3.
	SupplyM3 float64 `json:"supplyM3"`
	// The water went to the sewer and was treated.
	Treated *bool `json:"treated,omitempty"`
}

// Digital is the input of a record of the type digital: video conferences and streams, devices and
// networks included.
type Digital struct {
	Common
	// Where it took place, ISO 3166-1 alpha-2 in any case; absent, the event's. Elsewhere than in the country of
	// the factor a proxy stands in, which is noticed.
	Country string `json:"country,omitempty"`
	// A conference in which all see each other, or a stream that is watched.
	Activity string `json:"activity"`
	// People who took part from afar.
	Participants int `json:"participants"`
	// Hours of each participant.
	Hours float64 `json:"hours"`
	// Quality of a stream; a factor is published for hd only.
	VideoQuality string `json:"videoQuality,omitempty"`
}

// Purchases is the input of a record of the type purchases: money spent where no amount is known, with
// a factor of one's own.
type Purchases struct {
	Common
	// Where it was bought, ISO 3166-1 alpha-2 in any case; absent, the event's.
	Country string `json:"country,omitempty"`
	// What was bought. Do not count by money what other records count by amount.
	Category string `json:"category"`
	// Money spent, in currency, in the currency named.
	Amount float64 `json:"amount"`
	// ISO 4217 code in any case.
	Currency string `json:"currency"`
	// Factor per unit of the currency, in kg CO2e per unit of currency.
	KgCO2ePerUnit float64 `json:"kgCO2ePerUnit"`
	// Where the factor comes from: publication, year and row.
	FactorSource string `json:"factorSource"`
}

// Custom is the input of a record of the type custom: a footprint that was worked out elsewhere.
type Custom struct {
	Common
	// Where it arose, ISO 3166-1 alpha-2 in any case; absent, the event's.
	Country string `json:"country,omitempty"`
	// The footprint, in kg CO2e.
	KgCO2e float64 `json:"kgCO2e"`
	// Scope of the GHG Protocol.
	Scope int `json:"scope,omitempty"`
}
