package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/units"
)

// fuels are the columns of amounts of one source of energy each, in a table that has no column of sources: Diesel litres, HVO (l).
type fuels struct {
	*table
	of []fuelColumn
}

// fuelColumn is such a column, with the source, the field of its amounts and their unit.
type fuelColumn struct {
	at                  int
	source, field, unit string
}

// fuelFields are the fields of amounts of a source, by the dimension of their unit.
var fuelFields = map[string]string{"energy": "energyKWh", "volume": "volumeLitres", "mass": "weightKg"}

// findFuels finds the columns of amounts of one source each.
func (r *fuels) findFuels() {
	if r.typ != "energy" || r.heading("source") {
		return
	}
	for at, head := range r.heads {
		if !r.free(at) {
			continue
		}
		stem, word, _ := unitOfHead(head)
		stem = strings.Join(slices.DeleteFunc(strings.Fields(stem), func(word string) bool { return usedWords.Has(strings.ToLower(word)) }), " ")
		for dimension, field := range fuelFields {
			unit, err := units.ByName(word, dimension)
			source := sourceIn(stem, dimension)
			if err != nil || source == "" {
				continue
			}
			if unit.Symbol == "m3" {
				field = "volumeM3"
			}
			r.of = append(r.of, fuelColumn{at, source, field, unit.Symbol})
			r.claim(placeAt(at), field, suffices|shown)
			r.columns[at].Type = "number"
			r.use(at)
		}
	}
}

// sourceIn returns the source of energy that a heading names, in a unit of a dimension: gas in kilowatt hours is what a building
// is supplied with, and in litres or kilograms it may be another one.
func sourceIn(stem, dimension string) string {
	for field, source := range map[string]string{"electricityKWh": "grid", "gasKWh": "natural_gas", "heatKWh": "district_heat"} {
		if dimension == "energy" && energyWords(field).Has(strings.ToLower(stem)) {
			return source
		}
	}
	return columnOf("energy", "source").values[key(stem)]
}

// takeFuel sets the source and the amount of a row that has one of them, and returns the fault of a row with several.
func (r *fuels) takeFuel(row *row) *apperr.Detail {
	first, amount := -1, decimal.Decimal{}
	for i, column := range r.of {
		cell := Unguard(oneCell(row.cells, column.at))
		n, filled, fault := r.partNumber(column.at, cell)
		if fault != nil {
			return fault
		}
		if !filled || n.Sign() == 0 {
			continue
		}
		if first >= 0 || row.measures(row.typ, false) {
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{"source", column.field},
				Message: fmt.Sprintf("%s is %.40s, and the row has another amount beside it; a record has one source of energy. Write a row for each, with its name in a column source.", r.heads[column.at], cell)}
		}
		first, amount = i, n
	}
	if first < 0 {
		return nil
	}
	column := r.of[first]
	row.put("source", column.source)
	if target, _ := units.OfField(column.field); target.Symbol == column.unit {
		row.put(column.field, amount)
	} else {
		row.stated[column.field] = r.written(amount.String()) + " " + column.unit
	}
	return nil
}
