package footprint

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

// purchases is the input of a purchases record: money spent, with a factor that
// the record brings along.
type purchases struct {
	Country       string           `json:"country,omitempty"`
	Category      string           `json:"category"`
	Amount        *decimal.Decimal `json:"amount"`
	Currency      string           `json:"currency"`
	KgCO2ePerUnit *decimal.Decimal `json:"kgCO2ePerUnit"`
	FactorSource  string           `json:"factorSource"`
	// Scope3Category is the category stated, or empty.
	Scope3Category string `json:"scope3Category,omitempty"`
	common
}

var _ = define("purchases",
	purchasesDoc(),
	decodePurchases, calculatePurchases, nil)

// otherPurchases are the categories that no record type counts by amount.
var otherPurchases = []string{
	"audio_visual", "cleaning", "decoration", "entertainment", "gifts", "insurance", "marketing", "print", "security", "software",
	"stand_construction", "staffing", "other",
}

// purchaseCategories name what was bought: the record types first, so that
// money and amounts of one thing can be found to count twice.
func purchaseCategories() []string {
	var out []string
	for _, t := range registry() {
		if len(t.doc.bought) > 0 {
			out = append(out, t.name)
		}
	}
	return append(out, otherPurchases...)
}

func decodePurchases(d *decoder, p *purchases) {
	d.Require("category", "amount", "currency", "kgCO2ePerUnit", "factorSource")
	d.RequireContent("evidence")
	p.Country = d.country(false)
	p.Category, _ = d.Enum("category", purchaseCategories()...)
	p.Amount = d.amount("amount", maxQuantity)
	p.Currency = d.currency()
	p.KgCO2ePerUnit = d.amount("kgCO2ePerUnit", decimal.FromInt(10_000))
	p.FactorSource, _ = d.String("factorSource", 1, maxText)
	p.Scope3Category = d.scope3Category()
}

// currency reads a code of ISO 4217 in any case and returns it in upper case. It
// only names the unit of the factor, so any three letters will do.
func (d *decoder) currency() string {
	text, ok := d.String("currency", 3, 3)
	d.Document("currency", func(p *fields.Property) { p.MinLength, p.MaxLength, p.Pattern = 0, 0, "^[A-Za-z]{3}$" })
	if !ok {
		return ""
	}
	code := strings.ToUpper(text)
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		d.Fault(apperr.Detail{Field: "currency", Code: fields.BadFormat,
			Message: fmt.Sprintf("currency must be an ISO 4217 code such as EUR; got %q.", shorten(text))})
	}
	return code
}

func (p *purchases) complete() bool {
	return p.Amount != nil && p.KgCO2ePerUnit != nil && categoryKnown(p.Scope3Category)
}

func calculatePurchases(c *calculation, p *purchases) {
	c.note(NoticeSupplied, "kgCO2ePerUnit", "The factor came with the record.")
	category := categoryGoods
	if c.second() {
		category = c.bought(p.Category)
	}
	category = c.stated(p.Scope3Category, category)
	c.add(entry{value: *p.KgCO2ePerUnit, quantity: exactly(*p.Amount), unit: p.Currency, stage: Combined, scope: 3, category: category,
		geography: 3, technology: 5})
}

// purchasesDoc describes the type to its users.
func purchasesDoc() doc {
	return doc{
		place:       12,
		description: "Money spent where no amount is known, with a factor of one's own.",
		formula:     "amount × kgCO2ePerUnit, the factor per unit of currency that comes with the record",
		fields: []fieldDoc{
			{"country", "Where it was bought, ISO 3166-1 alpha-2 in any case; absent, the event's.", ``},
			{"category", "What was bought. Do not count by money what other records count by amount.", ``},
			{"amount", "Money spent, in currency.", ``},
			{"currency", "ISO 4217 code in any case.", ``},
			{"kgCO2ePerUnit", "Factor per unit of the currency.", ``},
			{"factorSource", "Where the factor comes from: publication, year and row.", ``},
			{"scope3Category", scope3CategoryText, ``},
		},
		examples: []string{
			`{"category":"security","amount":12500,"currency":"GBP","kgCO2ePerUnit":0.12,"factorSource":"Supplier report 2025, table 3","evidence":[{"name":"Invoice 2026-118"}]}`,
		},
	}
}
