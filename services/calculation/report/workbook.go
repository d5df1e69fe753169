package report

import "github.com/eventcarbon/ecf/libs/workbook"

// Column is how a column of the table is shown in a workbook.
type Column struct {
	// Width is in characters.
	Width int
	// Cell returns the cell for a text of the column.
	Cell func(text string) workbook.Cell
}

// ColumnOf returns how a column is shown, by its name. Quantities that are products, such as
// 2 × 120, stay texts.
func ColumnOf(name string) Column {
	switch name {
	case "quantity", "kgCO2ePerUnit", "kgCO2e", "low", "high":
		return Column{16, workbook.Number}
	case "revision", "line", "scope", "factorYear", "legPeople":
		return Column{10, workbook.Number}
	case "date":
		return Column{12, workbook.Date}
	case "recordId":
		return Column{28, workbook.Text}
	case "description", "formula", "factorId", "factorSource", "factorLocation":
		return Column{40, workbook.Text}
	}
	return Column{16, workbook.Text}
}
