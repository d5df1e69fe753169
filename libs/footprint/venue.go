package footprint

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// venue is the input of a venue record. Gas is in kWh of gross calorific value, as on bills.
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
	Attendees            int64            `json:"attendees,omitempty"`
	RenewablePercent     *decimal.Decimal `json:"renewablePercent,omitempty"`
	supplied
	common
}

var _ = define("venue",
	venueDoc(),
	decodeVenue, calculateVenue, chainVenue)

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
	d.RequireOneOf("electricityKWh", "gasKWh", "heatKWh", "annualElectricityKWh", "annualGasKWh", "floorAreaM2", "venueType")
	v.Name, _ = d.String("name", 0, 200)
	v.Site, _ = d.String("site", 0, 100)
	v.Country = d.country(true)
	v.Subdivision = d.subdivision(v.Country)
	v.Control = d.control()
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
	for _, t := range basicVenues {
		names = append(names, t.name)
	}
	v.VenueType, _ = d.Enum("venueType", append(names, OutdoorSite)...)
	v.Days, _ = d.Integer("days", 1, 366)
	v.RenewablePercent = d.amount("renewablePercent", hundred)
	d.RequireWith("annualElectricityKWh", "spaceSharePercent", "days")
	d.RequireWith("annualGasKWh", "spaceSharePercent", "days")
	d.RequireWith("floorAreaM2", "days")
	v.Attendees, _ = d.Integer("attendees", 1, maxPeople)
	d.basicVenue(v)
	v.supplied = d.supplierFactor(func(f SupplierFactor) string {
		if f.Unit != "kWh" || f.Stage == Upstream {
			return "the electricity of a venue needs one per kWh of what was generated (stage direct or combined)."
		}
		return ""
	})
}

func calculateVenue(c *calculation, v *venue) {
	at := supply{country: v.Country, subdivision: v.Subdivision, control: v.Control, renewable: v.RenewablePercent, contract: v.Supplier}
	defer func() {
		c.unused(v.Supplier != nil && c.out.Market == nil, "supplierFactor", "The record has no electricity that a supplier's factor could be for.")
	}()
	if v.VenueType == OutdoorSite && !v.metered() {
		c.outdoors(v, at)
		return
	}
	electricity, gas := c.metered(v)
	var heat carrier
	if v.HeatKWh != nil {
		heat = carrier{quantity: exactly(*v.HeatKWh), known: true, technology: 1}
	}
	if electricity.known {
		c.electricity(at, electricity)
	}
	if gas.known {
		c.fuel(at, "energy.natural_gas.kwh_gross_cv", "gasKWh", 1, "kWh", gas)
	}
	if heat.known {
		c.fuel(at, "energy.district_heat.kwh", "heatKWh", 2, "kWh", heat)
		c.loss(at, "energy.district_heat_distribution_loss.kwh", heat, c.proxy(v.Country))
	}
}

// metered returns the electricity and the gas: the metered values, else a share of the year, else the estimate from
// the floor area. Only one of them is used, so that nothing counts twice.
func (c *calculation) metered(v *venue) (electricity, gas carrier) {
	electricity = c.measured(v, v.ElectricityKWh, v.AnnualElectricityKWh, "annualElectricityKWh")
	gas = c.measured(v, v.GasKWh, v.AnnualGasKWh, "annualGasKWh")
	if v.FloorAreaM2 == nil {
		return electricity, gas
	}
	if electricity.known || gas.known || v.HeatKWh != nil {
		c.note(NoticeInputNotUsed, "floorAreaM2", "Energy is given; the estimate from floorAreaM2 was not used.")
		return electricity, gas
	}
	return c.fromFloorArea(v)
}

