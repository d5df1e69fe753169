package footprint

import (
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

// venue is the input of a venue record. Gas is in kWh of gross calorific value,
// as it is billed.
type venue struct {
	Name                 string           `json:"name,omitempty"`
	Site                 string           `json:"site,omitempty"`
	Country              string           `json:"country"`
	Subdivision          string           `json:"subdivision,omitempty"`
	Control              string           `json:"control,omitempty"`
	ElectricityKWh       *decimal.Decimal `json:"electricityKWh,omitempty"`
	GasKWh               *decimal.Decimal `json:"gasKWh,omitempty"`
	HeatKWh              *decimal.Decimal `json:"heatKWh,omitempty"`
	AnnualElectricityKWh *decimal.Decimal `json:"annualElectricityKWh,omitempty"`
	AnnualGasKWh         *decimal.Decimal `json:"annualGasKWh,omitempty"`
	SpaceSharePercent    *decimal.Decimal `json:"spaceSharePercent,omitempty"`
	FloorAreaM2          *decimal.Decimal `json:"floorAreaM2,omitempty"`
	VenueType            string           `json:"venueType,omitempty"`
	Days                 int64            `json:"days,omitempty"`
	RenewablePercent     *decimal.Decimal `json:"renewablePercent,omitempty"`
	common
}

var venueType = define("venue",
	"kWh × factor of each energy carrier, with its well-to-tank and grid losses; annual kWh × share × days ÷ 365, or kWh/m² × m² × days ÷ 365, where nothing was metered",
	decodeVenue, calculateVenue)

// Who runs the venue, which decides the scope.
const (
	own               = "own"
	hired             = "hired"
	hiredWithOperator = "hired_with_operator"
)

// venueTypes are the kinds of building with an energy use per square metre. A
// US figure covers all fuels.
var venueTypes = [...]struct {
	name, row string
	allFuels  bool
}{
	{"convention_centre", "venue.eui.us.convention_centre.kwh", true},
	{"entertainment", "venue.eui.us.entertainment.kwh", true},
	{"recreation", "venue.eui.us.recreation.kwh", true},
	{"cultural", "venue.eui.gb.cultural", false},
	{"office", "venue.eui.gb.office", false},
	{"dry_sports", "venue.eui.gb.dry_sports", false},
	{"public_light", "venue.eui.gb.public_light", false},
	{"school", "venue.eui.gb.schools", false},
	{"pool", "venue.eui.gb.pool", false},
}

func decodeVenue(d *decoder, v *venue) {
	d.RequireOneOf("electricityKWh", "gasKWh", "heatKWh", "annualElectricityKWh", "annualGasKWh", "floorAreaM2")
	v.Name, _ = d.String("name", 0, 200)
	v.Site, _ = d.String("site", 0, 100)
	v.Country = d.country(true)
	v.Subdivision = d.subdivision(v.Country)
	v.Control, _ = d.Enum("control", own, hired, hiredWithOperator)
	v.ElectricityKWh = d.amount("electricityKWh", maxQuantity)
	v.GasKWh = d.amount("gasKWh", maxQuantity)
	v.HeatKWh = d.amount("heatKWh", maxQuantity)
	v.AnnualElectricityKWh = d.amount("annualElectricityKWh", maxQuantity)
	v.AnnualGasKWh = d.amount("annualGasKWh", maxQuantity)
	v.SpaceSharePercent = d.amount("spaceSharePercent", hundred)
	v.FloorAreaM2 = d.amount("floorAreaM2", decimal.FromInt(100_000_000))
	names := make([]string, 0, len(venueTypes))
	for _, t := range venueTypes {
		names = append(names, t.name)
	}
	v.VenueType, _ = d.Enum("venueType", names...)
	v.Days, _ = d.Integer("days", 1, 366)
	v.RenewablePercent = d.amount("renewablePercent", hundred)
	if d.Has("annualElectricityKWh") || d.Has("annualGasKWh") {
		d.needs("spaceSharePercent", "an annual figure")
		d.needs("days", "an annual figure")
	} else if d.Has("floorAreaM2") {
		d.needs("days", "floorAreaM2")
	}
}

func (d *decoder) needs(name, beside string) {
	if !d.Has(name) {
		d.Fault(apperr.Detail{Field: name, Code: fields.Required, Message: name + " is required beside " + beside + "."})
	}
}

// energy is an amount of one carrier and how it was found.
type energy struct {
	quantity   quantity
	known      bool
	atBest     quality
	older      int
	technology uint8
}

func calculateVenue(c *calculation, v *venue) {
	electricity, gas := c.metered(v)
	var heat energy
	if v.HeatKWh != nil {
		heat = energy{quantity: exactly(*v.HeatKWh), known: true, technology: 1}
	}
	if electricity.known {
		c.electricity(v, electricity)
	}
	if gas.known {
		c.fuel(v, "energy.natural_gas.kwh_gross_cv", "gasKWh", 1, gas)
	}
	if heat.known {
		c.fuel(v, "energy.district_heat.kwh", "heatKWh", 2, heat)
		c.loss(v, "energy.district_heat_distribution_loss.kwh", heat, c.proxy(v.Country))
	}
}

// metered finds the electricity and the gas: what was metered, else a share of
// the year, else the estimate from floor area. Only one of them is used, so
// that nothing counts twice.
func (c *calculation) metered(v *venue) (electricity, gas energy) {
	electricity = c.carrier(v, v.ElectricityKWh, v.AnnualElectricityKWh, "annualElectricityKWh")
	gas = c.carrier(v, v.GasKWh, v.AnnualGasKWh, "annualGasKWh")
	if v.FloorAreaM2 == nil {
		return electricity, gas
	}
	if electricity.known || gas.known || v.HeatKWh != nil {
		c.note(NoticeInputNotUsed, "floorAreaM2", "Energy is given; the estimate from floorAreaM2 was not used.")
		return electricity, gas
	}
	return c.fromFloorArea(v)
}

func (c *calculation) carrier(v *venue, metered, annual *decimal.Decimal, name string) energy {
	switch {
	case metered != nil:
		if annual != nil {
			c.note(NoticeInputNotUsed, name, "A figure for the event is given; the annual one was not used.")
		}
		return energy{quantity: exactly(*metered), known: true, technology: 1}
	case annual != nil && v.SpaceSharePercent != nil:
		c.note(NoticeAnnualShare, name, "The energy is the year's use × the share of space × days ÷ 365.")
		q := exactly(*annual).by(*v.SpaceSharePercent).times(v.Days, 365*100)
		return energy{quantity: q, known: true, technology: 1, atBest: calculated}
	}
	return energy{}
}

func (c *calculation) fromFloorArea(v *venue) (electricity, gas energy) {
	kind := v.VenueType
	if kind == "" {
		kind = venueTypes[0].name
		c.defaultTo("venueType")
	}
	c.note(NoticeFloorArea, "floorAreaM2", "Energy is the yearly use of %s buildings per m² × m² × days ÷ 365; an idle venue makes it too low.", kind)
	for _, t := range venueTypes {
		if t.name != kind {
			continue
		}
		if t.allFuels {
			c.note(NoticeAllFuels, "venueType", "The figure for %s covers all fuels and was counted as electricity.", kind)
			return c.perArea(v, t.row), energy{}
		}
		return c.perArea(v, t.row+".electricity"), c.perArea(v, t.row+".fossil")
	}
	return energy{}, energy{}
}

func (c *calculation) perArea(v *venue, row string) energy {
	d, ok := c.engine.set.Default(row)
	if !ok {
		c.unavailable(apperr.Detail{Field: "venueType", Message: fmt.Sprintf("The factor set has no energy use for %s.", v.VenueType)})
		return energy{}
	}
	older := d.Year
	if older == 0 {
		older = -1
	}
	return energy{quantity: exactly(*v.FloorAreaM2).by(d.Value).times(v.Days, 365), known: true, technology: 4, atBest: estimated, older: older}
}

// scopes gives the scope and category of energy used (which: 1 for fuel burnt,
// 2 for electricity and heat), and of its upstream part.
func (v *venue) scopes(which int) (scope int, category, upstream string) {
	switch v.Control {
	case own:
		return which, "", categoryFuel
	case hiredWithOperator:
		return 3, categoryGoods, categoryGoods
	}
	return 3, categoryLeased, categoryLeased
}

// fuel adds the direct and the well-to-tank line of a UK energy row.
func (c *calculation) fuel(v *venue, series, field string, which int, q energy) {
	f := c.engine.set.Ref(series)
	if f == nil {
		c.unavailable(apperr.Detail{Field: field, Message: "The factor set has no factor for " + field + "."})
		return
	}
	scope, category, upstream := v.scopes(which)
	e := entry{factor: f, quantity: q.quantity, unit: "kWh", stage: Direct, scope: scope, category: category,
		geography: c.proxy(v.Country), technology: q.technology, atBest: q.atBest, older: q.older}
	c.add(e)
	c.upstream(e, upstream)
}

// upstream adds the well-to-tank line of an entry, or notes that it is missing.
func (c *calculation) upstream(e entry, category string) {
	if !e.factor.WTT.Published {
		c.note(NoticeUpstream, "", "The upstream part of %s is not published.", e.factor.ID)
		return
	}
	e.upstream, e.stage, e.scope, e.category = true, Upstream, 3, category
	c.add(e)
}

// loss adds the lines of what is lost on the way to the venue, which are all
// upstream.
func (c *calculation) loss(v *venue, series string, q energy, geography uint8) {
	f := c.engine.set.Ref(series)
	if f == nil {
		return
	}
	_, _, category := v.scopes(2)
	e := entry{factor: f, quantity: q.quantity, unit: "kWh", stage: Upstream, scope: 3, category: category,
		geography: geography, technology: q.technology, atBest: q.atBest, older: q.older}
	c.add(e)
	if f.WTT.Published {
		e.upstream = true
		c.add(e)
	}
}
