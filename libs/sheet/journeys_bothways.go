package sheet

import (
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// bothWays returns the fault of a row of a return journey whose distance is about twice that between its places: it may be
// that of both ways already, and the record would count it twice. A column headed distanceKm has the distance one way.
func (r *distances) bothWays(row *row) *apperr.Detail {
	at := r.placeOf(distanceField)
	if at < 0 || string(row.values["roundTrip"]) != "true" || isOwnName(r.heads[at], distanceField) || kindOfDistance(r.heads[at]) == oneWayDistance {
		return nil
	}
	for other := range r.of {
		if oneCell(row.cells, other) != "" {
			return nil // which says how far it is
		}
	}
	km, _, _, ok := r.measure(distanceField, &row.body)
	from, to := r.between(&row.body, row.cells)
	if !ok || from == "" || row.has("via") {
		return nil
	}
	usual, twice := footprint.BothWays(row.typ, row.text("mode"), from, to, "", km)
	if !twice {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: AmbiguousCount, Suggestions: []string{distanceField, "roundTrip"},
		Message: fmt.Sprintf("%s is %.40q, about twice the way from %.40s to %.40s, %d km, and the record would count it there and back. Halve it if it is that of both ways, or write it in km into a column distanceKm if it is that of one.",
			r.heads[at], oneCell(row.cells, at), from, to, usual)}
}

// between returns the places between which a row goes, also where they are in one cell beside a distance; empty if it has none.
func (t *table) between(b *body, cells []string) (from, to string) {
	if from, to = b.text("from"), b.text("to"); from != "" && to != "" {
		return from, to
	}
	for at, head := range t.heads[:min(len(t.heads), len(cells))] {
		if name := plain(head); !t.free(at) || !routeHeads.Has(name) && !itineraryHeads.Has(name) && !trackHeads.Has(name) {
			continue
		}
		if places := placesOf(Unguard(oneCell(cells, at))); len(places) == 2 {
			return places[0], places[1]
		}
	}
	return "", ""
}
