package footprint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// groundTransport is the input of a ground-transport record.
type groundTransport struct {
	Country    string           `json:"country,omitempty"`
	Mode       string           `json:"mode"`
	Fuel       string           `json:"fuel,omitempty"`
	Size       string           `json:"size,omitempty"`
	Control    string           `json:"control,omitempty"`
	From       string           `json:"from,omitempty"`
	To         string           `json:"to,omitempty"`
	Via        []string         `json:"via,omitempty"`
	Journey    *journey         `json:"journey,omitempty"`
	Derived    derived          `json:"derived,omitempty"`
	DistanceKm *decimal.Decimal `json:"distanceKm,omitempty"`
	// VolumeLitres and EnergyKWh are fuel and electricity of the vehicles; they take precedence over a distance.
	VolumeLitres *decimal.Decimal `json:"volumeLitres,omitempty"`
	EnergyKWh    *decimal.Decimal `json:"energyKWh,omitempty"`
	Passengers   int64            `json:"passengers,omitempty"`
	Vehicles     int64            `json:"vehicles,omitempty"`
	Occupancy    *decimal.Decimal `json:"occupancy,omitempty"`
	RoundTrip    *bool            `json:"roundTrip,omitempty"`
	Trips        int64            `json:"trips,omitempty"`
	common
}

var _ = define("ground-transport",
	groundTransportDoc(),
	decodeGroundTransport, calculateGroundTransport, chainGroundTransport)

// maxDistance is the longest journey one way, in kilometres.
const maxDistance = 40_000

// Modes with special treatment.
const (
	car         = "car"
	coach       = "coach"
	taxi        = "taxi"
	van         = "van"
	electricCar = "battery_electric"
	plugIn      = "plug_in_hybrid"
	unknownFuel = "unknown"
)

// basis is the unit of the factors of a mode.
type basis uint8

const (
	byVehicle   basis = iota // vehicle-km
	byEither                 // rows of both kinds
	byPassenger              // passenger-km
	byFoot                   // 0 by definition
)

// groundModes are the modes with the dimensions of their published rows. The first fuel and the first size are the
// defaults.
var groundModes = [...]struct {
	name         string
	basis        basis
	fuels, sizes []string
	// ownable marks vehicles an organiser may run itself.
	ownable bool
	// row returns the series of a fuel and size; per is "km" or "pkm".
	row func(fuel, size, per string) string
}{
	{car, byVehicle, []string{unknownFuel, "petrol", "diesel", "hybrid", plugIn, electricCar, "lpg", "cng"}, []string{average, "small", "medium", "large"}, true,
		func(fuel, size, _ string) string { return "desnz-car-" + size + "-" + fuel }},
	{taxi, byEither, nil, []string{"regular", "black_cab"}, false,
		func(_, size, per string) string { return "desnz-taxi-" + size + "-" + per }},
	{"motorbike", byVehicle, []string{"petrol"}, []string{average, "small", "medium", "large"}, true,
		func(_, size, _ string) string { return "desnz-motorbike-" + size }},
	{van, byVehicle, []string{unknownFuel, "petrol", "diesel", electricCar}, []string{average}, true,
		func(fuel, _, _ string) string {
			return "desnz-freight-van-average-" + strings.Replace(fuel, electricCar, "bev", 1) + "-km"
		}},
	{"bus", byPassenger, nil, []string{average, "local_london", "local_not_london"}, true,
		func(_, size, _ string) string {
			return "desnz-bus-" + strings.Replace(size, average, "average_local", 1)
		}},
	{coach, byPassenger, nil, nil, true, func(_, _, _ string) string { return "desnz-coach" }},
	{"rail", byPassenger, nil, nil, false, func(_, _, _ string) string { return "desnz-rail-national" }},
	{"international_rail", byPassenger, nil, nil, false, func(_, _, _ string) string { return "desnz-rail-international" }},
	{"tram", byPassenger, nil, nil, false, func(_, _, _ string) string { return "desnz-rail-light" }},
	{"metro", byPassenger, nil, nil, false, func(_, _, _ string) string { return "desnz-rail-underground" }},
	{"ferry", byPassenger, nil, []string{average, "foot", car}, false, func(_, size, _ string) string { return "desnz-ferry-" + size }},
	{"bicycle", byFoot, nil, nil, true, nil},
	{"walk", byFoot, nil, nil, true, nil},
}

// groundFuels and groundSizes are the values of all modes together.
var (
	groundFuels = []string{"petrol", "diesel", "hybrid", plugIn, electricCar, "lpg", "cng", unknownFuel}
	groundSizes = []string{"small", "medium", "large", average, "regular", "black_cab", "local_london", "local_not_london", "foot", car}
)

