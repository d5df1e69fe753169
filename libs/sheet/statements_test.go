package sheet_test

import "testing"

// TestStatements: statements of agencies, railways, hotels and hirers (testdata/statements.txt), and bills of utilities, contractors,
// carriers and caterers (testdata/bills.txt), with what a careful reader counts of each row, as in TestExportedTables. They have
// what such papers have beside the lines that count: exchanges, credit notes, amounts carried forward, what was ordered beside what
// was used, what is fed in, prices in two currencies.
func TestStatements(t *testing.T) {
	t.Parallel()
	for file, least := range map[string]int{"testdata/statements.txt": 53, "testdata/bills.txt": 78} {
		for _, table := range expectedTables(t, file, least) {
			table.check(t, countedRows(t, table.typ, table.country, table.text+"\n"))
		}
	}
}

// TestStatementBooks: workbooks of the same kind (testdata/statementbooks.txt).
func TestStatementBooks(t *testing.T) {
	t.Parallel()
	checkBooks(t, "testdata/statementbooks.txt", 12)
}
