package sheet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// parts are the columns of parts of fields.
type parts struct {
	*table
	of []partColumn
	// unit is that of the parts of energy, and units that of the parts of each field.
	unit  string
	units map[string]string
}

// Words of headings of parts of the energy that was used: by tariff, by time, by meter.
const (
	tariffWords wordlist.List = "tariffWords"
	monthWords  wordlist.List = "monthWords"
	usedWords   wordlist.List = "usedWords"
)

// partColumn is a column of a part of a field: the kilowatt hours of a tariff, the meals of a diet.
type partColumn struct {
	at int
	// field is the field of which it is a part, or of meals the diet; empty: it may be several diets.
	field string
}

// shape is what the heading of a part of the energy states.
type shape struct{ kind, tariff, month, number bool }

// partOfEnergy returns the field and the unit of which a column is a part, and what distinguishes it.
func partOfEnergy(typ, head string) (field, unit string, by shape, ok bool) {
	if typ == "energy" {
		field = "energyKWh"
	}
	for _, word := range strings.FieldsFunc(head, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		lower := strings.ToLower(word)
		of := slices.IndexFunc(buildingEnergy[:], func(kind string) bool { return energyWords(kind).Has(lower) })
		n, err := strconv.Atoi(word)
		u, noUnit := units.ByName(word, "energy")
		switch {
		case noUnit == nil && unit == "":
			unit = u.Symbol
		case of >= 0 && !by.kind:
			if by.kind = true; typ == "venue" {
				field = buildingEnergy[of]
			}
		case tariffWords.Has(lower):
			by.tariff = true
		case monthWords.Has(lower):
			by.month = true
		case err == nil && n > 0 && n < 32:
			by.number = true
		case !usedWords.Has(lower):
			return "", "", shape{}, false
		}
	}
	return field, unit, by, unit != "" && field != "" && (by.tariff || by.month || by.number)
}

// findParts finds the columns of parts of the energy that was used, where all columns of energy are some, of other amounts by month
// or day, and of the meals of each diet.
func (r *parts) findParts() {
	switch r.typ {
	case "energy", "venue":
		r.findEnergy()
	case "catering":
		for at, head := range r.heads {
			if !r.free(at) {
				continue
			}
			if diet, ok := dietOf(head); ok {
				r.addPart(at, diet)
			}
		}
	case "purchases":
		r.findMoneySeries()
	default:
		r.findSeries()
	}
}

// addPart makes a column that of a part.
func (r *parts) addPart(at int, field string) {
	r.of = append(r.of, partColumn{at, field})
	r.claim(placeAt(at), field, suffices)
	r.columns[at].Type = "number"
	r.use(at)
}

func (r *parts) findEnergy() {
	var found []partColumn
	shapes := map[string]shape{}
	for at, head := range r.heads {
		if !r.free(at) || !hasEnergy(head) {
			continue
		}
		field, unit, by, ok := partOfEnergy(r.typ, head)
		if len(found) == 0 {
			r.unit = unit
		}
		if first, known := shapes[field]; !ok || known && by != first || unit != r.unit {
			return // what it is a part of cannot be told
		}
		shapes[field] = by
		found = append(found, partColumn{at, field})
	}
	found = r.withMonths(found)
	for _, part := range found {
		if slices.ContainsFunc(found, func(other partColumn) bool { return other.field == part.field && other.at != part.at }) {
			r.addPart(part.at, part.field)
			r.setUnit(part.field, r.unit)
		}
	}
}

func (r *parts) setUnit(field, unit string) {
	if r.units == nil {
		r.units = map[string]string{}
	}
	r.units[field] = unit
}

