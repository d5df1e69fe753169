package footprint

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

// catering is the input of a catering record.
type catering struct {
	Country       string                     `json:"country,omitempty"`
	Meals         *int64                     `json:"meals,omitempty"`
	Diet          string                     `json:"diet,omitempty"`
	MealType      string                     `json:"mealType,omitempty"`
	Drinks        map[string]decimal.Decimal `json:"drinks,omitempty"`
	Servings      map[string]int64           `json:"servings,omitempty"`
	WastedPercent *decimal.Decimal           `json:"wastedPercent,omitempty"`
	Derived       derived                    `json:"derived,omitempty"`
	common
}

var _ = define("catering",
	cateringDoc(),
	decodeCatering, calculateCatering, chainCatering)

// diets and their rows; mixed is the mean of the other five.
var diets = [...]struct{ name, row string }{
	{"vegan", "food.meal.vegan"},
	{"vegetarian", "food.meal.vegetarian"},
	{"fish", "food.meal.white_fish"},
	{"white_meat", "food.meal.chicken"},
	{"red_meat", "food.meal.beef"},
	{mixed, "food.meal.average"},
}

// mealTypes are the occasions; the factors are those of a main meal.
var mealTypes = [...]struct {
	name string
	main bool
}{{"main", true}, {"lunch", true}, {"dinner", true}, {"breakfast", false}, {"snack", false}}

// drinks and their rows, in the order of their names.
var drinks = [...]struct{ name, row string }{
	{"beer", "drink.beer.litre"},
	{"bottled_water", "drink.bottled_water.litre"},
	{"cocktail", "drink.ngc.cocktail.litre"},
	{"coffee", "drink.coffee.litre"},
	{"cow_milk", "drink.cow_milk.litre"},
	{"fruit_juice", "drink.ngc.fruit_juice.litre"},
	{"soft_drink", "drink.soft_drink.litre"},
	{"soy_milk", "drink.soy_milk.litre"},
	{"tap_water", "drink.tap_water.litre"},
	{"tea", "drink.tea.litre"},
	{"wine", "drink.wine.litre"},
}

func decodeCatering(d *decoder, m *catering) {
	d.RequireOneOf("meals", "drinks", "servings")
	d.RequireWith("meals", "diet")
	d.RequireWith("diet", "meals")
	m.Country = d.country(false)
	if n, ok := d.Integer("meals", 0, 10_000_000); ok {
		m.Meals = &n
	}
	names := make([]string, 0, len(diets))
	for _, v := range diets {
		names = append(names, v.name)
	}
	m.Diet, _ = d.Enum("diet", names...)
	types := make([]string, 0, len(mealTypes))
	for _, v := range mealTypes {
		types = append(types, v.name)
	}
	m.MealType, _ = d.Enum("mealType", types...)
	m.Drinks = d.drinks()
	m.Servings = d.servings()
	m.WastedPercent = d.amount("wastedPercent", hundred)
	d.requireServed(m)
	if m.Meals == nil && !d.Has("meals") && d.Faults() == 0 {
		// Without meals, every diet is valid.
		m.Meals, m.Diet = new(int64), mixed
		m.Derived.put("meals", 0)
		m.Derived.put("diet", mixed)
	}
}

// requireServed adds a fault where drinks and servings name nothing and there are no meals: the record would say nothing.
// Stored records are not decoded, so those that were created so remain.
func (d *decoder) requireServed(m *catering) {
	if d.Has("meals") || len(m.Drinks) > 0 || len(m.Servings) > 0 || d.Faults() > 0 {
		return
	}
	for _, v := range [...]struct{ field, example string }{{"servings", `{"coffee": 120}`}, {"drinks", `{"coffee": 18.5}, in litres`}} {
		if d.Has(v.field) {
			d.Fault(apperr.Detail{Field: v.field, Code: fields.Required,
				Message: fmt.Sprintf("%s names nothing that was served. Write what and how much, such as %s, or state meals and diet.", v.field, v.example)})
			return
		}
	}
}

// drinks reads the litres of each drink. A drink without a factor is a fault, since its litres would be lost
// otherwise.
func (d *decoder) drinks() map[string]decimal.Decimal {
	r, ok := d.Object("drinks")
	if !ok {
		return nil
	}
	out := make(map[string]decimal.Decimal)
	names := make([]string, 0, len(drinks))
	for _, v := range drinks {
		names = append(names, v.name)
		if litres, ok := r.Decimal(v.name, decimalZero, maxQuantity); ok {
			out[v.name] = litres
		}
	}
	for _, path := range r.Unknown() {
		d.Fault(apperr.Detail{Field: path, Code: FactorUnavailable, Suggestions: suggested(strings.TrimPrefix(path, r.Path("")), names), Message: "No factor is available for this drink."})
	}
	r.Ignore(r.Names()...)
	d.Document("drinks", func(p *fields.Property) { p.Closed = true })
	return out
}

