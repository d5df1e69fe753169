package footprint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

// energy is the input of an energy record: a supply that is not metered with the venue. Fuel energy is that of the
// fuel in kWh of gross calorific value, not the output of a generator.
type energy struct {
	Site         string           `json:"site,omitempty"`
	Country      string           `json:"country,omitempty"`
	Subdivision  string           `json:"subdivision,omitempty"`
	Control      string           `json:"control,omitempty"`
	Source       string           `json:"source"`
	Refrigerant  string           `json:"refrigerant,omitempty"`
	EnergyKWh    *decimal.Decimal `json:"energyKWh,omitempty"`
	VolumeLitres *decimal.Decimal `json:"volumeLitres,omitempty"`
	VolumeM3     *decimal.Decimal `json:"volumeM3,omitempty"`
	WeightKg     *decimal.Decimal `json:"weightKg,omitempty"`
	// A generator is counted by its size and hours if nothing else is known.
	GeneratorKVA *decimal.Decimal `json:"generatorKVA,omitempty"`
	Hours        *decimal.Decimal `json:"hours,omitempty"`
	LoadPercent  *decimal.Decimal `json:"loadPercent,omitempty"`
	// RenewablePercent is of grid electricity.
	RenewablePercent *decimal.Decimal `json:"renewablePercent,omitempty"`
	common
}

var _ = define("energy",
	energyDoc(),
	decodeEnergy, calculateEnergy, chainEnergy)

const grid = "grid"

// energySources are the sources with the series of their rows. Empty: not
// published per that unit. The energy of biofuels and wood is published by net
// calorific value, which is another basis than kWh of gross calorific value.
var energySources = [...]struct{ name, kwh, litre, m3, weight string }{
	{grid, "grid", "", "", ""},
	{"diesel", "energy.diesel_avg_blend.kwh_gross_cv", "energy.diesel_avg_blend.litre", "", "energy.diesel_avg_blend.tonne"},
	{"petrol", "energy.petrol_avg_blend.kwh_gross_cv", "energy.petrol_avg_blend.litre", "", "energy.petrol_avg_blend.tonne"},
	{"biodiesel", "", "energy.biodiesel_me.litre", "", "energy.biodiesel_me.kg"},
	{"biodiesel_used_oil", "", "energy.biodiesel_uco.litre", "", "energy.biodiesel_uco.kg"},
	{"biodiesel_tallow", "", "energy.biodiesel_tallow.litre", "", "energy.biodiesel_tallow.kg"},
	{"bioethanol", "", "energy.bioethanol.litre", "", "energy.bioethanol.kg"},
	{"hvo", "", "energy.hvo.litre", "", "energy.hvo.kg"},
	{"lpg", "energy.lpg.kwh_gross_cv", "energy.lpg.litre", "", "energy.lpg.tonne"},
	{"natural_gas", "energy.natural_gas.kwh_gross_cv", "", "energy.natural_gas.m3", ""},
	{"gas_oil", "energy.gas_oil_red_diesel.kwh_gross_cv", "energy.gas_oil_red_diesel.litre", "", "energy.gas_oil_red_diesel.tonne"},
	{"propane", "energy.propane.kwh_gross_cv", "energy.propane.litre", "", "energy.propane.tonne"},
	{"butane", "energy.butane.kwh_gross_cv", "energy.butane.litre", "", "energy.butane.tonne"},
	{"biopropane", "", "energy.biopropane.litre", "", "energy.biopropane.kg"},
	{"kerosene", "energy.burning_oil_kerosene.kwh_gross_cv", "energy.burning_oil_kerosene.litre", "", "energy.burning_oil_kerosene.tonne"},
	{"fuel_oil", "energy.fuel_oil.kwh_gross_cv", "energy.fuel_oil.litre", "", "energy.fuel_oil.tonne"},
	{"cng", "energy.cng.kwh_gross_cv", "energy.cng.litre", "", "energy.cng.tonne"},
	{"lng", "energy.lng.kwh_gross_cv", "energy.lng.litre", "", "energy.lng.tonne"},
	{"biogas", "", "", "", "energy.biogas.tonne"},
	{"wood_chips", "", "", "", "energy.wood_chips.kg"},
	{"wood_logs", "", "", "", "energy.wood_logs.tonne"},
	{"wood_pellets", "", "", "", "energy.wood_pellets.tonne"},
	{refrigerant, "", "", "", "refr.kg"}, // the row is that of the gas
}

