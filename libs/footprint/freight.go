package footprint

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/locations"
)

// freight is the input of a freight record.
type freight struct {
	Country      string           `json:"country,omitempty"`
	Mode         string           `json:"mode"`
	Vehicle      string           `json:"vehicle,omitempty"`
	Refrigerated *bool            `json:"refrigerated,omitempty"`
	From         string           `json:"from,omitempty"`
	To           string           `json:"to,omitempty"`
	Via          []string         `json:"via,omitempty"`
	Journey      *journey         `json:"journey,omitempty"`
	Haul         string           `json:"haul,omitempty"`
	WeightKg     *decimal.Decimal `json:"weightKg"`
	DistanceKm   *decimal.Decimal `json:"distanceKm,omitempty"`
	RoundTrip    *bool            `json:"roundTrip,omitempty"`
	common
}

var _ = define("freight",
	freightDoc(),
	decodeFreight, calculateFreight, chainFreight)

const (
	road = "road"
	air  = "air"
)

// freightVehicles are the vehicles of a mode and their rows, the default of the
// mode first. Refrigerated rows are published for two of them.
var freightVehicles = [...]struct{ mode, name, row, refrigerated string }{
	{road, "hgv", "hgv-average", "hgv-refrigerated-average"},
	{road, "hgv_rigid", "hgv-average-rigid", ""},
	{road, "hgv_rigid_3_5_to_7_5t", "hgv-rigid-3.5-7.5t", ""},
	{road, "hgv_rigid_7_5_to_17t", "hgv-rigid-7.5-17t", ""},
	{road, "hgv_rigid_over_17t", "hgv-rigid-17t", ""},
	{road, "hgv_artic", "hgv-average-artic", "hgv-refrigerated-artic"},
	{road, "hgv_artic_3_5_to_33t", "hgv-artic-3.5-33t", ""},
	{road, "hgv_artic_over_33t", "hgv-artic-33t", ""},
	{road, "van", "van-average-diesel-tkm", ""},
	{road, "van_up_to_1_3t", "van-class1-diesel-tkm", ""},
	{road, "van_1_7_to_3_5t", "van-class3-diesel-tkm", ""},
	{road, "van_petrol", "van-average-petrol-tkm", ""},
	{road, "van_battery_electric", "van-average-bev-tkm", ""},
	{"sea", "container_ship", "sea-container-average", ""},
	{"sea", "bulk_carrier", "sea-bulk-average", ""},
	{"sea", "general_cargo_ship", "sea-general-cargo-average", ""},
	{"sea", "roro_ferry", "sea-roro-average", ""},
	{"sea", "ropax_ferry", "sea-ropax-average", ""},
	{"sea", "vehicle_transporter", "sea-vehicle-average", ""},
	{"rail", "", "rail-freight", ""},
}

// freightHauls are the hauls of air freight, with the international ones of flights.
var freightHauls = [hauls]string{"domestic", "short_haul", "long_haul", "international"}

func decodeFreight(d *decoder, f *freight) {
	d.Require("mode", "weightKg")
	d.RequireOneOf("distanceKm", "from")
	f.Country = d.country(false)
	f.Mode, _ = d.Enum("mode", road, "rail", "sea", air)
	names := make([]string, 0, len(freightVehicles))
	for _, v := range freightVehicles {
		if v.name != "" {
			names = append(names, v.name)
		}
	}
	f.Vehicle, _ = d.Enum("vehicle", names...)
	f.Refrigerated = d.flag("refrigerated")
	f.WeightKg = d.amount("weightKg", maxQuantity)
	d.freightPlaces(f)
	f.Haul, _ = d.Enum("haul", freightHauls[:]...)
	f.RoundTrip = d.flag("roundTrip")
	if f.Journey == nil {
		d.bothWays("freight", f.Mode, f.From, f.To, f.Via, f.DistanceKm, f.RoundTrip)
	}
	if f.Mode == air && f.From != "" && f.To != "" && airportOf(f.From) == airportOf(f.To) {
		d.Fault(apperr.Detail{Field: "to", Code: fields.NotAllowed,
			Message: fmt.Sprintf("to must be a different airport than from; both are %s.", airportOf(f.From))})
	}
	if f.Mode == "" {
		return
	}
	if f.Mode != air && d.Has("haul") {
		d.Fault(apperr.Detail{Field: "haul", Code: fields.NotAllowed, Message: "haul is for mode air only."})
	}
	if fault := f.unserved(); fault != nil {
		d.Fault(*fault)
	}
}

