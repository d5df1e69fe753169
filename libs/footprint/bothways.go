package footprint

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
)

// A distance between leastBothWays and mostBothWays times the usual one between its places is more likely to be that there
// and back than one way. Nearer places than leastBetween are too close together to tell: they are known by their centres.
var (
	leastBothWays = big.NewRat(17, 10)
	mostBothWays  = big.NewRat(25, 10)
	leastBetween  = big.NewRat(20, 1)
)

// BothWays reports whether a distance in km is about twice the usual one from a place to another, which is returned, rounded:
// the great circle of a flight and of air freight, and that times the detour factor of the mode of another journey. The country
// is the one in which the places are looked up first; it may be empty, and then each place decides for the other.
func BothWays(typ, mode, from, to, country string, km *big.Rat) (usual int64, ok bool) {
	a, b, ok := ends(from, to, country)
	if !ok {
		return 0, false
	}
	metres := locations.GreatCircleMetres(a.location, b.location)
	between := big.NewRat(metres, 1000)
	if typ != "flights" && mode != air {
		detour, known := places.DetourFor(mode, a.Country, b.Country, metres)
		if !known {
			return 0, false
		}
		between.Mul(between, decimalRat(detour.Value))
	}
	if between.Cmp(leastBetween) < 0 {
		return 0, false
	}
	share := new(big.Rat).Quo(km, between)
	return fixed.Quo(between.Num(), between.Denom()).Int64(), share.Cmp(leastBothWays) >= 0 && share.Cmp(mostBothWays) <= 0
}

// ends looks up both ends of a journey; false where one of them is not known.
func ends(from, to, country string) (a, b stop, ok bool) {
	find := func(text, country string) (stop, bool) {
		if strings.TrimSpace(text) == "" || len(text) > places.MaxText {
			return stop{}, false
		}
		if l, ok := locations.Resolve(strings.TrimSpace(text)); ok {
			return stop{Country: l.Country, location: l}, true // without the town of the name, which only a notice needs
		}
		d := decoder{ev: EventContext{Country: country}, hints: &Hints{used: maxHints}}
		s, fault := d.lookUp("", text)
		return s, fault == nil
	}
	a, known := find(from, country)
	b, also := find(to, cmp.Or(country, a.Country))
	if !known && also && b.Country != country {
		a, known = find(from, b.Country)
	}
	return a, b, known && also
}

// bothWays adds a notice to a return journey by land whose stated distance is about twice that between its places, so that it
// may be of both ways already. Flights have one in their evaluation for any distance that differs.
func (d *decoder) bothWays(typ, mode, from, to string, via []string, stated *decimal.Decimal, roundTrip *bool) {
	if stated == nil || roundTrip == nil || !*roundTrip || len(via) > 0 || from == "" || to == "" || d.Describing() {
		return
	}
	usual, ok := BothWays(typ, mode, from, to, d.home(), decimalRat(*stated))
	if !ok {
		return
	}
	d.notices = append(d.notices, Notice{Code: NoticeDistanceDiffers, Field: "distanceKm", Message: fmt.Sprintf(
		"distanceKm is about twice the way between the places, %d km, and roundTrip counts it there and back. If it is that of both ways already, halve it, or set roundTrip to false.", usual)})
}
