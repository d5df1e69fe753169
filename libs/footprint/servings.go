package footprint

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// servings are items counted by the piece, cup, glass or bottle, with the rows of the supplement; several rows make
// one serving. A row per kg is multiplied by grams.
var servings = [...]struct {
	name  string
	rows  []string
	grams string
}{
	{"beer_330ml", []string{"drink.beer.330"}, ""},
	{"beer_half_pint", []string{"drink.beer.half"}, ""},
	{"beer_keg_50l", []string{"drink.beer.keg50"}, ""},
	{"beer_pint", []string{"drink.beer.pint"}, ""},
	{"breakfast", []string{"food.breakfast.average"}, ""},
	{"breakfast_continental", []string{"food.breakfast.continental"}, ""},
	{"breakfast_cooked", []string{"food.breakfast.cooked"}, ""},
	{"breakfast_vegan", []string{"food.breakfast.vegan"}, ""},
	{"canapes", []string{"food.snack.finger_mixed.kg"}, "choice.snack.serving"},
	{"canapes_vegetarian", []string{"food.snack.finger_vegetarian.kg"}, "choice.snack.serving"},
	{"cocktail_150ml", []string{"drink.cocktail.150"}, ""},
	{"coffee", []string{"drink.coffee.cup", "drink.milk_portion.50ml"}, ""},
	{"coffee_black", []string{"drink.coffee.cup"}, ""},
	{"coffee_soy", []string{"drink.coffee.cup", "drink.soy_portion.50ml"}, ""},
	{"fruit_juice_200ml", []string{"drink.juice.200"}, ""},
	{"hot_chocolate", []string{"drink.hot_chocolate.cup"}, ""},
	{"pastry", []string{"food.snack.pastry.kg"}, "choice.pastry.serving"},
	{"soft_drink_330ml", []string{"drink.soft.330"}, ""},
	{"tap_water_500ml", []string{"drink.water.tap.500"}, ""},
	{"tea", []string{"drink.tea.cup"}, ""},
	{"water_500ml", []string{"drink.water.500"}, ""},
	{"wine_125ml", []string{"drink.wine.125"}, ""},
	{"wine_175ml", []string{"drink.wine.175"}, ""},
	{"wine_bottle", []string{"drink.wine.bottle"}, ""},
}

// servings reads the number of each serving. One without a factor is a fault, since it would be lost otherwise.
func (d *decoder) servings() map[string]int64 {
	r, ok := d.Object("servings")
	if !ok {
		return nil
	}
	out := make(map[string]int64)
	names := make([]string, 0, len(servings))
	for _, v := range servings {
		names = append(names, v.name)
		if n, ok := r.Integer(v.name, 0, 100_000_000); ok {
			out[v.name] = n
		}
	}
	for _, path := range r.Unknown() {
		d.Fault(apperr.Detail{Field: path, Code: FactorUnavailable, Suggestions: suggested(strings.TrimPrefix(path, r.Path("")), names), Message: "No factor is available for this serving."})
	}
	r.Ignore(r.Names()...)
	d.Document("servings", func(p *fields.Property) { p.Closed = true })
	return out
}

// serveAll adds the lines of servings.
func (c *calculation) serveAll(m *catering) {
	for _, v := range servings {
		n, ok := m.Servings[v.name]
		if !ok {
			continue
		}
		for _, row := range v.rows {
			c.serving(m, row, v.grams, "servings."+v.name, whole(n))
		}
	}
}

// serving adds the line of one row; grams names the row of the weight of a
// serving where the factor is per kg.
func (c *calculation) serving(m *catering, row, grams, field string, q quantity) {
	f := c.supplement(row, field)
	if f == nil {
		return
	}
	e := entry{factor: f, quantity: q, unit: f.Unit, stage: Combined, scope: 3, category: categoryGoods, technology: 2}
	e.variance = varianceOf(spreadOfFactor(f))
	if grams != "" {
		d, ok := c.stand(grams, field)
		if !ok {
			return
		}
		e.quantity, e.unit, e.atBest = q.by(d.Value).perThousand(), "kg", Assumed
		e.variance = sum(e.variance, varianceOf(spreadOf(d)))
		c.note(NoticeServings, field, "A serving was taken as %s g, a choice without a published weight. Kilograms, or pieces and their grams, would be better.", d.Value)
		c.assumptions = append(c.assumptions, assumption{NoticeServings, field, varianceOf(spreadOf(d))})
	}
	e.geography = c.foreign(f, m.Country)
	c.add(e)
}

// served adds the servings of a line. Those that several kinds of servings have in common explain themselves.
func (q *Chain) served(m *catering, l *Line) {
	serve := func(n int64, grams string) {
		q.count(n, "serving", "servings")
		if d, ok := factors.Supplement().Default(grams); ok {
			q.amount(&d.Value, "g")
			q.ratio(1, 1000, "")
		}
	}
	if row, grams := light(m.MealType, m.Diet); row == l.FactorID && m.Meals != nil {
		serve(*m.Meals, grams)
		if q.is(l, &m.common) {
			return
		}
	}
	for _, v := range servings {
		if n, ok := m.Servings[v.name]; ok && slices.Contains(v.rows, l.FactorID) {
			q.terms = nil
			serve(n, v.grams)
			if q.is(l, &m.common) {
				return
			}
		}
	}
}

// light are the rows of meals that are not main ones, by diet.
func light(mealType, diet string) (row, grams string) {
	plants := diet == "vegan" || diet == "vegetarian"
	switch {
	case mealType == "breakfast" && diet == "vegan":
		return "food.breakfast.vegan", ""
	case mealType == "breakfast":
		return "food.breakfast.average", ""
	case plants:
		return "food.snack.finger_vegetarian.kg", "choice.snack.serving"
	}
	return "food.snack.finger_mixed.kg", "choice.snack.serving"
}
