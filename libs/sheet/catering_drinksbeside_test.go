package sheet_test

import "testing"

// TestDrinksBesideMeals: tables of drinks and meals (testdata/drinksbeside.txt).
func TestDrinksBesideMeals(t *testing.T) {
	t.Parallel()
	for _, table := range expectedTables(t, "testdata/drinksbeside.txt", 2) {
		table.check(t, countedRows(t, table.typ, table.country, table.text+"\n"))
	}
}