func decodeGroundTransport(d *decoder, g *groundTransport) {
	d.Require("mode")
	d.RequireOneOf("distanceKm", "from", "volumeLitres", "energyKWh")
	g.Country = d.country(false)
	modes := make([]string, 0, len(groundModes))
	for _, m := range groundModes {
		modes = append(modes, m.name)
	}
	g.Mode, _ = d.Enum("mode", modes...)
	at := groundMode(g.Mode)
	g.Fuel, _ = d.Enum("fuel", groundFuels...)
	g.Size, _ = d.Enum("size", groundSizes...)
	g.Control = d.control()
	g.DistanceKm = d.amount("distanceKm", decimal.FromInt(maxDistance))
	g.From, g.To, g.Via, g.Journey = d.whereabouts(g.Mode, g.DistanceKm)
	if g.Journey != nil {
		g.DistanceKm = g.Journey.DistanceKm
		d.remark(g.Journey)
	}
	g.VolumeLitres = d.amount("volumeLitres", maxQuantity)
	g.EnergyKWh = d.amount("energyKWh", maxQuantity)
	if perPassenger(g.Mode) && !d.Has("passengers") && !d.Has("volumeLitres") && !d.Has("energyKWh") {
		d.Fault(apperr.Detail{Field: "passengers", Code: fields.Required, Message: "passengers is required with mode " + g.Mode + "."})
	} else {
		d.RequireOneOf("passengers", "vehicles", "volumeLitres", "energyKWh")
	}
	g.Passengers, _ = d.Integer("passengers", 1, 1_000_000)
	g.Vehicles, _ = d.Integer("vehicles", 1, 1_000_000)
	if n, ok := d.Decimal("occupancy", decimal.FromInt(1), hundred); ok {
		g.Occupancy = &n
	}
	g.RoundTrip = d.flag("roundTrip")
	if g.Journey == nil {
		d.bothWays("ground-transport", g.Mode, g.From, g.To, g.Via, g.DistanceKm, g.RoundTrip)
	}
	g.Trips, _ = d.Integer("trips", 1, 1000)
	d.fuelled(g)
	if at < 0 {
		return
	}
	m := &groundModes[at]
	if g.Control == own && !m.ownable {
		d.Fault(apperr.Detail{Field: "control", Code: fields.NotAllowed, Suggestions: []string{hired, hiredWithOperator},
			Message: "control own is only for vehicles that the organiser operates, not for " + m.name + "."})
	}
	if !g.metered() {
		d.served(g, at)
	}
	d.distanceOfFuel(g)
}

// perPassenger reports whether journeys by a mode are counted by their passengers, unless their fuel or energy is known.
func perPassenger(mode string) bool {
	at := groundMode(mode)
	return at >= 0 && groundModes[at].basis >= byPassenger && mode != coach
}

// served adds a fault for a fuel or size that the mode has no factor for.
func (d *decoder) served(g *groundTransport, mode int) {
	m := &groundModes[mode]
	if m.basis == byFoot {
		return
	}
	for _, c := range [...]struct {
		field, value string
		all          []string
	}{{"fuel", g.Fuel, m.fuels}, {"size", g.Size, m.sizes}} {
		if c.value != "" && len(c.all) > 0 && !slices.Contains(c.all, c.value) {
			d.Fault(apperr.Detail{Field: c.field, Code: FactorUnavailable, Suggestions: slices.Sorted(slices.Values(c.all)),
				Message: fmt.Sprintf("No factor is published for %s with %s %s.", m.name, c.field, c.value)})
			return
		}
	}
	fuel, size := g.kind(mode)
	if groundFactor(d.engine.set, mode, fuel, size, "km") != nil {
		return
	}
	// Of a car, not every fuel is published for every size.
	detail := apperr.Detail{Field: "fuel", Code: FactorUnavailable,
		Message: fmt.Sprintf("No factor is published for a %s %s %s.", size, strings.ReplaceAll(fuel, "_", " "), m.name)}
	for _, f := range m.fuels {
		if groundFactor(d.engine.set, mode, f, size, "km") != nil {
			detail.Suggestions = append(detail.Suggestions, f)
		}
	}
	slices.Sort(detail.Suggestions)
	d.Fault(detail)
}

// groundMode returns the index of a mode, or -1.
func groundMode(name string) int {
	for i := range groundModes {
		if groundModes[i].name == name {
			return i
		}
	}
	return -1
}

// kind returns the fuel and the size, by default those of the mode.
func (g *groundTransport) kind(mode int) (fuel, size string) {
	m := &groundModes[mode]
	if len(m.fuels) > 0 {
		if fuel = g.Fuel; fuel == "" {
			fuel = m.fuels[0]
		}
	}
	if len(m.sizes) > 0 {
		if size = g.Size; size == "" {
			size = m.sizes[0]
		}
	}
	return fuel, size
}