// engineFuels are the sources that a generator can burn.
var engineFuels = []string{"diesel", "petrol", "biodiesel", "hvo", "gas_oil", "biodiesel_used_oil", "biodiesel_tallow"}

// GeneratorBurns reports whether a source of energy is a fuel that generators can burn.
func GeneratorBurns(source string) bool { return slices.Contains(engineFuels, source) }

// districtHeats are common names of heat from a network. They are not a source of this type but a field of another
// one, so the table of everyday words cannot contain them.
var districtHeats = []string{"district heat", "district heating", "heat network", "fernwärme", "nahwärme", "fernheizung", "chauffage urbain", "réseau de chaleur"}

// districtHeat reports whether the source is heat from a network, and adds a fault that refers to the right type.
func (d *decoder) districtHeat() bool {
	var source string
	if json.Unmarshal(d.Peek("source"), &source) != nil || !slices.Contains(districtHeats, plainWords(source)) {
		return false
	}
	d.Fault(apperr.Detail{Field: "source", Code: fields.NotAllowed,
		Message: "District heat is not a source of energy records. Use heatKWh of a venue record, which includes the losses of the network."})
	return true
}

func decodeEnergy(d *decoder, n *energy) {
	d.Require("source")
	n.Site, _ = d.String("site", 0, 100)
	names := make([]string, 0, len(energySources))
	for _, s := range energySources {
		names = append(names, s.name)
	}
	if d.districtHeat() {
		d.Ignore("source")
	} else {
		n.Source, _ = d.Enum("source", names...)
	}
	if n.Source == "" || d.Describing() || slices.ContainsFunc(energyMeasures, d.Has) {
		d.RequireOneOf(energyMeasures...)
	} else {
		d.RequireOneOf(n.measures()...)
	}
	n.Refrigerant = d.refrigerant()
	n.Country = d.country(n.Source == grid)
	n.Subdivision = d.subdivision(n.Country)
	n.Control = d.control()
	n.EnergyKWh = d.amount("energyKWh", maxQuantity)
	n.VolumeLitres = d.amount("volumeLitres", maxQuantity)
	n.VolumeM3 = d.amount("volumeM3", maxQuantity)
	n.WeightKg = d.amount("weightKg", maxQuantity)
	if kva, ok := d.Decimal("generatorKVA", decimal.FromInt(1), decimal.FromInt(100_000)); ok {
		n.GeneratorKVA = &kva
	}
	n.Hours = d.amount("hours", decimal.FromInt(1_000_000))
	if load, ok := d.Decimal("loadPercent", decimal.FromInt(5), hundred); ok {
		n.LoadPercent = &load
	}
	d.RequireWith("generatorKVA", "hours")
	d.RequireWith("hours", "generatorKVA")
	d.RequireWith("loadPercent", "generatorKVA")
	if n.GeneratorKVA != nil && n.Source != "" && !slices.Contains(engineFuels, n.Source) {
		d.Fault(apperr.Detail{Field: "source", Code: fields.NotAllowed, Suggestions: engineFuels,
			Message: "hours and generatorKVA are only for " + strings.Join(engineFuels, ", ") + "; for " + n.Source + " give the amount."})
	}
	n.RenewablePercent = d.amount("renewablePercent", hundred)
	if n.Source == "" || !slices.ContainsFunc(energyMeasures[:4], d.Has) {
		return
	}
	served := false
	var fault *apperr.Detail
	for _, a := range n.amounts() {
		switch {
		case !d.Has(a.field):
		case a.row != "":
			served = true
		case fault == nil:
			fault = &apperr.Detail{Field: a.field, Code: FactorUnavailable,
				Message: fmt.Sprintf("No factor is published for %s by %s.", n.Source, a.field)}
		}
	}
	if fault == nil || served {
		return
	}
	for _, a := range n.amounts() {
		if a.row != "" {
			fault.Suggestions = append(fault.Suggestions, a.field)
		}
	}
	d.Fault(*fault)
}

// energyMeasures are the fields that can state the amount of energy: four amounts, and the hours of a generator.
var energyMeasures = []string{"energyKWh", "volumeLitres", "volumeM3", "weightKg", "generatorKVA"}

