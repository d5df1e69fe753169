package sheet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// routes is the column of itineraries.
type routes struct {
	*table
	at place
}

// routeHeads are heads of whole itineraries in lists of travel agencies, as plain writes them.
const routeHeads wordlist.List = "routeHeads"

// itineraryHeads are heads of the same where no other column is; beside one they have numbers.
const itineraryHeads wordlist.List = "itineraryHeads"

// trackHeads are heads of itineraries, or of distances, as plain writes them: Strecke is either.
const trackHeads wordlist.List = "trackHeads"

// ofRoute is an itinerary of codes: LHR-JFK-LHR, LHR/JFK, LHR > FRA > SIN.
var ofRoute = regexp.MustCompile(`^[A-Z]{3}(?:\s*(?:[-–/>→,]|\s)\s*[A-Z]{3})+$`)

// findRoute finds the itineraries of a table of flights that has no columns for their ends.
func (r *routes) findRoute() {
	if r.typ == "flights" && !r.heading("from", "to", "via") {
		if r.at = r.aside(routeHeads); !r.at.found() {
			r.at = r.aside(itineraryHeads)
		}
		if at := slices.IndexFunc(r.heads, func(head string) bool { return trackHeads.Has(plain(head)) }); at >= 0 && !r.at.found() && slices.Contains(r.quantity, at) {
			r.at = placeAt(at)
		}
		r.claim(r.at, "", derives|shown|rates)
	}
}

// besideRoute is what people write around an itinerary: a word for the flight before it, and which way it goes behind it.
var besideRoute = regexp.MustCompile(`(?i)^(?:(?:flight|flug|vol|vuelo|volo|vlucht|voo|lot|fly|flyg)\s+)?(.*?)(?:[\s,]*\(?\b(return|rtn|round[ -]?trip|retour|hin und zurück|aller[- ]retour|ida y vuelta|andata e ritorno|ida e volta|one[ -]?way|single|hinflug|aller simple|solo ida|solo andata)\)?)?$`)

// betweenPlaces is what people write between the places of a route: Madrid to Porto, Wien → Graz. A hyphen without spaces is
// in names.
var betweenPlaces = regexp.MustCompile(`(?i)\s+(?:to|nach|naar|do|til|till|[-–>])\s+|\s*(?:→|->)\s*`)

// placesOf returns the places of an itinerary in words; nil if it has other things too.
func placesOf(route string) (list []string) {
	for _, place := range betweenPlaces.Split(route, -1) {
		if place = strings.TrimSpace(place); place == "" || strings.ContainsAny(place, "0123456789/;>") {
			return nil
		}
		list = append(list, place)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// itinerary sets origin, stops and destination of a flight from its itinerary. One that returns by the same route is
// a return flight.
func (r *routes) itinerary(row *row) *apperr.Detail {
	if !r.at.found() || r.at.index() >= len(row.cells) || strings.TrimSpace(row.cells[r.at.index()]) == "" {
		return nil
	}
	if slices.Contains(r.quantity, r.at.index()) && strings.ContainsAny(row.cells[r.at.index()], "0123456789") {
		return nil // a distance
	}
	head, said := r.heads[r.at.index()], Unguard(strings.TrimSpace(row.cells[r.at.index()]))
	if m := besideRoute.FindStringSubmatch(said); m != nil && r.reading == interpreted && (m[2] == "" || row.values["roundTrip"] == nil) {
		if roundTrip, known := wayOfTicket(m[2]); known {
			said = m[1]
			row.put("roundTrip", roundTrip)
		} else if m[2] == "" {
			said = m[1]
		}
	}
	cell := strings.ToUpper(said)
	if !ofRoute.MatchString(cell) {
		if places := placesOf(said); places != nil && r.reading == interpreted {
			return row.journey(head, places)
		}
		return &apperr.Detail{Field: head, Code: fields.BadFormat, Suggestions: []string{"from", "to"},
			Message: fmt.Sprintf("%s has the codes of airports, such as LHR-JFK-LHR; got %.60q. Or head two columns from and to.", head, cell)}
	}
	return row.journey(head, codesOf(cell))
}
