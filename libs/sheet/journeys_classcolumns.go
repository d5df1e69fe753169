package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// classColumns are the columns of the passengers of one class each, in a table that has no column of classes: Economy, Business pax.
type classColumns struct {
	*table
	of []classColumn
}

type classColumn struct {
	at    int
	class string
}

// findClassColumns finds the columns of the passengers of one class, if there are several.
func (r *classColumns) findClassColumns() {
	if r.typ != "flights" || r.heading("class") {
		return
	}
	var found []classColumn
	for at, head := range r.heads {
		if class := classHeaded(head); class != "" && r.free(at) && !strings.Contains(head, "%") && !shareWords.HasAny(wordsOf(head)) {
			found = append(found, classColumn{at, class})
		}
	}
	if len(found) < 2 {
		return
	}
	r.of = found
	for _, column := range found {
		r.claim(placeAt(column.at), "passengers", suffices|shown)
		r.columns[column.at].Type = "number"
		r.use(column.at)
	}
}

// classHeaded returns the class that a heading of shares or numbers of passengers names; empty if it names none.
func classHeaded(head string) string {
	words := slices.DeleteFunc(wordsOf(head), func(word string) bool {
		return shareWords.Has(word) || besideShares.Has(word) || ticketCounts.Has(word) || manyTickets.Has(word)
	})
	return columnOf("flights", "class").values[key(strings.Join(words, " "))]
}

// takeClass sets class and passengers of a row with those of one class, and returns the fault of a row with several.
func (r *classColumns) takeClass(row *row) *apperr.Detail {
	var first *classColumn
	for i := range r.of {
		column := &r.of[i]
		cell := Unguard(oneCell(row.cells, column.at))
		if strings.Trim(cell, "-–—0 ") == "" {
			continue
		}
		n, whole := r.asNumber(cell)
		if yes, known := fields.Truth(cell); known && !whole && row.has("passengers") {
			if !yes {
				continue
			}
			n, whole = row.number("passengers"), true // all of them
		}
		switch {
		case !whole || n != float64(int64(n)):
			return &apperr.Detail{Field: r.heads[column.at], Code: fields.BadFormat, Suggestions: []string{"passengers", "class"},
				Message: fmt.Sprintf("%s has how many passengers of this class there are; got %.40q.", r.heads[column.at], cell)}
		case first != nil:
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{"passengers", "class"},
				Message: fmt.Sprintf("%s is %.40q, and %s is %.40q: a record has one class. Write a row for each class, with its passengers in the column passengers and the class in a column class.", r.heads[column.at], cell, r.heads[first.at], oneCell(row.cells, first.at))}
		case row.has("passengers") && row.number("passengers") != n:
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{"passengers", "class"},
				Message: fmt.Sprintf("%s is %.40q, and the record would count its passengers without a class. Write a row for each class, with its passengers in the column passengers and the class in a column class.", r.heads[column.at], cell)}
		}
		first = column
		row.put("class", column.class)
		if !row.has("passengers") {
			row.set("passengers", json.RawMessage(fmt.Sprint(int64(n))))
		}
	}
	return nil
}
