package footprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// derived are the values that the server calculated for fields that responses always have and the record did not
// state. The server owns it: a field of a body that equals its derived value counts as absent, so that a client may
// send back what it read, and changing one field recalculates the others.
type derived map[string]json.RawMessage

// put remembers the value of a field as derived.
func (d *derived) put(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // texts and decimals have a JSON form
	}
	if *d == nil {
		*d = derived{}
	}
	(*d)[name] = text
}

func (d derived) has(name string) bool { return d[name] != nil }

// withoutDerived reads a body again without the fields that equal values derived by the server.
func (t *recordType) withoutDerived(r *fields.Reader, body []byte) (*fields.Reader, []byte, error) {
	raw, ok := r.Raw("derived")
	if !ok || r.Faults() > 0 {
		return r, body, nil
	}
	var before derived
	all := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &before) != nil || json.Unmarshal(body, &all) != nil {
		return r, body, nil //nolint:nilerr // of another form: then nothing in it was derived
	}
	delete(all, "derived")
	for _, name := range t.doc.answered {
		if before.has(name) && equalJSON(before[name], all[name]) {
			delete(all, name)
		}
	}
	rest, err := json.Marshal(all)
	if err != nil {
		return r, body, nil //nolint:nilerr // what was read can be written
	}
	again, err := fields.Parse(rest)
	return again, rest, err
}

// equalJSON reports whether two values are the same number or the same text.
func equalJSON(a, b json.RawMessage) bool {
	x, errX := decimal.Parse([]byte(a))
	y, errY := decimal.Parse([]byte(b))
	if errX == nil && errY == nil {
		return x.Cmp(y) == 0
	}
	return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b))
}

// distanceOfFuel derives the distance travelled with an amount of fuel: fuel × its factor ÷ the factor of a
// kilometre of the same vehicle, both of the event's set. It is for information; the fuel counts.
func (d *decoder) distanceOfFuel(g *groundTransport) {
	if d.Faults() > 0 || g.DistanceKm != nil || !g.metered() || groundMode(g.Mode) < 0 {
		return
	}
	field, amount := "volumeLitres", g.VolumeLitres
	if amount == nil {
		field, amount = "energyKWh", g.EnergyKWh
	}
	perUnit, perKm := d.engine.set.Ref(g.carrierRow(field)), g.kilometreRow(d.engine.set, field)
	if perUnit == nil || perKm == nil || perKm.KgCO2e.Sign() <= 0 {
		d.Fault(apperr.Detail{Field: "distanceKm", Code: fields.Required,
			Message: fmt.Sprintf("distanceKm is required with %s: no consumption per kilometre is published for mode %s.", field, g.Mode)})
		return
	}
	km := new(big.Rat).Mul(decimalRat(*amount), decimalRat(perUnit.KgCO2e))
	km.Quo(km, decimalRat(perKm.KgCO2e))
	if g.Mode == coach {
		people := g.Passengers
		if people == 0 {
			load, ok := factors.Supplement().Default("choice.coach.passengers")
			if !ok {
				return // a test asserts that the row exists
			}
			km.Quo(km, decimalRat(load.Value))
			people = max(g.Vehicles, 1)
		}
		km.Quo(km, big.NewRat(people, 1))
	} else {
		km.Quo(km, big.NewRat(max(g.Vehicles, 1), 1))
	}
	journeys := max(g.Trips, 1)
	if g.RoundTrip != nil && *g.RoundTrip {
		journeys *= 2
	}
	km.Quo(km, big.NewRat(journeys, 1))
	distance := new(big.Rat).Mul(km, big.NewRat(1000, 1))
	if km.Cmp(big.NewRat(maxDistance, 1)) > 0 {
		d.Fault(apperr.Detail{Field: field, Code: fields.OutOfRange,
			Message: fmt.Sprintf("%s is enough for %s km per vehicle and journey, which is more than %d. State vehicles and trips, or use one record per vehicle.", field, km.FloatString(0), maxDistance)})
		return
	}
	g.DistanceKm = kilometres(distance)
	g.Derived.put("distanceKm", g.DistanceKm)
}

// carrierRow is the series of a litre or kilowatt-hour of the vehicle. The rows of
// electric vehicles are for the UK grid, and so the kilowatt-hour is.
func (g *groundTransport) carrierRow(field string) string {
	if field == "energyKWh" {
		return "elec.gb.location"
	}
	return vehicleFuels[g.fuel()]
}

// kilometreRow returns the factor of a kilometre of the vehicle with its energy carrier; nil if none is published.
func (g *groundTransport) kilometreRow(set *factors.Set, field string) *factors.Factor {
	mode := groundMode(g.Mode)
	fuel, size := g.kind(mode)
	if !slices.Contains(groundModes[mode].sizes, size) {
		size = average
	}
	if field == "energyKWh" {
		if g.Mode != car && g.Mode != van {
			return nil
		}
		return groundFactor(set, mode, electricCar, size, "km")
	}
	switch {
	case g.Mode == coach:
		return groundFactor(set, mode, "", "", "pkm")
	case groundModes[mode].basis == byPassenger:
		return nil
	}
	for _, f := range []string{fuel, unknownFuel} {
		if row := groundFactor(set, mode, f, size, "km"); row != nil {
			return row
		}
	}
	return nil
}