func groundFactor(set *factors.Set, mode int, fuel, size, per string) *factors.Factor {
	return set.Ref(groundModes[mode].row(fuel, size, per))
}

func (g *groundTransport) complete() bool {
	return g.DistanceKm != nil && groundMode(g.Mode) >= 0 && (g.Occupancy == nil || g.Occupancy.Sign() > 0)
}

func calculateGroundTransport(c *calculation, g *groundTransport) {
	if g.metered() {
		calculateFuelled(c, g)
		return
	}
	mode := groundMode(g.Mode)
	m := &groundModes[mode]
	c.travelled(g.Journey)
	vehicles := m.basis == byVehicle || m.basis == byEither && g.Vehicles > 0
	count := g.Passengers
	if vehicles {
		count = c.vehicles(g)
	}
	if len(m.fuels) > 1 && g.Fuel == "" {
		c.defaultTo("fuel")
	}
	if len(m.sizes) > 1 && g.Size == "" {
		c.defaultTo("size")
	}
	if g.Fuel != "" && len(m.fuels) == 0 {
		c.note(NoticeInputNotUsed, "fuel", "Factors of %s do not distinguish fuels; fuel was not used.", m.name)
	}
	if g.Size != "" && len(m.sizes) == 0 {
		c.note(NoticeInputNotUsed, "size", "Factors of %s do not distinguish sizes; size was not used.", m.name)
	}
	load := whole(count)
	if m.name == coach && g.Passengers == 0 {
		load = c.coaches(g)
	}
	count = max(g.Trips, 1)
	if g.RoundTrip != nil && *g.RoundTrip {
		count *= 2
	}
	e := entry{quantity: exactly(*g.DistanceKm).by(load.plain).multiply(count), unit: "passenger.km", stage: Direct, scope: 3, category: c.travel(), technology: 1}
	if m.basis == byFoot {
		e.zero = true
		c.add(e)
		return
	}
	per := "pkm"
	if vehicles {
		per, e.unit = "km", "vehicle.km"
	}
	fuel, size := g.kind(mode)
	e.factor = groundFactor(c.engine.set, mode, fuel, size, per)
	if e.factor == nil {
		c.unavailable(apperr.Detail{Field: "fuel", Message: fmt.Sprintf("The factor set has no factor for %s %s %s.", size, fuel, m.name)})
		return
	}
	if fuel == unknownFuel || size == average {
		e.technology = 2
	}
	e.geography = c.standsIn(e.factor, g.Country)
	upstream := c.vehicleScope(g, fuel, &e)
	c.add(e)
	c.upstream(e, upstream)
	if fuel == electricCar && strings.Contains(e.factor.Detail, "T&D losses not included") {
		c.note(NoticeUpstream, "", "The grid losses of %s are not published.", e.factor.ID)
	}
}

// vehicles returns the number of vehicles: as stated, else as many as the
// passengers fill.
func (c *calculation) vehicles(g *groundTransport) int64 {
	if g.Vehicles > 0 {
		if g.Passengers > 0 {
			c.note(NoticeInputNotUsed, "passengers", "vehicles decides; passengers was not used.")
		}
		return g.Vehicles
	}
	if g.Occupancy == nil {
		c.defaultTo("occupancy")
		return g.Passengers
	}
	// Whole vehicles: passengers ÷ occupancy, rounded up.
	return filled(g.Passengers, *g.Occupancy)
}

// vehicleScope sets the scope of a vehicle by its operator, and returns the category of its upstream part.
func (c *calculation) vehicleScope(g *groundTransport, fuel string, e *entry) (upstream string) {
	switch g.Control {
	case own:
		e.scope, e.category = 1, ""
		switch fuel {
		case electricCar:
			e.scope = 2
			c.note(NoticeScope2Upstream, "", "The factor of electric cars includes grid losses; all of it stands in scope 2.")
		case plugIn:
			c.note(NoticeScopeNotSplit, "", "The factor covers petrol and grid electricity together; all of it stands in scope 1.")
		}
		return categoryFuel
	case hiredWithOperator:
		e.category = categoryGoods
	}
	return e.category
}

// chainGroundTransport reports how the amounts multiply.
func chainGroundTransport(q *Chain, g *groundTransport, l *Line) {
	if g.metered() {
		q.measure(g.VolumeLitres, "litre", "litres")
		if g.VolumeLitres == nil {
			q.amount(g.EnergyKWh, "kWh")
		}
		return
	}
	q.amount(g.DistanceKm, "km")
	switch {
	case l.Unit == "vehicle.km" && g.Vehicles > 0:
		q.count(g.Vehicles, "vehicle", "vehicles")
	case l.Unit == "vehicle.km" && g.Occupancy != nil:
		q.count(filled(g.Passengers, *g.Occupancy), "vehicle", "vehicles")
	case g.Mode == coach && g.Passengers == 0:
		q.count(g.Vehicles, "vehicle", "vehicles")
		if load, ok := factors.Supplement().Default(coachLoad); ok {
			q.amount(&load.Value, "people in each")
		}
	default:
		q.count(g.Passengers, "passenger", "passengers")
	}
	q.journeys(g.Trips, g.RoundTrip)
}

