package sheet

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// Headings, as plain writes them: the factor of a meter behind transformers, and the difference of its readings.
const (
	factorHeads     wordList = "factorHeads"
	differenceHeads wordList = "differenceHeads"
)

// meterFactor returns the fault of a row of energy with a factor of its meter that the record would not count, unless the
// difference of the readings shows that it is in the energy.
func (r *Reader) meterFactor(b *body, typ string, cells []string) *apperr.Detail {
	if typ != "energy" || r.typ != typ || !b.has("energyKWh") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		n, number := r.asNumber(oneCell(cells, at))
		if !number || n < 2 || r.columns[at].Name != "" || !factorHeads.has(plain(head)) || n != float64(int64(n)) || r.includesFactor(cells, n) {
			continue
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"energyKWh"},
			Message: fmt.Sprintf("%s is %s, which the record would not count. Write what was used, times the factor of the meter, into a column energyKWh, and leave the factor out.", r.heads[at], strings.TrimSpace(cells[at]))}
	}
	return nil
}

// includesFactor reports whether the energy of a row is the difference of the readings times a factor.
func (r *Reader) includesFactor(cells []string, factor float64) bool {
	used := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "energyKWh" })
	difference := slices.IndexFunc(r.heads, func(head string) bool { return differenceHeads.has(plain(head)) })
	if used < 0 || difference < 0 {
		return false
	}
	energy, ok := r.asNumber(oneCell(cells, used))
	d, also := r.asNumber(oneCell(cells, difference))
	return ok && also && math.Abs(energy-d*factor) <= energy/100 // rounded
}
