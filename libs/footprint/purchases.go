package footprint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/spend"
)

// purchases is the input of a purchases record: spending, with a factor of its own, or priced by two published
// models.
type purchases struct {
	Country       string           `json:"country,omitempty"`
	Category      string           `json:"category"`
	Amount        *decimal.Decimal `json:"amount"`
	Currency      string           `json:"currency"`
	VATIncluded   *bool            `json:"vatIncluded,omitempty"`
	VATRate       *decimal.Decimal `json:"vatRate,omitempty"`
	KgCO2ePerUnit *decimal.Decimal `json:"kgCO2ePerUnit,omitempty"`
	FactorSource  string           `json:"factorSource,omitempty"`
	// Scope3Category is the category stated, or empty.
	Scope3Category string `json:"scope3Category,omitempty"`
	supplied
	Derived derived `json:"derived,omitempty"`
	common
}

var _ = define("purchases",
	purchasesDoc(),
	decodePurchases, calculatePurchases, chainPurchases)

// otherPurchases are the categories that no record type counts by amount.
var otherPurchases = []string{
	"audio_visual", "cleaning", "decoration", "entertainment", "gifts", "insurance", "marketing", "print", "security", "software",
	"stand_construction", "staffing", "other",
}

// purchaseCategories are the categories of purchases: the record types first, so that spending and quantities of one
// thing can be found to count twice.
func purchaseCategories() []string {
	var out []string
	for _, t := range registry() {
		if len(t.doc.bought) > 0 {
			out = append(out, t.name)
		}
	}
	out = append(out, otherPurchases...)
	for _, c := range spend.Categories() {
		if !slices.Contains(out, c.ID) {
			out = append(out, c.ID)
		}
	}
	return out
}

func decodePurchases(d *decoder, p *purchases) {
	d.Require("category", "amount", "currency")
	d.RequireWith("kgCO2ePerUnit", "factorSource", "evidence")
	d.RequireWith("factorSource", "kgCO2ePerUnit")
	p.Country = d.country(false)
	p.Category, _ = d.Enum("category", purchaseCategories()...)
	p.Amount = d.amount("amount", maxQuantity)
	p.Currency = d.currency()
	p.KgCO2ePerUnit = d.amount("kgCO2ePerUnit", decimal.FromInt(10_000))
	p.FactorSource, _ = d.String("factorSource", 1, maxText)
	p.Scope3Category = d.scope3Category()
	d.purchasedFrom(p)
	p.VATIncluded = d.flag("vatIncluded")
	if rate, ok := d.Decimal("vatRate", decimalZero, hundred); ok {
		p.VATRate = &rate
	}
	if p.VATIncluded != nil && *p.VATIncluded && p.KgCO2ePerUnit == nil && !d.Has("supplierFactor") {
		d.RequireWith("vatIncluded", "vatRate")
	}
	if year, ok := d.yearOfPurchase(); ok {
		d.priced(p, year)
	}
}

// purchasedFrom reads the supplier's factor of a purchase, which is per unit of its
// currency.
func (d *decoder) purchasedFrom(p *purchases) {
	p.supplied = d.supplierFactor(func(f SupplierFactor) string {
		if p.Currency != "" && !strings.EqualFold(f.Unit, p.Currency) {
			return "purchases need one per " + p.Currency + ". An amount in its own unit belongs into a custom record."
		}
		return ""
	})
	if p.Supplier == nil {
		return
	}
	if p.KgCO2ePerUnit != nil || d.Has("kgCO2ePerUnit") {
		d.Fault(apperr.Detail{Field: "kgCO2ePerUnit", Code: fields.NotAllowed, Message: "kgCO2ePerUnit cannot be combined with supplierFactor, which determines it. Leave out one of the two."})
		return
	}
	p.KgCO2ePerUnit, p.FactorSource = &p.Supplier.KgCO2ePerUnit, shortened(p.Supplier.Reference()+": "+p.Supplier.Source)
	p.Derived.put("kgCO2ePerUnit", *p.KgCO2ePerUnit)
	p.Derived.put("factorSource", p.FactorSource)
}

// shortened cuts a text to the maximum length of a field.
func shortened(text string) string {
	if r := []rune(text); len(r) > maxText {
		return string(r[:maxText])
	}
	return text
}

// currency reads a code of ISO 4217 in any case and returns it in upper case. It
// only names the unit of the factor, so any three letters will do.
func (d *decoder) currency() string {
	text, ok := d.String("currency", 0, maxText)
	d.Document("currency", func(p *fields.Property) { p.MinLength, p.MaxLength, p.Pattern = 0, 0, "^[A-Za-z]{3}$" })
	if !ok {
		return ""
	}
	code := strings.ToUpper(text)
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		d.Fault(apperr.Detail{Field: "currency", Code: currencyFault(text), Suggestions: currencySigns[strings.TrimSpace(text)],
			Message: fmt.Sprintf("currency must be an ISO 4217 code such as EUR; got %q.", shorten(text))})
		return "" // no prices are looked for
	}
	return code
}

// currencyFault returns the error code of an invalid currency.
func currencyFault(text string) string {
	switch n := utf8.RuneCountInString(text); {
	case n < 3:
		return fields.TooShort
	case n > 3:
		return fields.TooLong
	default:
		return fields.BadFormat
	}
}

