package record

import (
	"github.com/eventcarbon/ecf/libs/decimal"
)

// Kinds of compensation.
const (
	Offset  = "offset"
	Removal = "removal"
)

// CompensationKinds returns the kinds of compensation.
func CompensationKinds() []string { return []string{Offset, Removal} }

// Compensation is an offset or removal declared by the organizer. It is shown
// with a footprint, and is never subtracted from it.
type Compensation struct {
	Kind   string          `json:"kind"`
	KgCO2e decimal.Decimal `json:"kgCO2e"`
	// Description describes what was bought or done.
	Description string `json:"description"`
	// Standard and Registry, and the Reference there, such as serial numbers.
	Standard  string `json:"standard,omitempty"`
	Registry  string `json:"registry,omitempty"`
	Reference string `json:"reference,omitempty"`
	// RetiredOn is the day on which the credits were retired; empty if they were not.
	RetiredOn string `json:"retiredOn,omitempty"`
}
