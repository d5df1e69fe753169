package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// additions are the columns of more of what another column has: Extra kWh beside kWh, Crew meals beside Meals.
type additions struct {
	*table
	// at are the columns by their places, and of the ones that have the fields.
	at, of []int
}

// additionWords are words of headings of such columns beside those of the field.
const additionWords wordlist.List = "additionWords"

// findAdditions finds the columns of more of a field that another column has.
func (r *additions) findAdditions() {
	if r.typ == footprint.OriginRows || r.typ == "purchases" {
		return
	}
	for at, head := range r.heads {
		if !r.free(at) || !additionWords.HasAny(wordsOf(head)) {
			continue
		}
		field, _ := r.fieldCalled(withoutAdditions(head))
		if of := r.placeOf(field.Name); field.number() && of >= 0 {
			r.at, r.of = append(r.at, at), append(r.of, of)
		}
	}
}

// withoutAdditions returns a heading without the words of additions.
func withoutAdditions(head string) string {
	words := slices.DeleteFunc(strings.Fields(head), func(word string) bool {
		return additionWords.Has(strings.Trim(strings.ToLower(word), ".:()[]"))
	})
	return strings.Join(words, " ")
}

// notCounted returns the fault of a row with more of a field than it would count.
func (r *additions) notCounted(row *row) *apperr.Detail {
	for i, at := range r.at {
		cell := Unguard(oneCell(row.cells, at))
		field := r.columns[r.of[i]].Name
		if n, ok := r.asNumber(cell); !ok || n == 0 || units.IsDate(cell) || !row.has(field) {
			continue
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{field},
			Message: fmt.Sprintf("%s is %.40s, which the record would not count beside %s, %.40s. Write all of it into one column, %s, or into a row of its own; or leave the column %s out if it is in there already.",
				r.heads[at], cell, r.heads[r.of[i]], oneCell(row.cells, r.of[i]), field, r.heads[at])}
	}
	return nil
}