// currencySigns are the codes that people mean by the signs of invoices.
var currencySigns = map[string][]string{
	"€": {"EUR"}, "£": {"GBP"}, "$": {"USD", "CAD", "AUD"}, "US$": {"USD"}, "¥": {"JPY", "CNY"}, "Fr.": {"CHF"}, "SFr.": {"CHF"}, "kr": {"SEK", "NOK", "DKK"}, "zł": {"PLN"}, "₹": {"INR"},
}

func (p *purchases) complete() bool {
	return p.Amount != nil && categoryKnown(p.Scope3Category)
}

func calculatePurchases(c *calculation, p *purchases) {
	if p.Supplier != nil {
		category := cmp.Or(p.Supplier.Scope3Category, categoryGoods)
		if c.second() && p.Supplier.Scope3Category == "" {
			category = c.bought(p.Category)
		}
		c.fromSupplier(p.Supplier, exactly(*p.Amount), 3, c.stated(p.Scope3Category, category))
		return
	}
	if p.KgCO2ePerUnit == nil || p.Derived.has("kgCO2ePerUnit") {
		c.spent(p)
		return
	}
	c.note(NoticeSupplied, "kgCO2ePerUnit", "The factor came with the record.")
	category := categoryGoods
	if c.second() {
		category = c.bought(p.Category)
	}
	category = c.stated(p.Scope3Category, category)
	c.add(entry{value: *p.KgCO2ePerUnit, quantity: exactly(*p.Amount), unit: p.Currency, stage: Combined, scope: 3, category: category,
		geography: 3, technology: 5})
}

// chainPurchases reports how the amounts multiply. What the ratio of
// prices and currencies is made of is in a notice.
func chainPurchases(q *Chain, p *purchases, l *Line) {
	q.amount(p.Amount, p.Currency)
	if l.Unit == p.Currency {
		return
	}
	if p.VATIncluded != nil && *p.VATIncluded && p.VATRate != nil {
		net := p.net()
		q.terms = append(q.terms, Term{net, net.RatString(), "without VAT"})
	}
	category, _ := spendCategory(p.Category)
	year := cmp.Or(YearOf(p.Date), YearOf(q.ev.StartDate), q.set.Year)
	if steps, err := spend.Models(category, p.Currency, year); err == nil && len(steps) > 0 {
		q.terms = append(q.terms, Term{steps[0].Multiplier, steps[0].Multiplier.RatString(), "of prices"})
	}
}

// purchasesDoc describes the type to its users.
func purchasesDoc() doc {
	return doc{
		place:       12,
		answered:    []string{"kgCO2ePerUnit", "factorSource", "evidence"},
		informative: []string{"category"},
		description: "Spending for which no amount is known, calculated with two published models or with your own factor.",
		formula:     "amount without VAT × price index and exchange rate to the factor's year and currency × spend factor of the category; or amount × kgCO2ePerUnit, the factor per unit of currency that comes with the record",
		fields: []fieldDoc{
			{"country", "Where it was bought, as an ISO 3166-1 alpha-2 code. Absent: the country of the event.", ``},
			{"category", "What was bought. Do not record spending on what other records count by amount.", ``},
			{"amount", "Money spent, in currency.", ``},
			{"currency", "ISO 4217 code, such as EUR.", ``},
			{"vatIncluded", "Whether the amount includes value-added tax, which the models exclude; vatRate states the rate.", `false`},
			{"vatRate", "Rate of the value-added tax in the amount, in percent.", ``},
			{"kgCO2ePerUnit", "Factor per unit of the currency, with factorSource and evidence. Absent: the published spend factors of the category.", ``},
			{"factorSource", "Where the factor comes from: publication, year and row.", ``},
			{"scope3Category", scope3CategoryText, ``},
			{"supplierFactor", supplierFactorText + " It is per unit of the currency and replaces kgCO2ePerUnit and factorSource.", ``},
		},
		ways: []way{
			{title: "By published models", help: "Priced by two spend models; rough, and marked as assumed.",
				needs: []string{"category", "amount", "currency"}, more: []string{"date", "vatIncluded", "vatRate", "scope3Category"}, example: `{"category":"av_hire","amount":8400,"currency":"GBP","date":"2026-05-12"}`},
			{title: "With the supplier's figure", help: "A factor per unit of currency that comes with the record, with evidence.",
				needs: []string{"category", "amount", "currency", "kgCO2ePerUnit", "factorSource", "evidence"}, more: []string{"scope3Category"}, example: `{"category":"security","amount":12500,"currency":"GBP","kgCO2ePerUnit":0.12,"factorSource":"Supplier report 2025, table 3","evidence":[{"name":"Invoice 2026-118"}]}`},
			{title: "With a supplier's factor", help: "A factor per unit of currency from the organization's library.",
				needs: []string{"category", "amount", "currency", "supplierFactor"}, more: []string{"scope3Category"},
				example: `{"category":"security","amount":12500,"currency":"GBP","supplierFactor":"Guardian Events, services"}`},
		},
		examples: []string{
			`{"category":"av_hire","amount":8400,"currency":"GBP","date":"2026-05-12"}`,
			`{"category":"security","amount":12500,"currency":"GBP","kgCO2ePerUnit":0.12,"factorSource":"Supplier report 2025, table 3","evidence":[{"name":"Invoice 2026-118"}]}`,
		},
	}
}
