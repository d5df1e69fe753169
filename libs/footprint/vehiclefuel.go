package footprint

import (
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// vehicleFuels are the fuels that vehicles are counted by, with the series of
// their litres. unknown is diesel, the fuel of most vans, coaches and lorries.
var vehicleFuels = map[string]string{
	"petrol": "energy.petrol_avg_blend.litre", "diesel": "energy.diesel_avg_blend.litre", "hybrid": "energy.petrol_avg_blend.litre",
	"lpg": "energy.lpg.litre", unknownFuel: "energy.diesel_avg_blend.litre",
}

// metered reports whether fuel or electricity is stated instead of a distance.
func (g *groundTransport) metered() bool { return g.VolumeLitres != nil || g.EnergyKWh != nil }

// fuelled adds the faults of fuel that does not fit the mode.
func (d *decoder) fuelled(g *groundTransport) {
	for _, name := range []string{"volumeLitres", "energyKWh"} {
		if !d.Has(name) || g.Mode == "" {
			continue
		}
		switch g.Mode {
		case car, taxi, van, coach, "motorbike", "bus":
		default:
			d.Fault(apperr.Detail{Field: name, Code: fields.NotAllowed, Suggestions: []string{"distanceKm"},
				Message: name + " is only for road vehicles; for " + g.Mode + " give distanceKm, or from and to, with passengers."})
		}
	}
	if _, ok := vehicleFuels[g.fuel()]; g.VolumeLitres != nil && !ok {
		d.Fault(apperr.Detail{Field: "fuel", Code: FactorUnavailable, Suggestions: []string{"diesel", "lpg", "petrol"},
			Message: fmt.Sprintf("No factor is published for litres of %s.", g.Fuel)})
	}
	if g.EnergyKWh != nil && g.VolumeLitres == nil && g.Country == "" {
		d.Fault(apperr.Detail{Field: "country", Code: fields.Required, Message: "country is required to calculate electricity, because the event has none."})
	}
}

func (g *groundTransport) fuel() string {
	if g.Fuel == "" {
		return unknownFuel
	}
	return g.Fuel
}

// calculateFuelled counts a journey by the fuel or electricity of its vehicles.
func calculateFuelled(c *calculation, g *groundTransport) {
	c.unused(!g.Derived.has("distanceKm"), "distanceKm", "The fuel is given; the distance was not used.")
	q := carrier{known: true, technology: 1}
	if g.VolumeLitres == nil {
		q.quantity = exactly(*g.EnergyKWh)
		c.electricity(supply{country: g.Country, control: g.Control}, q)
		return
	}
	c.unused(g.EnergyKWh != nil && g.Fuel != plugIn, "energyKWh", "volumeLitres decides; energyKWh was not used.")
	if g.Fuel == "" {
		c.defaultTo("fuel")
		q.technology = 2
	}
	series := vehicleFuels[g.fuel()]
	f := c.engine.set.Ref(series)
	if f == nil {
		c.unavailable(missingRow(series, "volumeLitres"))
		return
	}
	e := entry{factor: f, quantity: exactly(*g.VolumeLitres), unit: "litre", stage: Direct, scope: 3, category: c.travel(), technology: q.technology}
	e.geography = c.standsIn(f, g.Country)
	upstream := c.vehicleScope(g, g.fuel(), &e)
	c.add(e)
	c.upstream(e, upstream)
	if Since(c.ev.EngineVersion(), Engine5) {
		c.blend(f, e.quantity)
	}
}

// coachLoad is the row of the people in a coach.
const coachLoad = "choice.coach.passengers"

// coaches returns the people in coaches of unknown load.
func (c *calculation) coaches(g *groundTransport) quantity {
	load, ok := c.stand(coachLoad, "passengers")
	if !ok {
		return whole(g.Vehicles)
	}
	c.defaultTo("passengers")
	c.note(NoticeCoachLoad, "passengers", "%s people were assumed in each coach (49 seats, half of them taken). The passengers, or the litres of fuel, would be better.", load.Value)
	c.assume(NoticeCoachLoad, "passengers", spreadOf(load))
	c.least = Assumed
	return whole(g.Vehicles).by(load.Value)
}

func missingRow(id, field string) apperr.Detail {
	return apperr.Detail{Field: field, Message: "The tables have no row " + id + "."}
}
