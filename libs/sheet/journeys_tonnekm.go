package sheet

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// tonneKms is the column of weight times distance.
type tonneKms struct {
	*table
	perItem *perItem
	at      place
}

// tonneKmHeads are headings of weight times distance in lists of carriers, normalized by plain.
const tonneKmHeads wordlist.List = "tonneKmHeads"

// loadHeads are headings of what freight takes up, normalized by plain: it has no weight by itself.
const loadHeads wordlist.List = "loadHeads"

// findTonneKm finds the column of tonne-kilometres of freight.
func (r *tonneKms) findTonneKm() {
	if r.typ == "freight" {
		r.at = r.aside(tonneKmHeads)
		r.claim(r.at, "", derives|shown)
	}
}

// unweighed returns the fault of a row of freight that states a volume, but no weight.
func (r *tonneKms) unweighed(row *row) *apperr.Detail {
	if row.typ != "freight" || row.has("weightKg") || len(r.perItem.of) > 0 {
		return nil
	}
	if at := r.perItem.amountAt("weightKg"); at >= 0 && oneCell(row.cells, at) != "" {
		return nil // a weight that cannot be read
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		of := r.counts[at]
		if _, number := r.asNumber(oneCell(row.cells, at)); !number || !loadHeads.Has(plain(head)) && !slices.Contains(pieceLike, of) && of != ofTrip {
			continue
		}
		return &apperr.Detail{Field: "weightKg", Code: fields.Required,
			Message: fmt.Sprintf("weightKg is required: freight is counted by its weight, which %s, %.40s, does not tell. Write the weight of the goods, such as 24 t, into a column Weight.", head, oneCell(row.cells, at))}
	}
	return nil
}

// tonneKm sets weight and distance of freight of which a row has the product and, perhaps, one of the two. Alone it is
// the weight over one kilometre.
func (r *tonneKms) tonneKm(row *row) *apperr.Detail {
	if !r.at.found() || oneCell(row.cells, r.at.index()) == "" {
		return nil
	}
	head, way := r.heads[r.at.index()], row.has(distanceField) || row.has("from")
	if row.has("weightKg") && way {
		row.unread = append(row.unread, r.at.index())
		return nil
	}
	n, filled, fault := r.partNumber(r.at.index(), oneCell(row.cells, r.at.index()))
	if fault != nil || !filled {
		return fault
	}
	refuse := func(message string) *apperr.Detail {
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"weightKg", distanceField}, Message: fmt.Sprintf(message, head)}
	}
	kgKm := new(big.Rat).Mul(units.Rat(n), big.NewRat(1000, 1))
	if kgKm.Sign() == 0 {
		return refuse("%s is 0: nothing was carried. Delete the row from the file, or write weightKg and distanceKm.")
	}
	divided := func(name, by string) *apperr.Detail {
		value, _, _, ok := r.measure(by, &row.body)
		if !ok || value.Sign() == 0 {
			return refuse("%s is weight times distance, and the other of the two is no number. Write weightKg and distanceKm.")
		}
		return row.setRounded(name, new(big.Rat).Quo(kgKm, value))
	}
	switch {
	case string(row.values["roundTrip"]) == "true":
		return refuse("%s is of the whole journey, and the record would count it there and back. Write weightKg and distanceKm, or leave roundTrip out.")
	case row.has("weightKg"):
		return divided(distanceField, "weightKg")
	case row.has(distanceField):
		return divided("weightKg", distanceField)
	case row.has("from"):
		return refuse("%s cannot be divided by the distance between two places. Write weightKg, or distanceKm instead of the places.")
	case row.text("mode") == "air" && !row.has("haul"):
		return refuse("%s does not tell how far the freight went, which air freight depends on. Write weightKg and distanceKm, or the haul.")
	}
	row.set(distanceField, json.RawMessage("1"))
	return row.setRounded("weightKg", kgKm)
}

// setRounded sets a number, rounded to twelve decimals if it has more.
func (b *body) setRounded(name string, value *big.Rat) *apperr.Detail {
	n, err := units.Rounded(value)
	if err != nil {
		return &apperr.Detail{Field: name, Code: fields.OutOfRange, Message: err.Error() + "."}
	}
	b.set(name, json.RawMessage(n.String()))
	return nil
}