// withMonths adds the columns of months without a unit, Jan to Dec, to the parts of the only energy of the table, in the
// unit of its column: the months are more of it, or come to it.
func (r *parts) withMonths(found []partColumn) []partColumn {
	var months []int
	for at, head := range r.heads {
		words := strings.FieldsFunc(strings.ToLower(head), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		words = slices.DeleteFunc(words, func(word string) bool {
			year, err := strconv.Atoi(word)
			return err == nil && year > 1999 && year < 2100
		})
		if r.free(at) && len(words) == 1 && monthWords.Has(words[0]) {
			months = append(months, at)
		}
	}
	field, unit, several := "", r.unit, false
	for _, part := range found {
		several = several || field != "" && field != part.field
		field = part.field
	}
	for at, column := range r.columns {
		target, measured := units.OfField(column.Name)
		if !measured || target.Dimension != "energy" {
			continue
		}
		several = several || field != "" && field != column.Name
		if field = column.Name; len(found) == 0 {
			unit = cmp.Or(r.inUnit[at], target.Symbol)
		}
	}
	if field == "" || several || len(months)+len(found) < 2 {
		return found
	}
	r.unit = unit
	for _, at := range months {
		found = append(found, partColumn{at, field})
	}
	return found
}

// hasEnergy reports whether a heading has a unit of energy.
func hasEnergy(head string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(head, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }), func(word string) bool {
		_, err := units.ByName(word, "energy")
		return err == nil
	})
}

// takeParts adds up the parts of fields in a row, and returns the fault of a row in which they come to another amount
// than the column of the whole, or have several diets.
func (r *parts) takeParts(row *row) *apperr.Detail {
	if len(r.of) == 0 {
		return nil
	}
	if r.typ == "catering" {
		return r.takeDiets(&row.body, row.cells)
	}
	sums, digits := map[string]*big.Rat{}, 0
	for _, part := range r.of {
		cell := oneCell(row.cells, part.at)
		if part.field == moneyField {
			cell, _, _ = money(Unguard(cell))
		}
		n, filled, fault := r.partNumber(part.at, cell)
		if fault != nil {
			return fault
		}
		if filled {
			if sums[part.field] == nil {
				sums[part.field] = new(big.Rat)
			}
			sums[part.field].Add(sums[part.field], units.Rat(n))
			digits = max(digits, n.Scale())
		}
	}
	for _, part := range r.of {
		if sums[part.field] == nil {
			continue
		}
		n := sums[part.field].FloatString(digits) // all of its digits
		delete(sums, part.field)
		target, _ := units.OfField(part.field)
		sum, unit := newBody(), r.units[part.field]
		if sum.set(part.field, json.RawMessage(n)); unit != target.Symbol {
			delete(sum.values, part.field)
			sum.stated[part.field] = strings.TrimSpace(r.written(n) + " " + unit)
		}
		switch {
		case !row.has(part.field):
			row.take(&sum, part.field)
			if part.field == moneyField {
				if fault := r.tookMoney(row, n); fault != nil {
					return fault
				}
			}
		case !r.agree(part.field, &row.body, &sum):
			return &apperr.Detail{Field: r.heads[part.at], Code: fields.NotAllowed, Suggestions: []string{part.field},
				Message: fmt.Sprintf("The parts, of which %s is the first, come to %s %s, and %s has %.40q. Write all of it into one column %s, and leave the others out.",
					r.heads[part.at], n, unit, r.headingOf(part.field), oneCell(row.cells, slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == part.field })), part.field)}
		}
	}
	return nil
}

// written writes a number as those of the file, so that it has one reading.
func (t *table) written(text string) string {
	switch {
	case !strings.Contains(text, "."):
	case strings.HasSuffix(t.declared(), ",5"):
		text = strings.Replace(text, ".", ",", 1)
	case t.declared() == "" && ambiguous(text) != nil:
		text += "0"
	}
	return text
}

// partNumber returns the number of a part; false for an empty cell, and for the dash by which tables write that there is
// nothing.
func (t *table) partNumber(at int, cell string) (n decimal.Decimal, filled bool, fault *apperr.Detail) {
	cell = Unguard(cell)
	if strings.Trim(cell, "-–—") == "" {
		return n, false, nil
	}
	if fault := t.twoReadings(at, cell); fault != nil {
		return n, false, fault
	}
	format, _ := units.ParseFormat(t.declared())
	text := cell
	if !t.o.Doubts && t.declared() == "" && json.Valid([]byte(text)) && ambiguous(text) != nil {
		text += "0" // the point is the decimal separator
	}
	n, err := units.ParseNumber(text, format)
	if e, ok := errors.AsType[*units.AmbiguousNumberError](err); ok {
		return n, false, t.ambiguousNumber(at, e)
	}
	if err != nil {
		return n, false, &apperr.Detail{Field: t.heads[at], Code: fields.BadFormat, Message: fmt.Sprintf("%s has a number, not below zero, in the unit of its head; got %.40q.", t.heads[at], cell)}
	}
	return n, true, nil
}
