package sheet

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/spelling"
)

// unheaded are the fields of values that no column has by its heading.
type unheaded struct {
	*table
	of    []Column
	found bool
}

// assumedValues are the fields of values, by type, of which a record without one assumes a usual one.
var assumedValues = map[string][]string{
	"accommodation": {"kind"}, "flights": {"class"}, "freight": {"vehicle"}, "ground-transport": {"fuel", "size"}, "materials": {"source"},
	"waste": {"material"}, "digital": {"videoQuality"},
}

// purposeWords are words of headings of why people travel: Business is no class there.
const purposeWords wordlist.List = "purposeWords"

// valueElsewhere takes the value of a field below its misspelled name, and returns the fault of a row that has one below a heading
// that does not say so. The record would assume the usual one.
func (r *unheaded) valueElsewhere(row *row) *apperr.Detail {
	if !r.found {
		r.found = true
		for _, name := range assumedValues[r.typ] {
			if c := columnOf(r.typ, name); len(c.values) > 0 && !r.heading(name) {
				r.of = append(r.of, c)
			}
		}
	}
	if len(r.of) == 0 {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if head == "" || cell == "" || len(cell) > longestMark || !r.free(at) || r.isClaimed(at, anything) ||
			strings.ContainsAny(cell, "0123456789") || utf8.RuneCountInString(cell) < leastPart || purposeWords.HasAny(wordsOf(head)) {
			continue
		}
		i := slices.IndexFunc(r.of, func(c Column) bool { return c.values[key(cell)] != "" && !row.has(c.Name) })
		if i < 0 {
			continue
		}
		if name := r.of[i].Name; len(spelling.Nearest(plain(head), []string{name}, 1)) > 0 {
			row.put(name, r.of[i].values[key(cell)]) // a letter is missing, and the value is below it
			r.use(at)
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{r.of[i].Name},
			Message: fmt.Sprintf("%s is %.40q, which is %s as %s; the record would assume the usual one. Head the column %s, or leave it out if it says something else.", head, cell, r.of[i].values[key(cell)], r.of[i].Name, r.of[i].Name)}
	}
	return nil
}
