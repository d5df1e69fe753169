package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/units"
)

// byKind are the columns of amounts of one kind each, in a table that has no column of kinds: Diesel litres and HVO (l) of sources
// of energy, Paper (kg) and Glass (kg) of materials.
type byKind struct {
	*table
	of []kindColumn
	// field is what the kinds are of.
	field string
}

// kindColumn is such a column, with the kind, the field of its amounts and their unit.
type kindColumn struct {
	at                int
	kind, field, unit string
}

// kindFields are the fields of kinds, by type.
var kindFields = map[string]string{"energy": "source", "waste": "material", "materials": "material"}

// find finds the columns. A single one of a material may be about something else.
func (r *byKind) find() {
	if r.field = kindFields[r.typ]; r.field == "" || r.heading(r.field) {
		return
	}
	var found []kindColumn
	for at, head := range r.heads {
		if !r.free(at) {
			continue
		}
		stem, word, _ := unitOfHead(head)
		stem = strings.Join(slices.DeleteFunc(strings.Fields(stem), func(word string) bool { return usedWords.Has(strings.ToLower(word)) }), " ")
		column, unit, ok := inUnits(r.typ, amountWord+" ("+word+")")
		target, _ := units.OfField(column.Name)
		kind := columnOf(r.typ, r.field).values[key(stem)]
		if r.typ == "energy" {
			kind = sourceIn(stem, target.Dimension)
		}
		if ok && kind != "" {
			found = append(found, kindColumn{at, kind, column.Name, cmp.Or(unit, target.Symbol)})
		}
	}
	if r.typ != "energy" && len(found) < 2 {
		return
	}
	r.of = found
	for _, column := range found {
		r.claim(placeAt(column.at), column.field, suffices|shown)
		r.columns[column.at].Type = "number"
		r.use(column.at)
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

// take sets the kind and the amount of a row that has one of them, and returns the fault of a row with several.
func (r *byKind) take(row *row) *apperr.Detail {
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
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{r.field, column.field},
				Message: fmt.Sprintf("%s is %.40s, and the row has another amount beside it; a record has one %s. Write a row for each, with its name in a column %s.", r.heads[column.at], cell, r.field, r.field)}
		}
		first, amount = i, n
	}
	if first < 0 {
		return nil
	}
	column := r.of[first]
	row.put(r.field, column.kind)
	if target, _ := units.OfField(column.field); target.Symbol == column.unit {
		row.put(column.field, amount)
	} else {
		row.stated[column.field] = r.written(amount.String()) + " " + column.unit
	}
	return nil
}
