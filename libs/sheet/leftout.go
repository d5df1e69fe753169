package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

// pieceHeads are headings of how many pieces there are of a material, normalized by plain.
var pieceHeads = []string{"qty", "quantity", "pieces", "pcs", "items", "units", "numberofpieces", "noofpieces", "numberofitems", "noofitems", "count", "stück", "stückzahl", "anzahl", "menge", "pièces", "quantité"}

// Words of the kinds of energy of a building, by the field that has it.
var energyWords = [...]struct {
	field string
	words []string
}{
	{"electricityKWh", []string{"electricity", "electric", "elec", "power", "strom", "stromverbrauch", "électricité", "electricidad"}},
	{"gasKWh", []string{"gas", "erdgas", "gasverbrauch", "gaz"}},
	{"heatKWh", []string{"heat", "heating", "fernwärme", "wärme", "chaleur"}},
}

// findLeftOut finds the columns of an amount that would be left out, and those of pieces beside a weight that may be
// that of each.
func (r *Reader) findLeftOut() {
	if r.o.Rules == 0 || slices.Contains(r.heads, "_id") {
		return
	}
	r.weightAt = slices.IndexFunc(r.columns, func(c Column) bool { return r.typ == "materials" && c.Name == "weightKg" })
	if r.weightAt >= 0 {
		head := r.heads[r.weightAt]
		_, total := withoutTotal(head)
		joined := plain(head)
		// Weight (kg) is not the name of the field: people write it of each piece, too.
		if total || strings.EqualFold(head, "weightKg") || strings.HasPrefix(joined, "gesamt") || strings.HasPrefix(joined, "total") || strings.HasPrefix(joined, "net") {
			r.weightAt = -1
		}
	}
	for at, head := range r.heads {
		if r.columns[at].Name != "" || r.columns[at].Type != "" || r.typ != "venue" {
			continue
		}
		for _, of := range energyWords {
			if !r.heading(of.field) && slices.ContainsFunc(wordsOf(head), func(word string) bool { return slices.Contains(of.words, word) }) && hasEnergyUnit(head) && r.leftOut[at] == "" {
				if r.leftOut == nil {
					r.leftOut = map[int]string{}
				}
				r.leftOut[at] = of.field
			}
		}
	}
}

// hasEnergyUnit reports whether a heading ends in a unit of energy or volume: Electricity day kWh, Gas (m3).
func hasEnergyUnit(head string) bool {
	_, word, ok := unitOfHead(head)
	return ok && slices.ContainsFunc([]string{"energy", "volume"}, func(dimension string) bool {
		_, err := units.ByName(word, dimension)
		return err == nil
	})
}

// leavesOut returns the fault of a row with an amount that would be left out, or with one weight for several pieces.
func (r *Reader) leavesOut(b *body, cells []string) *apperr.Detail {
	if len(r.leftOut) == 0 && r.weightAt < 0 {
		return nil
	}
	for at := range cells {
		field, cell := r.leftOut[at], oneCell(cells, at)
		if field == "" || !strings.ContainsAny(cell, "123456789") {
			continue
		}
		if _, number := r.asNumber(cell); number || bareNumber(cell) {
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{field},
				Message: fmt.Sprintf("%s is %.40s, and the record would count none of it. Write all of it, in kWh, into a column %s, or leave the column out.", r.heads[at], cell, field)}
		}
	}
	if r.weightAt < 0 || !b.has("weightKg") || b.has("areaM2") {
		return nil
	}
	pieces := -1
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		switch n, number := r.asNumber(oneCell(cells, at)); {
		case slices.Contains(besideHeads, plain(head)) && isUnit(oneCell(cells, at)):
			return nil // no pieces
		case number && n > 1 && slices.Contains(pieceHeads, plain(head)):
			pieces = at
		}
	}
	if pieces < 0 {
		return nil
	}
	return &apperr.Detail{Field: r.heads[r.weightAt], Code: fields.NotAllowed, Suggestions: []string{"weightKg"},
		Message: fmt.Sprintf("%s is %.40q beside %s %s: it may be that of each. Head the column Total weight or weightKg, with the weight of all of them.", r.heads[r.weightAt], oneCell(cells, r.weightAt), r.heads[pieces], oneCell(cells, pieces))}
}
