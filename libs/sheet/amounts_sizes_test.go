package sheet_test

import "testing"

// TestSizes: tables of things with both sides in one cell (testdata/sizes.txt).
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, table := range expectedTables(t, "testdata/sizes.txt", 4) {
		table.check(t, countedRows(t, table.typ, table.country, table.text+"\n"))
	}
}