// groundTransportDoc describes the type to its users.
func groundTransportDoc() doc {
	return doc{
		place:       5,
		answered:    []string{"distanceKm"},
		bought:      []string{"travel", "transport", "taxi", "rail"},
		description: "Journeys over land and by ferry, by vehicle or by passenger.",
		formula:     "vehicles × km (car, motorbike, van, taxi by vehicle) or passengers × km × trips × 2 if roundTrip × (factor + well-to-tank); vehicles = passengers ÷ occupancy, rounded up",
		fields: []fieldDoc{
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. If no factor is published for the country, a proxy is used and a notice says so.", ``},
			{"mode", "Mode of transport. Car, motorbike and van are calculated by vehicle, taxi by vehicle or passenger, all others by passenger; walking and cycling are 0.", ``},
			{"fuel", "Fuel of a car (any), a van (petrol, diesel, battery_electric) or a motorbike (petrol). Electric cars include the grid and its losses.", `"unknown"`},
			{"size", "Published class of the vehicle: car and motorbike small, medium, large, average; taxi regular, black_cab; bus average, local_london, local_not_london; ferry average, foot, car.", `"average"`},
			{"control", "Who operates it: own counts in scopes 1 and 2, with the upstream part in scope 3; hired, with or without an operator, counts in scope 3.", `"hired"`},
			{"from", "Where the journey begins: a town with its country (Brighton, GB), a postcode, or the code of an airport. Together with to it replaces distanceKm: great circle × the detour factor of the mode. Places in the country of the record, or else of the event, are preferred.", ``},
			{"to", "Where it ends.", ``},
			{"via", "Places in between, in order.", ``},
			{"distanceKm", "Distance one way. Takes precedence over places.", ``},
			{"volumeLitres", "Litres of fuel that all vehicles used, instead of a distance; fuel states the kind, diesel by default.", ``},
			{"energyKWh", "Electricity that all battery-electric vehicles were charged with, instead of a distance.", ``},
			{"passengers", "People who travelled. For cars, motorbikes and vans the number of vehicles follows from occupancy.", ``},
			{"vehicles", "Number of vehicles. Takes precedence over passengers.", ``},
			{"occupancy", "People in each vehicle.", `1`},
			{"roundTrip", "Whether the return journey counts as well.", `false`},
			{"trips", "How often the journey was made.", `1`},
		},
		ways: []way{
			{title: "By distance", help: "Kilometres one way.",
				needs: []string{"mode", "distanceKm"}, oneOf: []string{"passengers", "vehicles"}, more: []string{"fuel", "size", "occupancy", "roundTrip", "trips", "control"}, example: `{"mode":"rail","distanceKm":100,"passengers":2}`},
			{title: "By places", help: "The distance is worked out from the places.",
				needs: []string{"mode", "from", "to"}, oneOf: []string{"passengers", "vehicles"}, more: []string{"via", "fuel", "size", "occupancy", "roundTrip", "trips", "control"}, example: `{"mode":"rail","from":"London, GB","to":"Manchester, GB","passengers":12}`},
			{title: "By fuel", help: "Litres that the vehicles took in all.",
				needs: []string{"mode", "volumeLitres"}, more: []string{"fuel", "vehicles", "trips", "control"}, example: `{"mode":"van","fuel":"diesel","volumeLitres":55}`},
			{title: "By charging", help: "Electricity that battery-electric vehicles were charged with in all.",
				needs: []string{"mode", "energyKWh"}, more: []string{"fuel", "vehicles", "trips", "control"}, example: `{"mode":"car","fuel":"battery_electric","energyKWh":80,"country":"GB"}`},
		},
		examples: []string{
			`{"mode":"rail","distanceKm":100,"passengers":2,"group":"staff"}`,
			`{"mode":"car","fuel":"diesel","size":"medium","distanceKm":42.5,"passengers":30,"occupancy":2.5,"roundTrip":true}`,
			`{"mode":"taxi","size":"black_cab","distanceKm":8,"vehicles":25}`,
			`{"mode":"rail","from":"London, GB","to":"Manchester, GB","passengers":12,"roundTrip":true}`,
			`{"mode":"van","fuel":"diesel","volumeLitres":55}`,
			`{"mode":"coach","vehicles":3,"distanceKm":60}`,
		},
	}
}
