package sheet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// unitsBeside are the units in columns of their own.
type unitsBeside struct {
	*table
	// units are the columns with those of columns whose headings have no unit, by the places of these.
	units map[int]int
	// column is the one beside another column.
	column place
}

// besideHeads are headings of columns with the unit of an adjacent number, normalized by plain.
const besideHeads wordlist.List = "besideHeads"

// servings are units of what is eaten: one each is a meal.
const servings wordlist.List = "servings"

// findBeside finds the column of units next to a column whose heading has a unit, or names what it counts.
func (r *unitsBeside) findBeside() {
	if len(r.quantity) > 0 {
		return
	}
	r.column = r.beside(besideHeads)
	r.claim(r.column, "", tells)
}

// besideUnit returns the fault of a number whose unit, in the adjacent column, differs from that of its
// heading, or that counts something other than meals.
func (r *unitsBeside) besideUnit(row *row) *apperr.Detail {
	if !r.column.found() || r.column.index() >= len(row.cells) {
		return nil
	}
	word := Unguard(strings.TrimSpace(row.cells[r.column.index()]))
	if word == "" {
		return nil
	}
	if r.typ == "catering" {
		at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "meals" })
		if at < 0 || !isAmount(r.heads[at]) && plain(r.heads[at]) != "anzahl" || servings.Has(strings.Trim(strings.ToLower(word), ". ")) || row.values["meals"] == nil {
			return nil
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"meals"},
			Message: fmt.Sprintf("%s is %s %.40s; catering counts meals. Write how many meals that is, with the unit Portion or none.", r.heads[at], row.values["meals"], word)}
	}
	measured := -1
	for at, c := range r.columns {
		if _, ok := units.OfField(c.Name); ok && c.number() {
			if measured >= 0 {
				return nil // whose unit it is cannot be told
			}
			measured = at
		}
	}
	if measured < 0 || row.values[r.columns[measured].Name] == nil && row.stated[r.columns[measured].Name] == "" {
		return nil
	}
	target, _ := units.OfField(r.columns[measured].Name)
	own := target.Symbol
	if r.inUnit[measured] != "" {
		own = r.inUnit[measured]
	}
	u, err := units.ByName(word, target.Dimension)
	if _, unclear := errors.AsType[*units.AmbiguousUnitError](err); !unclear && (err != nil || u.Symbol == own) {
		return nil
	}
	return &apperr.Detail{Field: r.heads[measured], Code: fields.NotAllowed,
		Message: fmt.Sprintf("The head %s is in %s, and %s says %s. Write the number in one unit, or leave the unit out of the head.", r.heads[measured], own, r.heads[r.column.index()], word)}
}

// severalOfEach returns the fault of a row with a number per something other than what its field counts: meals per day
// next to a number of guests.
func (r *perItem) severalOfEach(row *row) *apperr.Detail {
	for _, at := range r.several {
		n, number := r.asNumber(oneCell(row.cells, at))
		if !number || n == 1 || n == 0 {
			continue
		}
		field, _ := r.fieldOfEach(at)
		return &apperr.Detail{Field: r.heads[at], Code: AmbiguousCount, Suggestions: []string{field.Name},
			Message: fmt.Sprintf("%s is %s, which the record would not count. Write into a column %s how many there are altogether, and leave this one out.", r.heads[at], oneCell(row.cells, at), field.Name)}
	}
	return nil
}

// unclearUnit returns the ambiguous unit of a heading, such as Tons or Gallons, if it is a unit of a
// quantity of the type.
func unclearUnit(typ, head string) (word string, ok bool) {
	stem, word, _ := unitOfHead(head)
	if stem == "" {
		stem, word = amountWord, strings.TrimSpace(head)
	}
	for _, c := range Columns(typ) {
		target, measured := units.OfField(c.Name)
		if !measured || !c.number() {
			continue
		}
		_, err := units.ByName(word, target.Dimension)
		e, unclear := errors.AsType[*units.AmbiguousUnitError](err)
		if !unclear || !slices.ContainsFunc(e.Meanings, func(meaning string) bool {
			_, err := units.ByName(meaning, target.Dimension)
			return err == nil
		}) {
			continue
		}
		if isAmount(stem) || slices.ContainsFunc(quantities(typ, stem), func(q Column) bool { return q.Name == c.Name }) {
			return word, true
		}
	}
	return "", false
}

// unclearCell records that a number is in an ambiguous unit, which matters if the row has no other
// number.
func (in *interpreter) unclearCell(b *body, at int, word string) {
	e := &units.AmbiguousUnitError{Unit: word}
	for _, dimension := range units.Dimensions() {
		_, err := units.ByName(word, dimension)
		if known, ok := errors.AsType[*units.AmbiguousUnitError](err); ok {
			e = known
		}
	}
	b.unknownAmount = &apperr.Detail{Field: in.heads[at], Code: "AMBIGUOUS_UNIT", Suggestions: e.Meanings, Message: e.Error() + " in the head of the column."}
	b.amountAt = at
}
