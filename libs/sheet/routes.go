package sheet

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// routeHeads are heads of whole itineraries in lists of travel agencies, as plain writes them.
var routeHeads = []string{"route", "routing", "flightroute", "sectors", "flugstrecke", "flugroute", "reiseroute", "routenführung"}

// itineraryHeads are heads of the same where no other column is; beside one they have numbers.
var itineraryHeads = []string{"itinerary"}

// ofRoute is an itinerary of codes: LHR-JFK-LHR, LHR/JFK, LHR > FRA > SIN.
var ofRoute = regexp.MustCompile(`^[A-Z]{3}(?:\s*(?:[-–/>→,]|\s)\s*[A-Z]{3})+$`)

// findRoute finds the itineraries of a table of flights that has no columns for their ends.
func (r *Reader) findRoute() {
	if r.route = -1; r.typ == "flights" && !r.heading("from", "to", "via") {
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
	codes := strings.FieldsFunc(cell, func(c rune) bool { return c < 'A' || c > 'Z' })
	last := len(codes) - 1
	if codes[0] == codes[last] {
		back := slices.Clone(codes)
		slices.Reverse(back)
		said, stated := b.values["roundTrip"]
		if last < 2 || !slices.Equal(codes, back) || stated && string(said) != "true" {
			return &apperr.Detail{Field: head, Code: fields.NotAllowed,
				Message: fmt.Sprintf("%s comes back to %s by another way than it goes; write a row for each of its parts.", cell, codes[0])}
		}
		if !stated {
			b.set("roundTrip", json.RawMessage("true"))
		}
		last /= 2
	}
	b.set("from", json.RawMessage(strconv.Quote(codes[0])))
	b.set("to", json.RawMessage(strconv.Quote(codes[last])))
	if via := codes[1:last]; len(via) > 0 {
		list, _ := json.Marshal(via) //nolint:errchkjson // texts always marshal
		b.set("via", list)
	}
	return nil
}
