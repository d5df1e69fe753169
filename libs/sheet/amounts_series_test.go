package sheet_test

import "testing"

// TestSeries: tables with amounts by month, week or day (testdata/series.txt).
func TestSeries(t *testing.T) {
	t.Parallel()
	for _, table := range expectedTables(t, "testdata/series.txt", 9) {
		table.check(t, countedRows(t, table.typ, table.country, table.text+"\n"))
	}
}
