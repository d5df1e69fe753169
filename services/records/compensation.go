package records

import (
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	maxCompensation     = 50
	maxCompensationText = 500
	maxCompensationName = 200
	maxCompensationKg   = 1_000_000_000_000
)

// readCompensation reads what the organizer states as offset or removed. It replaces the whole
// list.
func readCompensation(r *fields.Reader, event *record.Event) {
	list, ok := r.Objects("compensation", maxCompensation)
	if !ok {
		return
	}
	event.Compensation = nil
	for _, x := range list {
		x.Require("kind", "kgCO2e", "description")
		var c record.Compensation
		c.Kind, _ = x.Enum("kind", record.CompensationKinds()...)
		c.KgCO2e, _ = x.Decimal("kgCO2e", decimal.New(1, 6), decimal.FromInt(maxCompensationKg))
		c.Description, _ = x.String("description", 1, maxCompensationText)
		c.Standard, _ = x.String("standard", 1, maxCompensationName)
		c.Registry, _ = x.String("registry", 1, maxCompensationName)
		c.Reference, _ = x.String("reference", 1, maxCompensationText)
		c.RetiredOn, _ = x.Date("retiredOn")
		event.Compensation = append(event.Compensation, c)
	}
}
