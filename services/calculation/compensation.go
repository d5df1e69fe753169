package calculation

import (
	"math/big"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// compensationView are the offsets and removals of an event, in addition to the footprint. No figure of a result
// includes them.
type compensationView struct {
	OffsetKg  footprint.Mass `json:"offsetKg"`
	RemovalKg footprint.Mass `json:"removalKg"`
	// Note states that neither is subtracted.
	Note string `json:"note"`
}

const compensationNote = "Stated by the organiser, apart from the footprint: nothing of it is subtracted from any figure."

// compensationOf returns the sums by kind; nil if the event has none.
func compensationOf(ev record.Event) *compensationView {
	if len(ev.Compensation) == 0 {
		return nil
	}
	view := compensationView{Note: compensationNote}
	for _, c := range ev.Compensation {
		if c.Kind == record.Removal {
			view.RemovalKg = view.RemovalKg.Add(kilogramsOf(c.KgCO2e))
		} else {
			view.OffsetKg = view.OffsetKg.Add(kilogramsOf(c.KgCO2e))
		}
	}
	return &view
}

// kilogramsOf returns kilograms as a mass, truncated to micrograms.
func kilogramsOf(kg decimal.Decimal) footprint.Mass {
	const microgramsOfKilogram = 1_000_000_000
	n := new(big.Int).Mul(big.NewInt(kg.Coefficient()), big.NewInt(microgramsOfKilogram))
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(kg.Scale())), nil)
	return footprint.BigMass(n.Quo(n, scale))
}
