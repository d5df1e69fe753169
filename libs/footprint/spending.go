package footprint

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
	"github.com/eventcarbon/ecf/libs/spend"
)

// spendCategories map the categories of the first release to those of the models. Energy has none: every bill has its
// quantity.
var spendCategories = map[string]string{
	"flights": "air_fares", "accommodation": "hotel", "venue": "venue_hire", "waste": "waste_collection", "ground-transport": "taxi", "freight": "haulage",
	"catering": "catering_service", "materials": "other_goods", "water": "water_supply", "digital": "streaming_hosting", "audio_visual": "av_hire",
	"decoration": "plants_flowers", "entertainment": "performing_groups", "gifts": "trophies_gifts", "marketing": "advertising", "print": "printing",
	"stand_construction": "stand_build", "staffing": "temporary_staff", "other": "other_services",
}

// spendCategory returns the category that the models price.
func spendCategory(name string) (spend.Category, bool) {
	if id, ok := spendCategories[name]; ok {
		name = id
	}
	return spend.ByID(name)
}

// priced adds the faults of an amount that the models cannot price.
func (d *decoder) priced(p *purchases, year int) {
	if p.KgCO2ePerUnit != nil || d.Has("kgCO2ePerUnit") || d.Has("supplierFactor") || p.Category == "" || p.Currency == "" {
		return
	}
	c, ok := spendCategory(p.Category)
	if !ok {
		d.Fault(apperr.Detail{Field: "category", Code: FactorUnavailable, Suggestions: []string{"energy"},
			Message: p.Category + " has no spend factor, because its amount is on the bill. Use the record type for it, or give kgCO2ePerUnit with factorSource and evidence."})
		return
	}
	steps, err := spend.Models(c, p.Currency, year)
	if err != nil {
		d.Fault(notHeld(err))
		return
	}
	f := factors.Supplement().Ref(steps[0].Factor)
	if f == nil || d.Faults() > 0 {
		return // the calculation reports what is missing
	}
	perUnit := new(big.Rat).Mul(p.net(), new(big.Rat).Mul(steps[0].Multiplier, decimalRat(f.KgCO2e)))
	value := rounded(perUnit)
	p.KgCO2ePerUnit, p.FactorSource = &value, shortened(f.ID+": "+f.Source)
	p.Derived.put("kgCO2ePerUnit", value)
	p.Derived.put("factorSource", p.FactorSource)
}

// rounded returns a ratio with nine decimals.
func rounded(r *big.Rat) decimal.Decimal {
	return decimal.New(fixed.Quo(new(big.Int).Mul(r.Num(), big.NewInt(1e9)), r.Denom()).Int64(), 9)
}

// net is the share of an amount that is not tax.
func (p *purchases) net() *big.Rat {
	if p.VATIncluded == nil || !*p.VATIncluded || p.VATRate == nil {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).Quo(big.NewRat(100, 1), new(big.Rat).Add(big.NewRat(100, 1), decimalRat(*p.VATRate)))
}

// yearOfPurchase is the year of a purchase: that of its date, else the event's, else the factor set's. The date is read
// with the fields of every type, later on: with false it has a fault that is reported there.
func (d *decoder) yearOfPurchase() (year int, ok bool) {
	if raw, given := d.Raw("date"); given {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return 0, false
		}
		day, err := time.Parse(time.DateOnly, text)
		return day.Year(), err == nil
	}
	if y := YearOf(d.ev.StartDate); y > 0 {
		return y, true
	}
	return d.engine.set.Year, true
}

