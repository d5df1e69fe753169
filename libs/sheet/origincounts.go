package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/units"
)

const (
	// companionHeads are headings of how many people come with the one of a row, normalized by plain.
	companionHeads wordList = "companionHeads"
	// absentWords are words of headings of how many of the people do not come, besides those of people online.
	absentWords wordList = "absentWords"
	// presentHeads are those of the people who come, normalized by plain.
	presentHeads wordList = "presentHeads"
	// personHeads are headings of one person for each row, normalized by plain, besides names.
	personHeads wordList = "personHeads"
	// otherNumbers are words of headings of numbers that are no people.
	otherNumbers wordList = "otherNumbers"
)

// peopleMark returns what a column of a list of people says of how many there are; noMark: nothing.
func (r *Reader) peopleMark(at int) mark {
	if r.typ != footprint.OriginRows {
		return noMark
	}
	head := r.heads[at]
	words := wordsOf(head)
	has := func(list wordList) bool { return list.hasAny(words) }
	people := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "people" })
	person := slices.ContainsFunc(r.heads, func(other string) bool {
		name := plain(other)
		return personHeads.has(name) || travellerHeads.has(name) || oneTravellerHeads.has(name) || guestHeads.has(name)
	})
	switch {
	case people >= 0:
		if !presentHeads.has(plain(r.heads[people])) && (has(onlineWords) || has(absentWords) || strings.Contains(strings.Join(words, " "), "no show")) {
			return absent
		}
	case companionHeads.has(plain(strings.ReplaceAll(head, "-", " "))):
		return companions
	case !person && !has(otherNumbers) && !otherNumbers.hasAny(headWords(head)): // eventId
		return counts
	}
	return noMark
}

// countsPeopleIn reports whether a cell of such a column has people that the row would not count, or would count too much.
func countsPeopleIn(kind mark, cell string) bool {
	cell = Unguard(cell)
	if share, ok := strings.CutSuffix(cell, "%"); ok && kind == counts {
		return bareNumber(share)
	}
	if kind == companions {
		if yes, known := fields.Truth(cell); known {
			return yes
		}
		cell = strings.TrimPrefix(cell, "+")
	}
	return bareNumber(cell) && !units.IsDate(cell) && strings.ContainsAny(cell, "123456789") && (kind != counts || cell != "1")
}

// uncounted is the fault of a row that has a number of people beside the one that counts.
func (r *Reader) uncounted(at int, kind mark, cell string) *apperr.Detail {
	message := "%s is %.40q, and the row would count as one person. Head the column people if it is how many come, or leave it out."
	switch kind {
	case companions:
		message = "%s is %.40q, and the row would count as one person. Write into a column people how many come altogether, and leave this one out."
	case absent:
		message = "%s is %.40q: who does not come does not travel, and the row would count all of its people. Write into the column of people how many come, and leave this one out."
	default:
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"people"}, Message: fmt.Sprintf(message, r.heads[at], cell)}
}
