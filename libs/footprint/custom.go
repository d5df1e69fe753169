package footprint

import (
	"github.com/eventcarbon/ecf/libs/decimal"
)

// custom is the input of a custom record: a footprint worked out elsewhere.
type custom struct {
	Country string           `json:"country,omitempty"`
	KgCO2e  *decimal.Decimal `json:"kgCO2e"`
	Scope   int64            `json:"scope,omitempty"`
	// Scope3Category is the category stated, or empty.
	Scope3Category string `json:"scope3Category,omitempty"`
	common
}

var _ = define("custom",
	customDoc(),
	decodeCustom, calculateCustom, nil)

func decodeCustom(d *decoder, u *custom) {
	d.Require("kgCO2e")
	d.RequireContent("description", "evidence")
	u.Country = d.country(false)
	u.KgCO2e = d.amount("kgCO2e", maxQuantity)
	u.Scope, _ = d.Integer("scope", 1, 3)
	u.Scope3Category = d.scope3Category()
}

func (u *custom) complete() bool { return u.KgCO2e != nil && categoryKnown(u.Scope3Category) }

func calculateCustom(c *calculation, u *custom) {
	c.note(NoticeSupplied, "kgCO2e", "The figure came with the record.")
	e := entry{value: decimal.FromInt(1), quantity: exactly(*u.KgCO2e), unit: "kgCO2e", stage: Combined, scope: 3, category: c.stated(u.Scope3Category, categoryGoods),
		geography: 1, technology: 1}
	if u.Scope == 1 || u.Scope == 2 {
		e.scope, e.category = int(u.Scope), ""
		c.unused(u.Scope3Category != "", "scope3Category", "A record of scope 1 or 2 has no category of scope 3.")
	}
	c.add(e)
}

// customDoc describes the type to its users.
func customDoc() doc {
	return doc{
		place:       13,
		description: "A footprint that was worked out elsewhere.",
		formula:     "kgCO2e as stated",
		fields: []fieldDoc{
			{"country", "Where it arose, ISO 3166-1 alpha-2 in any case; absent, the event's.", ``},
			{"kgCO2e", "The footprint.", ``},
			{"scope", "Scope of the GHG Protocol.", `3`},
			{"scope3Category", scope3CategoryText, ``},
		},
		examples: []string{
			`{"kgCO2e":184.5,"description":"Fireworks, by the maker's life-cycle assessment","evidence":[{"url":"https://example.org/lca.pdf"}]}`,
		},
	}
}