// freightPlaces reads the distance, or the places it is worked out from: airports
// and the airports of towns for air, towns and postcodes for road and rail. Ships
// sail round continents, so that of sea freight the distance must be stated.
func (d *decoder) freightPlaces(f *freight) {
	mode, _ := d.Raw("mode")
	if d.Describing() {
		mode = json.RawMessage(`"road"`) // which has journeys with all fields
	}
	stated := d.amount("distanceKm", decimal.FromInt(maxDistance))
	f.DistanceKm = stated
	switch string(mode) {
	case `"road"`, `"rail"`:
		f.From, f.To, f.Via, f.Journey = d.whereabouts(f.Mode, stated)
		if f.Journey != nil {
			f.DistanceKm = f.Journey.DistanceKm
			d.remark(f.Journey)
		}
		return
	case `"sea"`:
		for _, name := range [...]string{"from", "to"} {
			if d.Has(name) {
				d.Fault(apperr.Detail{Field: name, Code: fields.NotAllowed, Suggestions: []string{"distanceKm"},
					Message: name + " cannot be used with mode sea: ships sail around continents, so state the distance between the ports as distanceKm."})
			}
		}
	}
	if d.Has("via") {
		d.Fault(apperr.Detail{Field: "via", Code: fields.NotAllowed, Message: "via is for modes road and rail. Send one record for each leg of a sea or air journey."})
	}
	ends := []*string{&f.From, &f.To}
	j := d.flightEnds(ends, []string{"from", "to"}, stated == nil)
	d.RequireWith("from", "to")
	d.RequireWith("to", "from")
	f.Journey = j
	a, known := locations.Resolve(f.From)
	b, alsoKnown := locations.Resolve(f.To)
	if echo := d.echoed(); !known || !alsoKnown || stated != nil && (echo == nil || *echo != *stated) {
		return
	}
	if f.Journey == nil {
		f.Journey = &journey{Stops: []stop{airportStop(a), airportStop(b)}}
	}
	f.Journey.GreatCircleKm = kilometres(big.NewRat(locations.GreatCircleMetres(a, b), 1))
	f.DistanceKm, f.Journey.DistanceKm = f.Journey.GreatCircleKm, f.Journey.GreatCircleKm
}

func (f *freight) cooled() bool { return f.Refrigerated != nil && *f.Refrigerated }

// unserved is the fault of a vehicle that the mode does not have, or that has
// no refrigerated row; nil when all is well.
func (f *freight) unserved() *apperr.Detail {
	if f.Mode == air {
		switch {
		case f.Vehicle != "":
			return &apperr.Detail{Field: "vehicle", Code: FactorUnavailable, Message: "vehicle cannot be used with air freight; leave it out."}
		case f.cooled():
			return &apperr.Detail{Field: "refrigerated", Code: FactorUnavailable, Message: "No refrigerated factor is published for air freight."}
		}
		return nil
	}
	var served, cold []string
	ok, cool := false, false
	for i, v := range freightVehicles {
		if v.mode != f.Mode {
			continue
		}
		if v.name != "" {
			served = append(served, v.name)
		}
		if v.refrigerated != "" {
			cold = append(cold, v.name)
		}
		if v.name == f.Vehicle || f.Vehicle == "" && (i == 0 || freightVehicles[i-1].mode != v.mode) {
			ok, cool = true, v.refrigerated != ""
		}
	}
	slices.Sort(served)
	slices.Sort(cold)
	switch {
	case !ok:
		return &apperr.Detail{Field: "vehicle", Code: FactorUnavailable, Suggestions: served,
			Message: fmt.Sprintf("No factor is published for %s freight by %s.", f.Mode, f.Vehicle)}
	case f.cooled() && !cool:
		return &apperr.Detail{Field: "refrigerated", Code: FactorUnavailable, Suggestions: cold,
			Message: "Refrigerated factors are published for hgv and hgv_artic only."}
	}
	return nil
}

func (f *freight) complete() bool {
	return f.WeightKg != nil && f.DistanceKm != nil && (f.Haul == "" || slices.Contains(freightHauls[:], f.Haul))
}

func calculateFreight(c *calculation, f *freight) {
	e := entry{unit: "tonne.km", stage: Direct, scope: 3, category: categoryFreight, technology: 1}
	if c.engine.set.Pack == nil { // else the row decides, below
		e.geography = c.proxy(f.Country)
	}
	if c.group == "exhibitors" {
		e.category = CategoryOptional // like their travel, their freight is not the organiser's
	}
	if f.Mode == air {
		c.airportsOf(f.Journey)
	} else {
		c.travelled(f.Journey)
	}
	e.quantity = exactly(*f.WeightKg).perThousand().by(*f.DistanceKm)
	if f.RoundTrip != nil && *f.RoundTrip {
		e.quantity = e.quantity.multiply(2)
	}
	var missing string
	if f.Mode == air {
		missing = c.airFreight(f, &e)
	} else {
		missing = c.surfaceFreight(f, &e)
	}
	if e.factor == nil {
		c.unavailable(apperr.Detail{Field: "mode", Message: "The factor set has no factor for " + missing + " freight."})
		return
	}
	if c.engine.set.Pack != nil {
		e.geography = c.standsIn(e.factor, f.Country)
	}
	c.add(e)
	c.upstream(e, e.category)
}

