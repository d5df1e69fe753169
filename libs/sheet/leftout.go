package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

// buildingEnergy are the fields of the kinds of energy of a building; the words for them are in lists of their names.
var buildingEnergy = [...]string{"electricityKWh", "gasKWh", "heatKWh"}

// energyWords returns the words of a kind of energy.
func energyWords(field string) wordList { return ofType("energyWords", field) }

// findLeftOut finds the columns of an amount that would be left out.
func (r *Reader) findLeftOut() {
	for at, head := range r.heads {
		if !r.free(at) || r.typ != "venue" {
			continue
		}
		for _, field := range buildingEnergy {
			if !r.heading(field) && energyWords(field).hasAny(wordsOf(head)) && hasEnergyUnit(head) && r.leftOut[at] == "" {
				if r.leftOut == nil {
					r.leftOut = map[int]string{}
				}
				r.leftOut[at] = field
			}
		}
	}
}

// gasUnits are units of gas that no record is in.
const gasUnits wordList = "gasUnits"

// hasEnergyUnit reports whether a heading ends in a unit of energy or volume: Electricity day kWh, Gas (m3), Gas (Smc).
func hasEnergyUnit(head string) bool {
	_, word, ok := unitOfHead(head)
	return ok && gasUnits.has(strings.ToLower(word)) || ok && slices.ContainsFunc([]string{"energy", "volume"}, func(dimension string) bool {
		_, err := units.ByName(word, dimension)
		return err == nil
	})
}

// leavesOut returns the fault of a row with an amount that would be left out.
func (r *Reader) leavesOut(cells []string) *apperr.Detail {
	if len(r.leftOut) == 0 {
		return nil
	}
	for at := range cells {
		field, cell := r.leftOut[at], oneCell(cells, at)
		if field == "" || !strings.ContainsAny(cell, "123456789") {
			continue
		}
		if _, number := r.asNumber(cell); number || bareNumber(cell) {
			elsewhere := ""
			if field == "gasKWh" && !hasEnergy(r.heads[at]) {
				elsewhere = ", or import it in cubic metres as energy, with the source natural_gas"
			}
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{field},
				Message: fmt.Sprintf("%s is %.40s, and the record would count none of it. Write all of it, in kWh, into a column %s%s, or leave the column out.", r.heads[at], cell, field, elsewhere)}
		}
	}
	return nil
}
