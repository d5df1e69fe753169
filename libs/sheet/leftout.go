package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

// Words of the kinds of energy of a building, by the field that has it.
var energyWords = [...]struct {
	field string
	words []string
}{
	{"electricityKWh", []string{"electricity", "electric", "elec", "power", "strom", "stromverbrauch", "électricité", "electricidad"}},
	{"gasKWh", []string{"gas", "erdgas", "gasverbrauch", "gaz"}},
	{"heatKWh", []string{"heat", "heating", "fernwärme", "wärme", "chaleur"}},
}

// findLeftOut finds the columns of an amount that would be left out.
func (r *Reader) findLeftOut() {
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

// leavesOut returns the fault of a row with an amount that would be left out.
func (r *Reader) leavesOut(b *body, cells []string) *apperr.Detail {
	if len(r.leftOut) == 0 {
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
	return nil
}
