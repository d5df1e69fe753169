package sheet

import (
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// greenTariffHeads are headings of whether electricity is from renewable sources, normalized by plain.
const greenTariffHeads wordlist.List = "greenTariffHeads"

// greenTariff returns the fault of a row with electricity under a green tariff, of which the share is not said: the market-based
// figure would be that of any other supply.
func (r *meters) greenTariff(row *row) *apperr.Detail {
	if r.typ != "energy" && r.typ != "venue" || row.has("renewablePercent") || r.typ == "energy" && row.has("source") && row.text("source") != "grid" ||
		r.typ == "venue" && !slices.ContainsFunc([]string{"electricityKWh", "annualElectricityKWh", "floorAreaM2"}, row.has) {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if !r.free(at) || !greenTariffHeads.Has(plain(head)) || !saysYes(cell) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"renewablePercent"},
			Message: fmt.Sprintf("%s is %.40q, and the market-based figure would not know it. Write the share that is renewable into a column renewablePercent, 100 if it is all, and leave %s out.", head, cell, head)}
	}
	return nil
}
