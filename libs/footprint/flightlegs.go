package footprint

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/locations"
)

// chainFlights reports how the amounts multiply.
func chainFlights(q *Chain, f *flights, l *Line) {
	if f.DistanceKm != nil {
		q.amount(f.DistanceKm, "km")
	}
	q.count(f.Passengers, "passenger", "passengers")
	q.journeys(f.Trips, f.RoundTrip)
	if f.DistanceKm == nil && !q.legs(f, l) {
		q.remainder("km")
	}
}

// namedLegs is how many legs a flight may have for those of a line to be named.
const namedLegs = 5

// legs puts the distance of a line of a flight with stops first, and names the legs that are of the line's haul.
func (q *Chain) legs(f *flights, l *Line) bool {
	codes := slices.Concat([]string{f.From}, f.Via, []string{f.To})
	n := len(codes) - 1
	if n < 2 || n > namedLegs {
		return false
	}
	for of := 1; of < 1<<n; of++ {
		var metres int64
		var names []string
		for i := range n {
			from, known := locations.Resolve(codes[i])
			to, also := locations.Resolve(codes[i+1])
			if !known || !also {
				return false
			}
			if of&(1<<i) != 0 {
				metres += locations.GreatCircleMetres(from, to)
				names = append(names, codes[i]+"–"+codes[i+1])
			}
		}
		km := decimal.New(metres, 3)
		with := Chain{terms: slices.Insert(slices.Clone(q.terms), 0, Term{decimalRat(km), km.String(), "km (" + strings.Join(names, ", ") + ")"})}
		if with.is(l, &f.common) {
			q.terms = with.terms
			return true
		}
	}
	return false
}