func (c *calculation) surfaceFreight(f *freight, e *entry) (what string) {
	for i, v := range freightVehicles {
		first := i == 0 || freightVehicles[i-1].mode != v.mode
		if v.mode != f.Mode || v.name != f.Vehicle && !(f.Vehicle == "" && first) {
			continue
		}
		if f.Vehicle == "" && v.name != "" {
			c.defaultTo("vehicle")
			e.technology = 2
		}
		row := v.row
		if f.cooled() {
			row = v.refrigerated
		}
		e.factor = c.engine.set.Ref("desnz-freight-" + row)
		break
	}
	return f.Mode
}

func (c *calculation) airFreight(f *freight, e *entry) (what string) {
	h := c.freightHaul(f)
	what = freightHauls[h] + " air"
	rows := c.engine.airFreight[h]
	e.factor = rows[0]
	if c.ev.RadiativeForcing {
		e.factor, e.withoutRF = rows[1], rows[0]
	}
	return what
}

// freightHaul decides the haul of air freight: by the airports, else as stated,
// else by distance.
func (c *calculation) freightHaul(f *freight) haul {
	switch {
	case f.From != "" && f.To != "":
		if f.Haul != "" {
			c.note(NoticeInputNotUsed, "haul", "The airports decide; haul was not used.")
		}
		h, _ := c.statedHaul(f.From, f.To, *f.DistanceKm)
		return h
	case f.Haul != "":
		return haul(slices.Index(freightHauls[:], f.Haul))
	}
	c.note(NoticeHaulByDistance, "haul", "Neither airports nor haul are named; below 3,700 km the haul is short.")
	if f.DistanceKm.Cmp(decimal.FromInt(longHaulMetres/1000)) < 0 {
		return shortHaul
	}
	return longHaul
}

// newAirFreight returns the rows of air freight by haul, without and with
// radiative forcing.
func newAirFreight(set *factors.Set) (t [hauls][2]*factors.Factor) {
	for h, name := range freightHauls {
		t[h] = [2]*factors.Factor{set.Ref("desnz-freight-air-" + name + "-norf"), set.Ref("desnz-freight-air-" + name + "-rf")}
	}
	return t
}

// chainFreight reports how the amounts multiply.
func chainFreight(q *Chain, f *freight, l *Line) {
	q.weight(f.WeightKg, l)
	q.amount(f.DistanceKm, "km")
	q.journeys(0, f.RoundTrip)
}

// freightDoc describes the type to its users.
func freightDoc() doc {
	return doc{
		place:       6,
		answered:    []string{"distanceKm"},
		bought:      []string{"transport", "freight", "logistics", "shipping", "courier"},
		description: "Goods carried to and from the event, by weight and distance.",
		formula:     "kg ÷ 1000 × km × 2 if the cargo travels back × (factor + well-to-tank) per tonne-km",
		fields: []fieldDoc{
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. If no factor is published for the country, a proxy is used and a notice says so.", ``},
			{"mode", "How the goods were carried.", ``},
			{"vehicle", "Vehicle of road or sea freight. Absent: an average lorry or a container ship.", ``},
			{"refrigerated", "Whether the lorry is refrigerated, for hgv and hgv_artic.", `false`},
			{"from", "Where the goods come from. For road and rail: a town with its country, a postcode or a code, which together with to replaces distanceKm: great circle × the detour factor of the mode. For air: an airport, or a town whose airport is used; it determines the haul.", ``},
			{"to", "Where they go.", ``},
			{"via", "Places in between, for road and rail, in order.", ``},
			{"haul", "Haul of air freight without airports. Absent: short below 3,700 km, otherwise long.", ``},
			{"weightKg", "Weight of the goods.", ``},
			{"distanceKm", "Distance one way; for air freight the great circle. Takes precedence over places. Required for sea freight.", ``},
			{"roundTrip", "Whether the goods travel back, which counts the distance twice.", `false`},
		},
		ways: []way{
			{title: "By distance", help: "Kilometres one way; of air freight the great circle.",
				needs: []string{"mode", "weightKg", "distanceKm"}, more: []string{"vehicle", "refrigerated", "haul", "roundTrip"}, example: `{"mode":"road","vehicle":"hgv_artic","weightKg":18000,"distanceKm":640}`},
			{title: "By places", help: "The distance is worked out from the places; not for sea freight.",
				needs: []string{"mode", "weightKg", "from", "to"}, more: []string{"via", "vehicle", "refrigerated", "roundTrip"}, example: `{"mode":"road","vehicle":"hgv_artic","weightKg":8000,"from":"Birmingham, GB","to":"Manchester, GB"}`},
		},
		examples: []string{
			`{"mode":"road","vehicle":"hgv_artic","weightKg":18000,"distanceKm":640,"roundTrip":true}`,
			`{"mode":"air","from":"HKG","to":"LHR","weightKg":350,"distanceKm":9640}`,
			`{"mode":"road","vehicle":"hgv_artic","weightKg":8000,"from":"Birmingham, GB","to":"Manchester, GB"}`,
			`{"mode":"sea","weightKg":24000,"distanceKm":19500}`,
		},
	}
}
