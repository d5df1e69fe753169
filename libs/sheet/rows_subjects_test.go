package sheet_test

import (
	"reflect"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// Sewerage is counted with the water that was supplied, and drinks are no main meals: rows about them are refused
// with the column that says so, and rows that are also about water or food are not.
func TestRowsAboutSomethingElse(t *testing.T) {
	t.Parallel()
	const sewerage, drinks = " ROW_NOT_COUNTED", " NOT_ALLOWED"
	for _, c := range []struct {
		head, typ, fault string
		stop, pass       []string
	}{
		{"Service", "water", sewerage,
			[]string{"Sewerage", "Waste water", "Surface water drainage", "Foul sewer", "Schmutzwasser", "Abwasser 1", "Eaux usées", "Assainissement", "Trade effluent"},
			[]string{"Water", "Water & sewerage", "Water supply", "Trinkwasser inkl. Abwasser", "Surface water and mains water", "Frischwasser", "", "Hall A"}},
		{"Item", "catering", drinks,
			[]string{"Coffee", "Coffee & tea station", "Welcome drinks", "House wine, 75 cl", "Kaffeepause", "Softdrinks", "Boissons", "Refreshments", "Orangensaft 0,2 l", "Barista coffee", "Ginger beer", "Filterkaffee", "Café de accueil"},
			[]string{"Lunch", "Lunch incl. drinks", "Afternoon tea", "Coffee and cake", "Beef in red wine", "Beer-battered fish", "Water", "High tea", "Lunch, coffee", "Coq au vin", "Chicken & beer", "Buffet mit Getränken", ""}},
	} {
		for i, cell := range append(append([]string{}, c.stop...), c.pass...) {
			file, want := c.head+";supplyM3\n"+cell+";95\n", `2 {"supplyM3":95}`
			if c.typ == "catering" {
				file, want = "meals;diet;Product\n95;mixed;"+cell+"\n", `2 {"meals":95,"diet":"mixed"}`
				c.head = "Product"
			}
			if i < len(c.stop) {
				want = "2 " + c.head + c.fault
			}
			if got, _, err := all(file, c.typ, sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{want}) {
				t.Errorf("%q: %q, %v, want %s", cell, got, err, want)
			}
		}
	}
	for name, c := range map[string]struct {
		typ, file string
		o         sheet.Options
		want      string
	}{
		"a description":         {"water", "description,supplyM3\nSewerage,95\n", sheet.Options{Rules: sheet.Rules}, "2 description ROW_NOT_COUNTED"},
		"in another unit":       {"water", "description,supply (litres)\nSewerage,95\n", sheet.Options{Rules: sheet.Rules}, "2 description ROW_NOT_COUNTED"},
		"of several types":      {sheet.Mixed, "type,description,supplyM3\nwater,Sewerage,95\n", sheet.Options{Rules: sheet.Rules}, "2 description ROW_NOT_COUNTED"},
		"a site":                {"water", "site,supplyM3\nSewerage works,95\n", sheet.Options{Rules: sheet.Rules}, `2 {"site":"Sewerage works","supplyM3":95}`},
		"an export":             {"water", "_id,description,supplyM3\na,Sewerage,95\n", sheet.Options{Rules: sheet.Rules, Known: []string{"_id"}}, `2 {"description":"Sewerage","supplyM3":95}`},
		"before":                {"water", "description,supplyM3\nSewerage,95\n", sheet.Options{}, `2 {"description":"Sewerage","supplyM3":95}`},
		"a snack that is named": {"catering", "description,meals,diet,mealType\nCoffee break,9,vegan,snack\n", sheet.Options{Rules: sheet.Rules}, `2 {"description":"Coffee break","meals":9,"diet":"vegan","mealType":"snack"}`},
		"coffee by the cup":     {"catering", "description,servings\nCoffee,\"{\"\"coffee\"\":9}\"\n", sheet.Options{Rules: sheet.Rules}, `2 {"description":"Coffee","servings":{"coffee":9}}`},
	} {
		if got, _, err := all(c.file, c.typ, c.o); err != nil || !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, %v, want %s", name, got, err, c.want)
		}
	}
}