// measures returns those of energyMeasures that the source has rows for.
func (n *energy) measures() []string {
	var out []string
	for _, a := range n.amounts() {
		if a.row != "" {
			out = append(out, a.field)
		}
	}
	if slices.Contains(engineFuels, n.Source) {
		out = append(out, "generatorKVA")
	}
	return out
}

func (n *energy) complete() bool {
	return (n.GeneratorKVA == nil || n.Hours != nil && n.GeneratorKVA.Sign() > 0) &&
		(n.Source != refrigerant || refrigerantSeries(n.Refrigerant) != "")
}

// amount is one way to state an amount of energy.
type energyAmount struct {
	field, row, unit string
	value            *decimal.Decimal
}

// amounts returns the ways to state the energy of the source, the preferred one first: meter or pump readings before
// conversions.
func (n *energy) amounts() [4]energyAmount {
	for _, s := range energySources {
		if s.name == n.Source {
			weight := "tonne"
			if strings.HasSuffix(s.weight, ".kg") {
				weight = "kg"
			}
			return [...]energyAmount{
				{"volumeLitres", s.litre, "litre", n.VolumeLitres},
				{"energyKWh", s.kwh, "kWh", n.EnergyKWh},
				{"volumeM3", s.m3, "m3", n.VolumeM3},
				{"weightKg", s.weight, weight, n.WeightKg},
			}
		}
	}
	return [4]energyAmount{}
}

func calculateEnergy(c *calculation, n *energy) {
	at := supply{country: n.Country, subdivision: n.Subdivision, control: n.Control}
	done := false
	for _, a := range n.amounts() {
		switch {
		case a.value == nil:
		case done || a.row == "":
			c.note(NoticeInputNotUsed, a.field, "%s was not used; another amount has a better factor.", a.field)
		default:
			done = true
			q := carrier{quantity: exactly(*a.value), known: true, technology: 1}
			if a.unit == "tonne" {
				q.quantity = q.quantity.perThousand()
			}
			switch n.Source {
			case grid:
				if c.second() {
					at.renewable = n.RenewablePercent
				}
				c.electricity(at, q)
			case refrigerant:
				c.leaked(at, n.Refrigerant, q)
			default:
				c.fuel(at, a.row, a.field, 1, a.unit, q)
			}
		}
	}
	if n.GeneratorKVA != nil && !done {
		done = true
		c.fromGenerator(n, at)
	} else {
		c.unused(n.GeneratorKVA != nil, "generatorKVA", "The amount of fuel is given; size and hours of the generator were not used.")
	}
	if !done {
		c.unavailable(apperr.Detail{Field: "source", Message: "No factor is published for " + n.Source + " by the amount given."})
	}
	c.unused(n.RenewablePercent != nil && (n.Source != grid || !c.second()), "renewablePercent",
		"renewablePercent is of grid electricity, from engine 2.0.0 on; it was not used.")
	c.unused(n.Refrigerant != "" && n.Source != refrigerant, "refrigerant", "refrigerant is of the source refrigerant alone; it was not used.")
	c.unused(n.Subdivision != "" && n.Source != grid, "subdivision", "Only grid electricity has factors by state or province; subdivision was not used.")
}

// fromGenerator counts the fuel that a generator burnt.
func (c *calculation) fromGenerator(n *energy, at supply) {
	litres, ok := c.generated(n)
	if !ok {
		return
	}
	for _, s := range energySources {
		if s.name == n.Source && s.litre != "" {
			c.fuel(at, s.litre, "volumeLitres", 1, "litre", carrier{quantity: litres, known: true, technology: 2})
		}
	}
}

// chainEnergy reports how the amounts multiply.
func chainEnergy(q *Chain, n *energy, l *Line) {
	for _, a := range n.amounts() {
		switch {
		case a.value == nil || a.row == "":
			continue
		case a.field == "weightKg":
			q.weight(a.value, l)
		case a.field == "volumeLitres":
			q.measure(a.value, "litre", "litres")
		case a.field == "volumeM3":
			q.amount(a.value, "m³")
		default:
			q.amount(a.value, "kWh")
		}
		return
	}
	q.remainder("litres") // of a generator
}

