package sheet

import (
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// kilowattHeads are headings of the power of a generator in kW, normalized by plain.
const kilowattHeads wordlist.List = "kilowattHeads"

// ratedInKilowatts returns the fault of a generator whose power is in kW: records have the rated one in kVA.
func (r *meters) ratedInKilowatts(row *row) *apperr.Detail {
	if row.typ != "energy" || !row.has("hours") || slices.ContainsFunc([]string{"generatorKVA", "volumeLitres", "energyKWh", "weightKg", "volumeM3"}, row.has) {
		return nil
	}
	at := r.beside(kilowattHeads)
	factor, ok := factors.Supplement().Default("gen.power_factor")
	if !at.found() || !ok {
		return nil
	}
	kilowatts, number := r.asNumber(oneCell(row.cells, at.index()))
	if !number {
		return nil
	}
	share, _ := units.Rat(factor.Value).Float64()
	return &apperr.Detail{Field: "generatorKVA", Code: fields.Required,
		Message: fmt.Sprintf("generatorKVA is required: %s is %.12g, and generators are counted by their rated power in kVA. At the usual power factor of %s that is %.6g kVA; write it into a column generatorKVA.", r.heads[at.index()], kilowatts, factor.Value, kilowatts/share)}
}
