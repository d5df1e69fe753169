package sheet

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// Headings, as plain writes them: the factor of a meter behind transformers, the difference of its readings, and how many
// generators there are.
var (
	factorHeads     = []string{"factor", "faktor", "multiplier", "meterfactor", "metermultiplier", "meterconstant", "constant", "ctratio", "ctfactor", "wandlerfaktor", "zählerfaktor", "wandler", "zählerkonstante", "facteur"}
	differenceHeads = []string{"difference", "differenz", "advance", "meteradvance", "readingdifference", "zählerdifferenz", "différence"}
	generatorHeads  = []string{"generators", "numberofgenerators", "noofgenerators", "anzahlgeneratoren", "generatoren", "anzahlaggregate", "aggregate", "sets", "units", "qty", "quantity", "number", "count", "anzahl", "stück", "menge"}
)

// multiplied returns the fault of a row of energy with a number of times that the record would not count: the factor of
// its meter, unless the difference of the readings shows that it is in the energy, and the number of its generators.
func (r *Reader) multiplied(b *body, typ string, cells []string) *apperr.Detail {
	if typ != "energy" || r.typ != typ || r.o.Rules == 0 || slices.Contains(r.heads, "_id") {
		return nil
	}
	metered, generators := b.has("energyKWh"), b.has("generatorKVA") && !b.has("volumeLitres") && !b.has("energyKWh") && !b.has("weightKg")
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		n, number := r.asNumber(oneCell(cells, at))
		if head = plain(head); !number || n < 2 || r.columns[at].Name != "" {
			continue
		}
		switch {
		case generators && slices.Contains(generatorHeads, head):
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"hours"},
				Message: fmt.Sprintf("%s is %s, and the record would count one generator. Write into the column hours how many hours all of them ran together, and leave this one out.", r.heads[at], strings.TrimSpace(cells[at]))}
		case metered && slices.Contains(factorHeads, head) && n == float64(int64(n)) && !r.includesFactor(cells, n):
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"energyKWh"},
				Message: fmt.Sprintf("%s is %s, which the record would not count. Write what was used, times the factor of the meter, into a column energyKWh, and leave the factor out.", r.heads[at], strings.TrimSpace(cells[at]))}
		}
	}
	return nil
}

// includesFactor reports whether the energy of a row is the difference of the readings times a factor.
func (r *Reader) includesFactor(cells []string, factor float64) bool {
	used := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "energyKWh" })
	difference := slices.IndexFunc(r.heads, func(head string) bool { return slices.Contains(differenceHeads, plain(head)) })
	if used < 0 || difference < 0 {
		return false
	}
	energy, ok := r.asNumber(oneCell(cells, used))
	d, also := r.asNumber(oneCell(cells, difference))
	return ok && also && math.Abs(energy-d*factor) <= energy/100 // rounded
}
