package expected

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
)

// Row is a line of the calculation: a quantity times a published figure.
type Row struct {
	Record   string // external reference of the record
	Type     string // flights, accommodation, venue or waste
	Formula  string // how the quantity was calculated
	Quantity string // rounded to twelve decimals if it has no finite expansion
	Unit     string
	FactorID string
	PerUnit  string // kg CO2e per unit
	Stage    string // direct, upstream or combined
	Scope    string // 1, 2 or 3
	Kg       Milligrams
}

// Table is the calculation of the whole event, in the order of its records.
type Table []Row

var header = []string{"record", "type", "formula", "quantity", "unit", "factor_id", "kg_per_unit", "stage", "scope", "kg"}

const totalLabel = "total"

// Total returns the footprint of the event.
func (t Table) Total() Milligrams {
	var sum Milligrams
	for _, row := range t {
		sum += row.Kg
	}
	return sum
}

// By sums the lines by a key, such as the record or the stage of a line.
func (t Table) By(key func(Row) string) map[string]Milligrams {
	sums := map[string]Milligrams{}
	for _, row := range t {
		sums[key(row)] += row.Kg
	}
	return sums
}

// Write writes the table as CSV, with the total as its last line.
func (t Table) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{header}
	for _, r := range t {
		rows = append(rows, []string{r.Record, r.Type, r.Formula, r.Quantity, r.Unit, r.FactorID, r.PerUnit, r.Stage, r.Scope, r.Kg.String()})
	}
	last := make([]string, len(header))
	last[0], last[len(last)-1] = totalLabel, t.Total().String()
	return out.WriteAll(append(rows, last))
}

// Read reads a table that Write wrote. It is an error if the total is not the sum of
// the lines.
func Read(path string) (Table, error) {
	var t Table
	var total *Milligrams
	err := eachRow(path, func(cell func(string) string) error {
		kg, err := ParseKg(cell("kg"))
		if err != nil {
			return err
		}
		if cell("record") == totalLabel {
			total = &kg
			return nil
		}
		t = append(t, Row{cell("record"), cell("type"), cell("formula"), cell("quantity"), cell("unit"),
			cell("factor_id"), cell("kg_per_unit"), cell("stage"), cell("scope"), kg})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if total == nil || *total != t.Total() {
		return nil, fmt.Errorf("%s: the last line is not the total %s", path, t.Total())
	}
	return t, nil
}

// writeFile replaces the committed table.
func (t Table) writeFile(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := t.Write(file); err != nil {
		_ = file.Close() // the first error is the more specific one
		return err
	}
	return file.Close()
}
