package sheet

import (
	"encoding/json"
	"math/big"
	"regexp"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/units"
)

// materials are what tables of materials say in other words than those of fields.
type materials struct {
	*table
	// perArea is the column of the weight of a square metre, in kilograms if inKilograms.
	perArea     place
	inKilograms bool
}

// areaWeightHead is a heading of the weight of a square metre: kg per m2, Weight (kg/m²), g pro qm.
var areaWeightHead = regexp.MustCompile(`(?i)(?:^|[\s(\[])(kg|kilos?|kilogram(?:m|me)?s?|gr?|gram(?:m|me)?s?)\s*(?:/|\bper\b|\bpro\b|\bje\b|\bpar\b|\bpor\b|\bal\b|\bna\b)\s*(?:m2|m²|m\^2|qm|sqm|sq\.? ?m|square met(?:re|er))\s*[)\]]?$`)

// findAreaWeight finds the column of the weight of a square metre of materials in a table that does not have it in grams.
func (r *materials) findAreaWeight() {
	if r.typ != "materials" || r.heading("gramsPerM2") {
		return
	}
	for at, head := range r.heads {
		m := areaWeightHead.FindStringSubmatch(oneLine(head))
		if m == nil || !r.free(at) {
			continue
		}
		r.perArea, r.inKilograms = placeAt(at), m[1][0] == 'k' || m[1][0] == 'K'
		r.columns[at].Type = "number"
		r.use(at)
		return
	}
}

// areaWeight sets the weight of a square metre of a row with an area.
func (r *materials) areaWeight(row *row) *apperr.Detail {
	if !r.perArea.found() || row.has("weightKg") {
		return nil
	}
	n, filled, fault := r.partNumber(r.perArea.index(), oneCell(row.cells, r.perArea.index()))
	if fault != nil || !filled {
		return fault
	}
	grams := units.Rat(n)
	if r.inKilograms {
		grams.Mul(grams, big.NewRat(1000, 1))
	}
	return row.setRounded("gramsPerM2", grams)
}

// hiredNamed makes a material hired whose row says so in another column than that of sources.
func (r *materials) hiredNamed(row *row) *apperr.Detail {
	if row.typ != "materials" || r.heading("source") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if head != "" && r.free(at) && columnOf(row.typ, "source").values[key(Unguard(oneCell(row.cells, at)))] == "hired" {
			row.put("source", json.RawMessage(`"hired"`))
			r.use(at)
			return nil
		}
	}
	return nil
}
