package sheet

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// routeHeads are heads of whole itineraries in lists of travel agencies, as plain writes them.
const routeHeads wordList = "routeHeads"

// itineraryHeads are heads of the same where no other column is; beside one they have numbers.
const itineraryHeads wordList = "itineraryHeads"

// ofRoute is an itinerary of codes: LHR-JFK-LHR, LHR/JFK, LHR > FRA > SIN.
var ofRoute = regexp.MustCompile(`^[A-Z]{3}(?:\s*(?:[-–/>→,]|\s)\s*[A-Z]{3})+$`)

// findRoute finds the itineraries of a table of flights that has no columns for their ends.
func (r *Reader) findRoute() {
	if r.typ == "flights" && !r.heading("from", "to", "via") {
		if r.route = r.aside(routeHeads); r.route < 0 {
			r.route = r.aside(itineraryHeads)
		}
	}
}

// itinerary sets origin, stops and destination of a flight from its itinerary. One that returns by the same route is
// a return flight.
func (r *Reader) itinerary(b *body, cells []string) *apperr.Detail {
	if r.route < 0 || r.route >= len(cells) || strings.TrimSpace(cells[r.route]) == "" {
		return nil
	}
	head, cell := r.heads[r.route], strings.ToUpper(Unguard(strings.TrimSpace(cells[r.route])))
	if !ofRoute.MatchString(cell) {
		return &apperr.Detail{Field: head, Code: fields.BadFormat, Suggestions: []string{"from", "to"},
			Message: fmt.Sprintf("%s has the codes of airports, such as LHR-JFK-LHR; got %.60q. Or head two columns from and to.", head, cell)}
	}
	return b.journey(head, codesOf(cell))
}
