package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// privateFlights are words for aircraft of which a passenger has no seat among many, such as private jets.
const privateFlights wordlist.List = "privateFlights"

// privateFlight returns the fault of a row of flights that says that it was no airliner, of which alone a seat is counted.
func (r *tickets) privateFlight(row *row) *apperr.Detail {
	if r.typ != "flights" || !row.has("passengers") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := strings.ToLower(Unguard(oneCell(row.cells, at)))
		if len(cell) > longestMark || !r.free(at) && r.columns[at].Name != "description" || !slices.ContainsFunc(privateFlights.All(), func(words string) bool { return strings.Contains(cell, words) }) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed,
			Message: fmt.Sprintf("%s is %.60q, and the record would count seats in an airliner, which are far less. Record what was flown as type custom, with the figure of its operator, and delete the row.", head, oneCell(row.cells, at))}
	}
	return nil
}

// flightNumberHeads are headings of the numbers of flights, normalized by plain.
const flightNumberHeads wordlist.List = "flightNumberHeads"

// codeshare returns the fault of a row with a person who flies the same way on the same day as in an earlier row, under another
// number of the flight: airlines sell one flight under the numbers of several.
func (r *tickets) codeshare(row *row) *apperr.Detail {
	number, name := r.beside(flightNumberHeads), r.beside(oneTravellerHeads)
	if r.typ != "flights" || !number.found() || !name.found() || !row.has("date") || !row.has("from") || !row.has("to") {
		return nil
	}
	person, flight := Unguard(oneCell(row.cells, name.index())), oneCell(row.cells, number.index())
	if flight == "" || !oneName(person) || len(nameWords(person)) < 2 {
		return nil // a family name alone may be that of several
	}
	journey := []string{"flight", person, row.text("from"), row.text("to"), row.text("date")}
	first, seen := r.earlier(journey...)
	if _, same := r.earlier(append(journey, flight)...); !seen || same {
		return nil
	}
	return &apperr.Detail{Field: r.heads[number.index()], Code: fields.NotAllowed,
		Message: fmt.Sprintf("Row %d has %.60q on the same day from %s to %s, under another number of the flight. Airlines sell one flight under several numbers; delete the row that was not flown.", first, strings.TrimSpace(person), row.text("from"), row.text("to"))}
}