// energyDoc describes the type to its users.
func energyDoc() doc {
	return doc{
		place:       9,
		bought:      []string{"energy", "electricity"},
		description: "Energy that the venue's meter does not include: generators, heaters, a separate grid supply; and refrigerant that leaked.",
		formula:     "litres, m³, kg or kWh × (factor + well-to-tank) of the fuel; kWh × factor of the grid with its grid losses and well-to-tank; kg × global warming potential of the refrigerant",
		fields: []fieldDoc{
			{"site", "Name of the site, so that energy counted twice for one site can be found.", ``},
			{"country", "Where it was used, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. Grid electricity needs one.", ``},
			{"subdivision", "State, province or territory, for grid electricity in the US, AU and CA: an ISO 3166-2 code with or without the country.", ``},
			{"control", "Who operates it: own counts in scopes 1 and 2, with the upstream part in scope 3; hired, with or without an operator, counts in scope 3.", `"hired"`},
			{"source", "Fuel or supply; kerosene is heating oil for burners, fuel_oil the heavy oil of boiler houses and ships, refrigerant a gas that leaked.", ``},
			{"refrigerant", "Gas that leaked, by the number on the nameplate: gases that the Kyoto Protocol covers, and blends of them. weightKg is the amount refilled or missing. CFCs, HCFCs, halons, hydrocarbons and HFOs are in no scope of the GHG Protocol and are refused.", ``},
			{"energyKWh", "Grid electricity, or energy of the fuel by gross calorific value; not the output of a generator. Biofuels have factors by litre and by weight, wood and biogas by weight.", ``},
			{"volumeLitres", "Litres of a liquid fuel. Takes precedence over energy.", ``},
			{"volumeM3", "Cubic metres of natural gas.", ``},
			{"weightKg", "Weight of a fuel that is sold by weight, such as bottles of LPG, propane or butane, and wood; or of the refrigerant that leaked.", ``},
			{"generatorKVA", "Rated power of a generator whose fuel use is not known; together with hours it replaces the litres.", ``},
			{"hours", "Hours that the generator ran.", ``},
			{"loadPercent", "Average load of the generator in percent of its rated power. The default has a wide range.", `35`},
			{"renewablePercent", "Share of the grid electricity under a renewable contract or certificates, with evidence. It never lowers the total; it shows in the market-based figure. Used from engine 2.0.0 on.", ``},
		},
		ways: []way{
			{title: "By energy", help: "Kilowatt-hours of grid electricity, or of a fuel by gross calorific value.",
				needs: []string{"source", "energyKWh"}, more: []string{"renewablePercent", "control", "subdivision"}, example: `{"source":"grid","energyKWh":850,"country":"DE"}`},
			{title: "By litres", help: "Litres of a liquid fuel.",
				needs: []string{"source", "volumeLitres"}, more: []string{"control"}, example: `{"source":"diesel","volumeLitres":340}`},
			{title: "By cubic metres", help: "Cubic metres of gas, as the meter counts them.",
				needs: []string{"source", "volumeM3"}, more: []string{"control"}, example: `{"source":"natural_gas","volumeM3":120}`},
			{title: "By weight", help: "Kilograms of a fuel that is sold in bottles, or of wood.",
				needs: []string{"source", "weightKg"}, more: []string{"control"}, example: `{"source":"propane","weightKg":94}`},
			{title: "Refrigerant that leaked", help: "Kilograms of a named gas: what was refilled, by the engineer's report.",
				needs: []string{"source", "refrigerant", "weightKg"}, more: []string{"control"}, example: `{"source":"refrigerant","refrigerant":"r410a","weightKg":1.2,"control":"own"}`},
			{title: "By a generator's hours", help: "Its rated power, hours and load, where nobody counted the litres.",
				needs: []string{"source", "generatorKVA", "hours"}, more: []string{"loadPercent", "control"}, example: `{"source":"gas_oil","generatorKVA":100,"hours":36}`},
		},
		examples: []string{
			`{"source":"hvo","volumeLitres":1200,"control":"own"}`,
			`{"source":"diesel","volumeLitres":340}`,
			`{"source":"gas_oil","generatorKVA":100,"hours":36}`,
			`{"source":"propane","weightKg":94}`,
			`{"source":"refrigerant","refrigerant":"r410a","weightKg":1.2,"control":"own"}`,
			`{"source":"grid","energyKWh":850,"country":"DE"}`,
		},
	}
}
