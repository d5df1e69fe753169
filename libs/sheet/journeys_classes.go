package sheet

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// classWords are words of headings of classes of travel.
const classWords wordlist.List = "classWords"

// ofOneWay reports whether a heading is that of the class of one way: Class out, Return class.
func ofOneWay(head string) bool {
	words := wordsOf(head)
	return classWords.HasAny(words) && (awayWords.HasAny(words) || homeWords.HasAny(words))
}

// wayClasses sets the class of a row by those of its ways, and returns the fault of a row with two classes.
func (r *tickets) wayClasses(row *row) *apperr.Detail {
	if r.typ != "flights" {
		return nil
	}
	classes := columnOf(r.typ, "class").values
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		class := classes[key(cell)]
		if !r.free(at) || class == "" || !ofOneWay(head) {
			continue
		}
		switch row.text("class") {
		case class:
		case "":
			row.put("class", class)
			r.use(at)
		default:
			return &apperr.Detail{Field: head, Code: SeveralRecords, Suggestions: []string{"class", "roundTrip"},
				Message: fmt.Sprintf("%s is %.40q, and the record would count %s for both ways. Write a row for each way, with its class.", head, cell, strings.ReplaceAll(row.text("class"), "_", " "))}
		}
	}
	return nil
}
