package footprint

import (
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
)

// water is the input of a water record.
type water struct {
	Site     string           `json:"site,omitempty"`
	Country  string           `json:"country,omitempty"`
	SupplyM3 *decimal.Decimal `json:"supplyM3"`
	Treated  *bool            `json:"treated,omitempty"`
	common
}

var _ = define("water",
	waterDoc(),
	decodeWater, calculateWater, chainWater)

func decodeWater(d *decoder, w *water) {
	d.Require("supplyM3")
	w.Site, _ = d.String("site", 0, 100)
	w.Country = d.country(false)
	w.SupplyM3 = d.amount("supplyM3", maxQuantity)
	w.Treated = d.flag("treated")
}

func (w *water) complete() bool { return w.SupplyM3 != nil }

func calculateWater(c *calculation, w *water) {
	treated := w.Treated == nil || *w.Treated
	if w.Treated == nil {
		c.defaultTo("treated")
	}
	for _, part := range [...]struct {
		series, category string
		counts           bool
	}{
		{"water.water_supply.m3", categoryGoods, true},
		{"water.water_treatment.m3", categoryWaste, treated},
	} {
		if !part.counts {
			continue
		}
		f := c.engine.set.Ref(part.series)
		if f == nil {
			c.unavailable(apperr.Detail{Field: "supplyM3", Message: "The factor set has no factor for " + part.series + "."})
			return
		}
		c.add(entry{factor: f, quantity: exactly(*w.SupplyM3), unit: "m3", stage: Combined, scope: 3, category: part.category,
			geography: c.standsIn(f, w.Country), technology: 1})
	}
}

// chainWater reports how the amounts multiply.
func chainWater(q *Chain, w *water, _ *Line) { q.amount(w.SupplyM3, "m³") }

// waterDoc describes the type to its users.
func waterDoc() doc {
	return doc{
		place:       10,
		bought:      []string{"water"},
		description: "Water from the mains and its treatment.",
		formula:     "m³ × (factor of supply + factor of treatment, unless treated is false)",
		fields: []fieldDoc{
			{"site", "Name of the site, so that energy counted twice for one site can be found.", ``},
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. If no factor is published for the country, a proxy is used and a notice says so.", ``},
			{"supplyM3", "Water taken from the mains.", ``},
			{"treated", "Whether the water went to the sewer and was treated.", `true`},
		},
		examples: []string{
			`{"supplyM3":42.5}`,
			`{"supplyM3":12,"treated":false}`,
		},
	}
}
