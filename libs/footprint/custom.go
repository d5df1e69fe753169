package footprint

import (
	"cmp"
	"math/big"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

// custom is the input of a custom record: a footprint calculated elsewhere.
type custom struct {
	Country string           `json:"country,omitempty"`
	KgCO2e  *decimal.Decimal `json:"kgCO2e"`
	Scope   int64            `json:"scope,omitempty"`
	// Scope3Category is the category stated, or empty.
	Scope3Category string `json:"scope3Category,omitempty"`
	// Quantity is the activity in the unit of the supplier's factor.
	Quantity *decimal.Decimal `json:"quantity,omitempty"`
	supplied
	Derived derived `json:"derived,omitempty"`
	common
}

var _ = define("custom",
	customDoc(),
	decodeCustom, calculateCustom, chainCustom)

func decodeCustom(d *decoder, u *custom) {
	d.RequireOneOf("kgCO2e", "supplierFactor")
	d.RequireContent("description")
	switch {
	case d.Describing():
		d.RequireWith("kgCO2e", "evidence")
	case !d.Has("supplierFactor"):
		d.RequireContent("evidence")
	}
	d.RequireWith("supplierFactor", "quantity")
	d.RequireWith("quantity", "supplierFactor")
	u.Country = d.country(false)
	u.KgCO2e = d.amount("kgCO2e", maxQuantity)
	u.Scope, _ = d.Integer("scope", 1, 3)
	u.Scope3Category = d.scope3Category()
	u.Quantity = d.amount("quantity", maxQuantity)
	d.bySupplier(u)
}

// bySupplier reads the supplier factor of a record, and calculates its footprint.
func (d *decoder) bySupplier(u *custom) {
	u.supplied = d.supplierFactor(func(SupplierFactor) string { return "" })
	if u.Supplier == nil || u.Quantity == nil {
		return
	}
	if u.KgCO2e != nil || d.Has("kgCO2e") {
		d.Fault(apperr.Detail{Field: "kgCO2e", Code: fields.NotAllowed, Message: "kgCO2e cannot be combined with supplierFactor and quantity, from which it is calculated. Leave out one of the two."})
		return
	}
	kg := new(big.Rat).Mul(decimalRat(*u.Quantity), decimalRat(u.Supplier.KgCO2ePerUnit))
	if kg.Cmp(decimalRat(maxQuantity)) > 0 {
		d.Fault(apperr.Detail{Field: "quantity", Code: fields.OutOfRange, Message: "quantity results in more than " + maxQuantity.String() + " kg by " + u.Supplier.Reference() + "."})
		return
	}
	value := rounded(kg)
	u.KgCO2e = &value
	u.Derived.put("kgCO2e", value)
}

func (u *custom) complete() bool { return u.KgCO2e != nil && categoryKnown(u.Scope3Category) }

func calculateCustom(c *calculation, u *custom) {
	if u.Supplier != nil && u.Quantity != nil {
		scope, category := 3, u.Supplier.Scope3Category
		if u.Scope == 1 || u.Scope == 2 {
			scope = int(u.Scope)
		}
		if scope == 3 {
			category = c.stated(u.Scope3Category, cmp.Or(category, categoryGoods))
		} else {
			category = ""
			c.unused(u.Scope3Category != "", "scope3Category", "A record of scope 1 or 2 has no category of scope 3.")
		}
		c.fromSupplier(u.Supplier, exactly(*u.Quantity), scope, category)
		return
	}
	c.note(NoticeSupplied, "kgCO2e", "The figure came with the record.")
	e := entry{value: decimal.FromInt(1), quantity: exactly(*u.KgCO2e), unit: "kgCO2e", stage: Combined, scope: 3, category: c.stated(u.Scope3Category, categoryGoods),
		geography: 1, technology: 1}
	if u.Scope == 1 || u.Scope == 2 {
		e.scope, e.category = int(u.Scope), ""
		c.unused(u.Scope3Category != "", "scope3Category", "A record of scope 1 or 2 has no category of scope 3.")
	}
	c.add(e)
}

// chainCustom reports how the amounts multiply.
func chainCustom(q *Chain, u *custom, l *Line) {
	if u.Supplier != nil && u.Quantity != nil {
		q.amount(u.Quantity, l.Unit)
		return
	}
	q.amount(u.KgCO2e, l.Unit)
}

// customDoc describes the type to its users.
func customDoc() doc {
	return doc{
		place:       13,
		answered:    []string{"kgCO2e", "evidence"},
		description: "A footprint that was calculated elsewhere, or an amount of something whose supplier states a factor.",
		formula:     "kgCO2e as stated; or quantity × the factor of the supplier from the organization's library",
		fields: []fieldDoc{
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event.", ``},
			{"kgCO2e", "The footprint. For activities that no other type covers, such as e-mails: the amount times the figure of the activity's row in the event's factor set, with the id of the row as evidence.", ``},
			{"scope", "Scope of the GHG Protocol.", `3`},
			{"scope3Category", scope3CategoryText, ``},
			{"supplierFactor", supplierFactorText + " Together with quantity it replaces kgCO2e.", ``},
			{"quantity", "Amount of the activity in the unit of the supplier's factor.", ``},
		},
		ways: []way{
			{title: "By its footprint", help: "What somebody worked out, with evidence.",
				needs: []string{"kgCO2e", "description", "evidence"}, more: []string{"scope", "scope3Category"},
				example: `{"kgCO2e":184.5,"description":"Fireworks, by the maker's life-cycle assessment","evidence":[{"url":"https://example.org/lca.pdf"}]}`},
			{title: "With a supplier's factor", help: "An amount × a factor from the organization's library.",
				needs: []string{"supplierFactor", "quantity", "description"}, more: []string{"scope", "scope3Category"},
				example: `{"supplierFactor":"Fireworks Ltd, display shells","quantity":120,"description":"Fireworks at the opening"}`},
		},
		examples: []string{
			`{"kgCO2e":184.5,"description":"Fireworks, by the maker's life-cycle assessment","evidence":[{"url":"https://example.org/lca.pdf"}]}`,
			`{"kgCO2e":24.62,"description":"10,000 invitations by e-mail, 0.002462 kg CO2e each","evidence":[{"name":"Row digital.email.message of desnz-2026"}]}`,
		},
	}
}