func (c *calculation) measured(v *venue, metered, annual *decimal.Decimal, name string) carrier {
	switch {
	case metered != nil:
		if annual != nil {
			c.note(NoticeInputNotUsed, name, "A figure for the event is given; the annual one was not used.")
		}
		return carrier{quantity: exactly(*metered), known: true, technology: 1}
	case annual != nil && v.SpaceSharePercent != nil:
		c.note(NoticeAnnualShare, name, "The energy is the year's use × the share of space × days ÷ 365.")
		q := exactly(*annual).by(*v.SpaceSharePercent).times(v.Days, 365*100)
		return carrier{quantity: q, known: true, technology: 1, atBest: Calculated}
	}
	return carrier{}
}

func (c *calculation) fromFloorArea(v *venue) (electricity, gas carrier) {
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
			return c.perArea(v, t.row), carrier{}
		}
		return c.perArea(v, t.row+".electricity"), c.perArea(v, t.row+".fossil")
	}
	return c.basic(v, kind)
}

func (c *calculation) perArea(v *venue, row string) carrier {
	d, ok := c.engine.set.Default(row)
	if !ok {
		c.unavailable(apperr.Detail{Field: "venueType", Message: fmt.Sprintf("The factor set has no energy use for %s.", v.VenueType)})
		return carrier{}
	}
	older := d.Year
	if older == 0 {
		older = -1
	}
	return carrier{quantity: exactly(*v.FloorAreaM2).by(d.Value).times(v.Days, 365), known: true, technology: 4, atBest: Estimated, older: older}
}

// chainVenue reports how the amounts multiply.
func chainVenue(q *Chain, v *venue, l *Line) {
	metered, annual, fuel := v.ElectricityKWh, v.AnnualElectricityKWh, "electricity"
	switch {
	case strings.HasPrefix(l.FactorID, "energy.natural_gas"):
		metered, annual, fuel = v.GasKWh, v.AnnualGasKWh, "fossil"
	case strings.HasPrefix(l.FactorID, "energy.district_heat"):
		metered, annual, fuel = v.HeatKWh, nil, ""
	case l.Unit == "litre":
		q.outdoors(v)
		return
	}
	switch {
	case metered != nil:
		q.amount(metered, "kWh")
	case annual != nil:
		q.amount(annual, "kWh a year")
		q.percent(v.SpaceSharePercent, "of the space")
		q.ratio(v.Days, 365, "of the year")
	case v.FloorAreaM2 != nil:
		q.amount(v.FloorAreaM2, "m²")
		q.perArea(v, fuel)
		q.ratio(v.Days, 365, "of the year")
	}
}

// perArea adds the energy of a kind of building by its area.
func (q *Chain) perArea(v *venue, fuel string) {
	kind := v.VenueType
	if kind == "" {
		kind = venueTypes[0].name
	}
	for _, t := range venueTypes {
		row := t.row
		if !t.allFuels {
			row += "." + fuel
		}
		if d, ok := q.set.Default(row); ok && t.name == kind {
			q.amount(&d.Value, "kWh per m² a year")
		}
	}
	for _, t := range basicVenues {
		if t.name != kind {
			continue
		}
		d, ok := factors.Supplement().Default(t.row)
		share, known := shareOf(d)
		if !ok || !known {
			return
		}
		of := "of it electricity"
		if fuel != "electricity" {
			share, of = decimal.New(pow(share.Scale())-share.Coefficient(), share.Scale()), "of it gas"
		}
		q.amount(&d.Value, "kWh per m² a year")
		q.amount(&share, of)
	}
}

// outdoors adds the diesel of the people of an outdoor site.
func (q *Chain) outdoors(v *venue) {
	d, ok := factors.Supplement().Default(outdoorDiesel)
	if !ok {
		return
	}
	people := v.Attendees
	if people == 0 {
		people = q.ev.Attendees
	}
	q.amount(&d.Value, "litres per person and day")
	q.count(people, "person", "people")
	q.count(v.Days, "day", "days")
}

