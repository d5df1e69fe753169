package sheet

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// flightNumberHeads are headings of the numbers of flights, normalized by plain.
const flightNumberHeads wordList = "flightNumberHeads"

// codeshare returns the fault of a row with a person who flies the same way on the same day as in an earlier row, under another
// number of the flight: airlines sell one flight under the numbers of several.
func (r *Reader) codeshare(b *body, cells []string) *apperr.Detail {
	number, name := r.beside(flightNumberHeads), r.beside(oneTravellerHeads)
	if r.typ != "flights" || number < 0 || name < 0 || !b.has("date") || !b.has("from") || !b.has("to") {
		return nil
	}
	person, flight := Unguard(oneCell(cells, name)), oneCell(cells, number)
	if flight == "" || !oneName(person) || len(nameWords(person)) < 2 {
		return nil // a family name alone may be that of several
	}
	journey := []string{"flight", person, b.text("from"), b.text("to"), b.text("date")}
	row, seen := r.earlier(journey...)
	if _, same := r.earlier(append(journey, flight)...); !seen || same {
		return nil
	}
	return &apperr.Detail{Field: r.heads[number], Code: fields.NotAllowed,
		Message: fmt.Sprintf("Row %d has %.60q on the same day from %s to %s, under another number of the flight. Airlines sell one flight under several numbers; delete the row that was not flown.", row, strings.TrimSpace(person), b.text("from"), b.text("to"))}
}