func (m *catering) complete() bool { return m.Meals != nil || m.Drinks != nil || m.Servings != nil }

func calculateCatering(c *calculation, m *catering) {
	row, main := "", true
	for _, v := range diets {
		if v.name == m.Diet {
			row = v.row
		}
	}
	for _, v := range mealTypes {
		main = main && (v.name != m.MealType || v.main)
	}
	switch {
	case m.Meals == nil || m.Derived.has("meals"):
	case main:
		c.serve(m, row, "diet", whole(*m.Meals), "meal", m.Diet == mixed)
	default:
		light, grams := light(m.MealType, m.Diet)
		c.serving(m, light, grams, "meals", whole(*m.Meals))
	}
	c.serveAll(m)
	for _, v := range drinks {
		if litres, ok := m.Drinks[v.name]; ok {
			c.serve(m, v.row, "drinks."+v.name, exactly(litres), "litre", false)
		}
	}
}

// serve adds the line of a meal or drink.
func (c *calculation) serve(m *catering, row, field string, q quantity, unit string, mean bool) {
	f := c.engine.set.Ref(row)
	if f == nil {
		c.unavailable(apperr.Detail{Field: field, Message: "The factor set has no factor for it."})
		return
	}
	e := entry{factor: f, quantity: q, unit: unit, stage: Combined, scope: 3, category: categoryGoods, technology: 1}
	if mean {
		e.technology = 2
	}
	e.geography = c.foreign(f, m.Country)
	c.add(e)
}

// chainCatering reports how the amounts multiply.
func chainCatering(q *Chain, m *catering, l *Line) {
	for _, v := range diets {
		if v.row == l.FactorID && v.name == m.Diet {
			q.count(*m.Meals, "meal", "meals")
			return
		}
	}
	for _, v := range drinks {
		if litres, ok := m.Drinks[v.name]; ok && v.row == l.FactorID {
			q.measure(&litres, "litre", "litres")
			return
		}
	}
	q.served(m, l)
}

// cateringDoc describes the type to its users.
func cateringDoc() doc {
	about := doc{
		place:       7,
		answered:    []string{"meals", "diet"},
		bought:      []string{"catering", "food", "meal"},
		description: "Main meals by diet, and drinks by the litre.",
		informative: []string{"wastedPercent"},
		formula:     "meals × factor of the diet + Σ litres × factor of the drink",
		fields: []fieldDoc{
			{"country", "Where it took place, as an ISO 3166-1 alpha-2 code. Absent: the country of the event. If no factor is published for the country, a proxy is used and a notice says so.", ``},
			{"meals", "Meals that were produced, including wasted ones.", ``},
			{"diet", "The diet; mixed is the average of the others.", ``},
			{"mealType", "Occasion. A breakfast is the average of three kinds (which servings names); a snack is 150 g of finger food.", `"main"`},
			{"drinks", "Litres of each drink.", ``},
			{"servings", "Numbers of servings by the piece: breakfasts, canapés, cups, glasses, bottles, kegs. Neither meals nor diet is needed with it.", ``},
			{"wastedPercent", "Share of the meals that was thrown away. It is for information only: wasted meals were produced too and count.", ``},
		},
		ways: []way{
			{title: "By meals", help: "Meals that were made, by diet.",
				needs: []string{"meals", "diet"}, more: []string{"mealType", "wastedPercent"}, example: `{"meals":120,"diet":"mixed"}`},
			{title: "By servings", help: "What is counted by the piece: breakfasts, canapés, cups, glasses, kegs.",
				needs: []string{"servings"}, example: `{"servings":{"coffee":900}}`},
			{title: "By litres of drinks", help: "Litres of each drink.",
				needs: []string{"drinks"}, example: `{"drinks":{"coffee":60,"tap_water":200}}`},
		},
		examples: []string{
			`{"meals":400,"diet":"vegetarian","mealType":"lunch","drinks":{"coffee":60,"tap_water":200}}`,
			`{"meals":120,"diet":"mixed","wastedPercent":8}`,
			`{"servings":{"coffee":900}}`,
			`{"servings":{"wine_bottle":180,"beer_keg_50l":20}}`,
		},
	}
	for _, v := range drinks {
		about.fields = append(about.fields, fieldDoc{"drinks." + v.name, "Litres of " + strings.ReplaceAll(v.name, "_", " ") + ".", ``})
	}
	for _, v := range servings {
		about.fields = append(about.fields, fieldDoc{"servings." + v.name, "Number of servings: " + strings.ReplaceAll(v.name, "_", " ") + ".", ``})
	}
	return about
}