// venueDoc describes the type to its users.
func venueDoc() doc {
	return doc{
		place:       3,
		bought:      []string{"venue", "energy", "electricity"},
		description: "Energy of a venue: metered, a share of a year's use, or an estimate from the floor area.",
		formula:     "kWh × factor of each energy carrier, with its well-to-tank and grid losses; annual kWh × share × days ÷ 365, or kWh/m² × m² × days ÷ 365, where nothing was metered",
		fields: []fieldDoc{
			{"name", "Name of the venue.", ``},
			{"site", "Name of the site, so that energy counted twice for one site can be found.", ``},
			{"country", "Where the venue is, as an ISO 3166-1 alpha-2 code. Absent: the country of the event.", ``},
			{"subdivision", "State, province or territory, for grid electricity in the US, AU and CA: an ISO 3166-2 code with or without the country.", ``},
			{"control", "Who operates it: own counts in scopes 1 and 2, with the upstream part in scope 3; hired, with or without an operator, counts in scope 3.", `"hired"`},
			{"electricityKWh", "Metered electricity of the event.", ``},
			{"gasKWh", "Metered natural gas by gross calorific value, as billed.", ``},
			{"heatKWh", "Metered district heat or steam.", ``},
			{"annualElectricityKWh", "Electricity of the venue in a year.", ``},
			{"annualGasKWh", "Natural gas of the venue in a year, by gross calorific value.", ``},
			{"spaceSharePercent", "Share of the venue's space that was hired.", ``},
			{"floorAreaM2", "Floor area used, if nothing was metered.", ``},
			{"venueType", "Kind of building, for the estimate from the floor area; or outdoor_site, estimated from people and days.", `"convention_centre"`},
			{"attendees", "People on an outdoor site each day. Absent: the attendees of the event.", ``},
			{"days", "Days of use, including set-up and dismantling.", ``},
			{"renewablePercent", "Share of the electricity under a renewable contract, with evidence. It never lowers the total; it shows in the market-based figure.", ``},
			{"supplierFactor", supplierFactorText + " It is per kWh of electricity and affects the market-based figure, never the total.", ``},
		},
		ways: []way{
			{title: "By meter", help: "Energy of the event, read before and after or from sub-meters. It has the narrowest interval.",
				oneOf: []string{"electricityKWh", "gasKWh", "heatKWh"}, more: []string{"renewablePercent", "supplierFactor", "control", "site"}, example: `{"country":"GB","electricityKWh":4200,"gasKWh":900}`},
			{title: "By a share of the annual bill", help: "A year's energy of the venue, the share of the space that was hired, and the days.",
				needs: []string{"spaceSharePercent", "days"}, oneOf: []string{"annualElectricityKWh", "annualGasKWh"}, more: []string{"renewablePercent", "supplierFactor", "control", "site"}, example: `{"country":"GB","annualElectricityKWh":1200000,"spaceSharePercent":12.5,"days":3}`},
			{title: "By floor area", help: "The mean energy use of buildings of a kind. It is rough.",
				needs: []string{"floorAreaM2", "days"}, more: []string{"venueType", "renewablePercent", "supplierFactor", "control", "site"}, example: `{"floorAreaM2":2500,"days":2,"venueType":"cultural","country":"GB"}`},
			{title: "By people and days", help: "For outdoor sites. It is the roughest of all.",
				needs: []string{"venueType", "days"}, more: []string{"attendees", "control", "site"}, example: `{"venueType":"outdoor_site","days":3,"attendees":1000,"country":"GB"}`},
		},
		examples: []string{
			`{"name":"Main hall","country":"GB","electricityKWh":4200,"gasKWh":900,"site":"Excel"}`,
			`{"annualElectricityKWh":1200000,"annualGasKWh":450000,"spaceSharePercent":12.5,"days":3}`,
			`{"floorAreaM2":2500,"days":2,"venueType":"cultural","country":"GB"}`,
			`{"floorAreaM2":900,"days":2,"venueType":"hotel","country":"GB"}`,
			`{"venueType":"outdoor_site","days":3,"attendees":1000,"country":"GB"}`,
		},
	}
}
