package sheet

import (
	"math/big"
	"regexp"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/units"
)

// areaWeights is the column of the weight of a square metre, in kilograms if inKilograms.
type areaWeights struct {
	*table
	at          place
	inKilograms bool
}

// areaWeightHead is a heading of the weight of a square metre: kg per m2, Weight (kg/m²), g pro qm.
var areaWeightHead = regexp.MustCompile(`(?i)(?:^|[\s(\[])(kg|kilos?|kilogram(?:m|me)?s?|gr?|gram(?:m|me)?s?)\s*(?:/|\bper\b|\bpro\b|\bje\b|\bpar\b|\bpor\b|\bal\b|\bna\b)\s*(?:m2|m²|m\^2|qm|sqm|sq\.? ?m|square met(?:re|er))\s*[)\]]?$`)

// findAreaWeight finds the column of the weight of a square metre of materials in a table that does not have it in grams.
func (r *areaWeights) findAreaWeight() {
	if r.typ != "materials" || r.heading("gramsPerM2") {
		return
	}
	for at, head := range r.heads {
		m := areaWeightHead.FindStringSubmatch(oneLine(head))
		if m == nil || !r.free(at) {
			continue
		}
		r.at, r.inKilograms = placeAt(at), m[1][0] == 'k' || m[1][0] == 'K'
		r.columns[at].Type = "number"
		r.use(at)
		return
	}
}

// areaWeight sets the weight of a square metre of a row with an area.
func (r *areaWeights) areaWeight(row *row) *apperr.Detail {
	if !r.at.found() || row.has("weightKg") {
		return nil
	}
	n, filled, fault := r.partNumber(r.at.index(), oneCell(row.cells, r.at.index()))
	if fault != nil || !filled {
		return fault
	}
	grams := units.Rat(n)
	if r.inKilograms {
		grams.Mul(grams, big.NewRat(1000, 1))
	}
	return row.setRounded("gramsPerM2", grams)
}
