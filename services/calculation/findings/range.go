package findings

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// leastDays is the fewest attendee-days that amounts are compared with: of very
// small events everything is unusual.
const leastDays = 20

// listeners is the plausible number of remote attendees per stated attendee.
const listeners = 10

// microgramsOfTonne is a mass that one record never reaches per attendee and day.
const microgramsOfTonne = 1_000_000_000_000

// outOfRange finds records with quantities far above those of their type: an additional digit, or another unit. The
// limits are wide on purpose, and a record beyond them may still be right.
func outOfRange(e Event, facts []*Fact) (out []Finding) {
	most := times(footprint.MassOf(microgramsOfTonne), int(min(max(e.Attendees*e.Days, leastDays), 1_000_000)))
	for _, f := range facts {
		if most, ok := farthest(f); ok && exceeds(f.DistanceKm, most) {
			out = append(out, finding(OutOfRange, Info, []*Fact{f}, "%s km one way is out of range for the mode %s (up to %d km).",
				f.DistanceKm, strings.ReplaceAll(f.Mode, "_", " "), most))
		}
		if most := listeners * max(e.Attendees+e.Virtual, 1); f.Type == "digital" && e.Attendees+e.Virtual > 0 && f.scaled(f.Participants) > most {
			out = append(out, finding(OutOfRange, Info, []*Fact{f}, "%d remote participants are out of range for an event with %d attendees in person and %d remote attendees (up to %d).",
				f.scaled(f.Participants), e.Attendees, e.Virtual, most))
		}
		if e.Attendees == 0 || e.Days == 0 {
			continue
		}
		if f.Mass.Cmp(most) > 0 {
			out = append(out, finding(OutOfRange, Info, []*Fact{f}, "The %s record (%s kg) is out of range for an event with %d attendee-days (up to 1,000 kg each).",
				f.Type, f.Mass.Kilograms(), e.Attendees*e.Days))
		}
		amount, each, unit := f.amount()
		if days := max(e.Attendees*e.Days, leastDays); unit != "" && amount.Cmp(decimal.FromInt(each*days)) > 0 {
			out = append(out, finding(OutOfRange, Info, []*Fact{f}, "%s %s are out of range for an event with %d attendee-days (up to %d each).",
				amount, unit, e.Attendees*e.Days, each))
		}
	}
	return out
}

// farthest returns the longest plausible journey by a mode, in km.
func farthest(f *Fact) (km int64, ok bool) {
	if f.Type != "ground-transport" {
		return 0, false
	}
	km, ok = farthestBy[f.Mode]
	return km, ok
}

var farthestBy = map[string]int64{
	"walk": 50, "bicycle": 200, "tram": 200, "metro": 200, "taxi": 500, "motorbike": 3000, "car": 3000, "van": 3000, "bus": 3000,
	"coach": 4000, "ferry": 3000, "rail": 5000, "international_rail": 10_000,
}

// amount returns the quantity that grows with the people at an event, and its plausible maximum per person and day;
// no unit if there is none.
func (f *Fact) amount() (amount decimal.Decimal, each int64, unit string) {
	of := func(amount *decimal.Decimal, each int64, unit string) (decimal.Decimal, int64, string) {
		if amount == nil {
			return decimal.Decimal{}, 0, ""
		}
		return *amount, each, unit
	}
	switch f.Type {
	case "catering":
		if f.Meals != nil {
			return decimal.FromInt(*f.Meals), 10, "meals"
		}
	case "waste":
		return of(f.WeightKg, 50, "kg of waste")
	case "venue":
		return of(f.ElectricityKWh, 500, "kWh of electricity")
	case "energy":
		switch {
		case f.EnergyKWh != nil:
			return of(f.EnergyKWh, 500, "kWh of energy")
		case f.VolumeLitres != nil:
			return of(f.VolumeLitres, 50, "litres of fuel")
		case f.Source == "refrigerant":
			return of(f.WeightKg, 1, "kg of refrigerant")
		}
		return of(f.WeightKg, 50, "kg of fuel")
	case "water":
		return of(f.SupplyM3, 2, "m³ of water")
	case "freight":
		return of(f.WeightKg, 500, "kg of freight")
	case "materials":
		return of(f.WeightKg, 200, "kg of material")
	case "accommodation":
		return decimal.FromInt(f.scaled(max(f.Rooms, f.Guests) * f.Nights)), 20, "nights"
	case "ground-transport":
		return decimal.FromInt(f.scaled(max(f.Passengers, f.Vehicles) * max(f.Trips, 1))), 10, "journeys"
	case "flights":
		return decimal.FromInt(f.journeys()), 4, "flights"
	}
	return decimal.Decimal{}, 0, ""
}

func exceeds(amount *decimal.Decimal, most int64) bool {
	return amount != nil && amount.Cmp(decimal.FromInt(most)) > 0
}