// notHeld is the fault of a currency or a year without prices. Only currencies
// are suggested: another year is another purchase.
func notHeld(err error) apperr.Detail {
	e, ok := errors.AsType[*spend.NotHeldError](err)
	if !ok {
		return apperr.Detail{Field: "category", Code: FactorUnavailable, Message: "No figure can be calculated from money for this category."}
	}
	out := apperr.Detail{Field: e.Field, Code: FactorUnavailable, Message: upperFirst(e.Error()) + "."}
	if e.Field == "currency" {
		out.Suggestions = e.Held
	}
	return out
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// modelled is the result of one model.
type modelled struct {
	step     spend.Step
	factor   *factors.Factor
	quantity quantity
	mass     Mass
}

// spent prices an amount by the model of its currency, and adds a notice on the other one: the interval covers both,
// and at least a factor of 2.
func (c *calculation) spent(p *purchases) {
	category, ok := spendCategory(p.Category)
	if !ok {
		c.unavailable(apperr.Detail{Field: "category", Message: "No spend factor is available for " + p.Category + "."})
		return
	}
	year := c.year
	if year == 0 {
		year = c.engine.set.Year
	}
	steps, err := spend.Models(category, p.Currency, year)
	if err != nil {
		c.unavailable(notHeld(err))
		return
	}
	amount := exactly(*p.Amount)
	if p.VATIncluded != nil && *p.VATIncluded {
		amount = quantity{ratio: new(big.Rat).Mul(amount.rat(), p.net())}
	}
	var models []modelled
	for _, s := range steps {
		f := c.supplement(s.Factor, "category")
		if f == nil {
			return
		}
		q := quantity{ratio: new(big.Rat).Mul(amount.rat(), s.Multiplier)}
		models = append(models, modelled{s, f, q, q.mass(f.KgCO2e)})
	}
	first := models[0]
	if first.step.IndexYear != year && !c.quiet {
		c.note(NoticePriceYear, "date", "Prices of %d are not held; those of %d were used.", year, first.step.IndexYear)
	} else if first.step.IndexYear != year {
		c.note(NoticePriceYear, "date", "")
	}
	c.noteModels(category, models)
	c.assume(NoticeSpend, c.better(category), distance(models))
	c.least = Assumed
	e := entry{factor: first.factor, quantity: first.quantity, unit: first.step.Currency + " of " + strconv.Itoa(first.step.Year), stage: Combined, scope: 3,
		category: categoryGoods, technology: 5}
	if c.second() {
		e.category = c.bought(p.Category)
	}
	e.category = c.stated(p.Scope3Category, e.category)
	e.geography = c.foreign(first.factor, p.Country)
	c.add(e)
}

// distance is the 95 % factor of a spend-based figure: 2 if both models lie within it, else 3, and at least their
// ratio.
func distance(models []modelled) *big.Rat {
	least := big.NewRat(3, 1)
	if len(models) < 2 || models[0].mass.IsZero() || models[1].mass.IsZero() {
		return least
	}
	ratio := new(big.Rat).SetFrac(models[0].mass.Big(), models[1].mass.Big())
	if ratio.Cmp(big.NewRat(1, 1)) < 0 {
		ratio.Inv(ratio)
	}
	switch {
	case ratio.Cmp(big.NewRat(2, 1)) <= 0:
		return big.NewRat(2, 1)
	case ratio.Cmp(least) <= 0:
		return least
	}
	return ratio
}

// better returns the record type that would count the category by quantity.
func (c *calculation) better(category spend.Category) string {
	for _, t := range category.Better {
		if Known(t) && t != c.typ {
			return t
		}
	}
	return "kgCO2ePerUnit"
}

// noteModels adds a notice with both models, and the better alternative.
func (c *calculation) noteModels(category spend.Category, models []modelled) {
	if c.quiet {
		c.note(NoticeSpend, "amount", "")
		return
	}
	parts := make([]string, 0, len(models))
	for _, m := range models {
		text := fmt.Sprintf("%s kg by %s (%s)", m.mass.Kilograms(), m.factor.ID, m.factor.Source)
		if m.step.Explanation != "" {
			text += ", " + m.step.Explanation
		}
		parts = append(parts, text)
	}
	message := "Priced by what it cost: " + strings.Join(parts, "; for comparison ") + "."
	if category.Nudge != "" {
		message += " " + upperFirst(category.Nudge)
		if !strings.Contains(category.Nudge, "would be better") {
			message += " would be better"
		}
		types := slices.DeleteFunc(slices.Clone(category.Better), func(t string) bool { return !Known(t) || t == c.typ })
		if len(types) > 0 {
			message += ", in a record of " + strings.Join(types, " or ")
		}
		message += "."
	}
	c.note(NoticeSpend, "amount", "%s", message)
}
