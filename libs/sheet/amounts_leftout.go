package sheet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// leftOut are the fields of amounts that would be left out, by the place of their column.
type leftOut struct {
	*table
	fields map[int]string
}

// buildingEnergy are the fields of the kinds of energy of a building; the words for them are in lists of their names.
var buildingEnergy = [...]string{"electricityKWh", "gasKWh", "heatKWh"}

// energyWords returns the words of a kind of energy.
func energyWords(field string) wordlist.List { return wordlist.OfType("energyWords", field) }

// findLeftOut finds the columns of an amount that would be left out.
func (r *leftOut) findLeftOut() {
	for at, head := range r.heads {
		if !r.free(at) || r.typ != "venue" {
			continue
		}
		if r.energyOfNoKind(head) {
			r.leaveOut(at, strings.Join(buildingEnergy[:], " or "))
		}
		for _, field := range buildingEnergy {
			if !r.heading(field) && energyWords(field).HasAny(wordsOf(head)) && hasEnergyUnit(head) && r.fields[at] == "" {
				r.leaveOut(at, field)
			}
		}
	}
}

// leaveOut takes note of a column whose amounts would be left out, and of the fields that have them.
func (r *leftOut) leaveOut(at int, field string) {
	if r.fields == nil {
		r.fields = map[int]string{}
	}
	r.fields[at] = field
}

// ofArea are units of heads of energy for each square metre, which is no amount.
var ofArea = regexp.MustCompile(`(?i)m2|m²|sqm|qm|sq ?ft`)

// energyOfNoKind reports whether a heading is of energy that may be of any kind, in a table without columns of the kinds: kWh,
// Usage (MWh), kWh per day. A venue would be estimated from its area instead.
func (r *leftOut) energyOfNoKind(head string) bool {
	kind := func(field string) bool { return energyWords(field).HasAny(wordsOf(head)) }
	return hasEnergy(head) && !ofArea.MatchString(head) && !r.heading(buildingEnergy[:]...) && !slices.ContainsFunc(buildingEnergy[:], kind)
}

// gasUnits are units of gas that no record is in.
const gasUnits wordlist.List = "gasUnits"

// hasEnergyUnit reports whether a heading ends in a unit of energy or volume: Electricity day kWh, Gas (m3), Gas (Smc).
func hasEnergyUnit(head string) bool {
	_, word, ok := unitOfHead(head)
	return ok && gasUnits.Has(strings.ToLower(word)) || ok && slices.ContainsFunc([]string{"energy", "volume"}, func(dimension string) bool {
		_, err := units.ByName(word, dimension)
		return err == nil
	})
}

// leavesOut returns the fault of a row with an amount that would be left out.
func (r *leftOut) leavesOut(row *row) *apperr.Detail {
	if len(r.fields) == 0 {
		return nil
	}
	for at := range row.cells {
		field, cell := r.fields[at], oneCell(row.cells, at)
		if field == "" || !strings.ContainsAny(cell, "123456789") {
			continue
		}
		if _, number := r.asNumber(cell); number || bareNumber(cell) {
			elsewhere := ""
			if field == "gasKWh" && !hasEnergy(r.heads[at]) {
				elsewhere = ", or import it in cubic metres as energy, with the source natural_gas"
			}
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: strings.Split(field, " or "),
				Message: fmt.Sprintf("%s is %.40s, and the record would count none of it. Write all of it, in kWh, into a column %s%s, or leave the column out.", r.heads[at], cell, field, elsewhere)}
		}
	}
	return nil
}
