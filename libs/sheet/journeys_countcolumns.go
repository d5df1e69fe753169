package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// countColumns are the columns of how many people there are of each value of a field that has no column of its own: the passengers
// of a class (Economy, Business pax), those who come by a mode (By car, Number by train).
type countColumns struct {
	*table
	ticks *ticks
	of    []countColumn
	// field is what the values are of, and counts the field of the people.
	field, counts string
	// others are columns of people of other values, or of none that is known.
	others []int
}

type countColumn struct {
	at    int
	value string
}

// find finds the columns, if there are several.
func (r *countColumns) find() {
	switch r.typ {
	case "flights":
		r.field, r.counts = "class", "passengers"
	case footprint.OriginRows:
		r.field, r.counts = "mode", "people"
	default:
		return
	}
	if r.heading(r.field) {
		return
	}
	var found []countColumn
	for at, head := range r.heads {
		if value := r.headed(head); value != "" && r.free(at) {
			found = append(found, countColumn{at, value})
		}
	}
	if len(found) < 2 {
		return
	}
	r.of = found
	for _, column := range found {
		r.claim(placeAt(column.at), r.counts, suffices|shown)
		r.keepNumbers(column.at)
		r.columns[column.at].Type = "number"
		r.use(column.at)
	}
	for at, head := range r.heads {
		words := wordsOf(head)
		switch {
		case !r.free(at) || len(words) == 0:
		case !r.heading(r.counts) && !slices.ContainsFunc(words, func(word string) bool {
			return !totalWords.Has(word) && !numberWords.Has(word) && !comingWords.Has(word)
		}):
			r.columns[at] = columnOf(r.typ, r.counts) // the total
			r.keepNumbers(at)
		case otherValues.HasAny(words), numberWords.Has(words[0]) && len(words) > 1 && !bringNumbers.Has(words[0]):
			r.others = append(r.others, at)
			r.keepNumbers(at)
		}
	}
}

// otherValues are words of headings of all other values.
const otherValues wordlist.List = "otherValues"

// keepNumbers notes that numbers and marks of a column may stay.
func (r *countColumns) keepNumbers(at int) {
	r.claimCells(at, keeps, func(cell string) string {
		if r.ticks.isTick(cell) || bareNumber(strings.TrimRight(cell, "% ")) {
			return cell
		}
		return ""
	})
}

// headed returns the value whose people a heading counts; empty if it counts none.
func (r *countColumns) headed(head string) string {
	if strings.Contains(head, "%") || shareWords.HasAny(wordsOf(head)) {
		return ""
	}
	if r.field == "class" {
		return classHeaded(head)
	}
	values := columnOf(r.typ, "mode").values
	words := slices.DeleteFunc(wordsOf(head), func(word string) bool {
		return values[key(word)] == "" && (numberWords.Has(word) || besideModes.Has(word) || ticketCounts.Has(word) || comingWords.Has(word))
	})
	return values[key(strings.Join(words, " "))]
}

// classHeaded returns the class that a heading of shares or numbers of passengers names; empty if it names none.
func classHeaded(head string) string {
	words := slices.DeleteFunc(wordsOf(head), func(word string) bool {
		return shareWords.Has(word) || besideShares.Has(word) || ticketCounts.Has(word) || manyTickets.Has(word)
	})
	return columnOf("flights", "class").values[key(strings.Join(words, " "))]
}

// take sets the value and the people of a row that has one of the columns, and returns the fault of a row with several, which is
// several records.
func (r *countColumns) take(row *row) *apperr.Detail {
	for _, at := range r.others {
		if n, ok := r.asNumber(Unguard(oneCell(row.cells, at))); ok && n > 0 {
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{r.counts, r.field},
				Message: fmt.Sprintf("%s is %.40q, and no %s is known of these people. Write a row for them, or leave the column out if they are in the others.", r.heads[at], oneCell(row.cells, at), r.field)}
		}
	}
	first := -1
	for _, column := range r.of {
		cell := Unguard(oneCell(row.cells, column.at))
		if strings.Trim(cell, "-–—0 ") == "" {
			continue
		}
		n, whole := r.asNumber(cell)
		mark := !whole && r.ticks.isTick(cell)
		if yes, known := fields.Truth(cell); known && !yes && !whole {
			continue
		}
		switch {
		case !mark && (!whole || n != float64(int64(n))):
			return &apperr.Detail{Field: r.heads[column.at], Code: fields.BadFormat, Suggestions: []string{r.counts, r.field},
				Message: fmt.Sprintf("%s has how many people there are; got %.40q.", r.heads[column.at], cell)}
		case first >= 0:
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{r.counts, r.field},
				Message: fmt.Sprintf("%s is %.40q, and %s is %.40q: a record has one %s. Write a row for each, with columns %s and %s.", r.heads[column.at], cell, r.heads[first], oneCell(row.cells, first), r.field, r.counts, r.field)}
		case !mark && row.has(r.counts) && row.number(r.counts) != n:
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{r.counts, r.field},
				Message: fmt.Sprintf("%s is %.40q, and the record would count its %s without a %s. Write a row for each, with columns %s and %s.", r.heads[column.at], cell, r.counts, r.field, r.counts, r.field)}
		}
		first = column.at
		row.put(r.field, column.value)
		if !mark && !row.has(r.counts) && (n != 1 || r.counts != "people") { // a row is one
			row.set(r.counts, json.RawMessage(fmt.Sprint(int64(n))))
		}
	}
	return nil
}
