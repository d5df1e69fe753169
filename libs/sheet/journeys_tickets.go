package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// tickets are what tables of journeys say of their tickets and bookings.
type tickets struct {
	*table
	// booking is the column of the numbers of bookings, or the names of travellers.
	booking place
	// kind is the column of the kinds of tickets, which may be returns, and class that of classes of booking.
	kind, class place
	// waysSaid are what columns of ways have said so far, by place.
	waysSaid map[int]waySaid
}

// Values of a return journey column other than yes and no, normalized by key. English "single" and German "einfach" are one
// way.
const (
	returnWays wordlist.List = "returnWays"
	oneWays    wordlist.List = "oneWays"
	// noneWords say that there is none, alone or before what there is none of.
	noneWords wordlist.List = "noneWords"
)

// Words of kinds of tickets and of journeys that say which way they go, beside others.
const (
	returnWords wordlist.List = "returnWords"
	singleWords wordlist.List = "singleWords"
	// neither are words beside which the others mean something else.
	neither wordlist.List = "neither"
)

// bothWays are the words of returnWays that cannot mean the way back alone, and returnCodes codes that mean both ways below the
// headings wayHeads.
const (
	bothWays    wordlist.List = "bothWays"
	returnCodes wordlist.List = "returnCodes"
	wayHeads    wordlist.List = "wayHeads"
)

// way returns whether a value of such a column means a return journey.
func way(word string) (roundTrip, known bool) {
	word = key(word)
	roundTrip = returnWays.Has(word)
	return roundTrip, roundTrip || oneWays.Has(word)
}

// noWayBack reports whether a cell says that there is no way back: n/a, kein Rückflug.
func noWayBack(cell string) bool {
	words := wordsOf(cell)
	if noneWords.Has(cell) || len(words) < 2 {
		return noneWords.Has(cell)
	}
	return noneWords.Has(words[0]) && (homeWords.HasAny(words[1:]) || backWords.HasAny(words[1:]) || returnWords.HasAny(words[1:]))
}

// joinedWays makes one word of each name of a journey there, or there and back.
var joinedWays = strings.NewReplacer("round trip", "roundtrip", "round-trip", "roundtrip", "one way", "oneway", "one-way", "oneway",
	"hin- und rückfahrt", "hinundzurück", "hin und rückfahrt", "hinundzurück", "hin- und rückflug", "hinundzurück", "hin und zurück", "hinundzurück",
	"aller-retour", "retour", "aller retour", "retour", "aller simple", "oneway", "ida y vuelta", "roundtrip", "solo ida", "oneway")

// wayOfTicket returns whether a kind of ticket is a return: Off-Peak Return, Einfache Fahrt.
func wayOfTicket(kind string) (roundTrip, known bool) {
	if roundTrip, known = way(kind); known {
		return roundTrip, known
	}
	text := joinedWays.Replace(strings.ToLower(kind))
	words := wordsOf(text)
	has := func(list wordlist.List) bool { return list.HasAny(words) }
	back, there := has(returnWords), has(singleWords)
	return back, back != there && !has(neither)
}

// ticketHeads are heads of kinds of tickets, as plain writes them.
const ticketHeads wordlist.List = "ticketHeads"

// findTickets finds the kinds of tickets in a table of journeys that does not say otherwise
// which of them are returns.
func (r *tickets) findTickets() {
	for _, heads := range [...]wordlist.List{bookingHeads, travellerHeads} {
		if !r.booking.found() {
			r.booking = placeAt(slices.IndexFunc(r.heads, func(head string) bool { return heads.Has(plain(head)) }))
		}
	}
	r.claim(r.booking, "", tells)
	if (r.typ == "flights" || r.typ == "ground-transport") && !r.heading("roundTrip") {
		r.kind = r.beside(ticketHeads)
		r.claim(r.kind, "roundTrip", shown|tells)
	}
	if r.typ == "flights" && !r.heading("class") {
		r.class = r.beside(bookingClassHeads)
		r.claim(r.class, "class", mayTell) // as soon as a cell is a class of travel
	}
}

// bookingClassHeads are headings of classes of booking, some of which are classes of travel.
const bookingClassHeads wordlist.List = "bookingClassHeads"

// bookingClass sets the class of a flight by that of its booking: Business is one, and what V is differs between airlines.
func (r *tickets) bookingClass(row *row) *apperr.Detail {
	if !r.class.found() {
		return nil
	}
	cell := Unguard(oneCell(row.cells, r.class.index()))
	if class := columnOf("flights", "class").values[key(cell)]; class != "" && utf8.RuneCountInString(cell) > 1 {
		row.set("class", json.RawMessage(strconv.Quote(class)))
		r.use(r.class.index())
	}
	return nil
}

// ticket makes a return journey of a row whose ticket is one, or that says so in another column that is no field. There only
// words count that mean both ways: Return may be the way back.
func (r *tickets) ticket(row *row) *apperr.Detail {
	if r.typ != "flights" && r.typ != "ground-transport" || row.has("roundTrip") {
		return nil
	}
	if roundTrip, known := wayOfTicket(Unguard(oneCell(row.cells, max(r.kind.index(), 0)))); known && r.kind.found() {
		row.set("roundTrip", json.RawMessage(strconv.FormatBool(roundTrip)))
		return nil
	}
	for at := range row.cells[:min(len(row.cells), len(r.heads))] {
		word := key(Unguard(oneCell(row.cells, at)))
		if r.heads[at] != "" && (r.free(at) || at == r.typeAt.index()) && (bothWays.Has(word) || returnCodes.Has(word) && (at == r.typeAt.index() || wayHeads.Has(plain(r.heads[at])))) {
			row.set("roundTrip", json.RawMessage("true"))
			return nil
		}
	}
	return nil
}

// bookingHeads are heads of what the legs of one booking have in common, as plain writes them.
const bookingHeads wordlist.List = "bookingHeads"

// travellerHeads are heads of the names of travellers, as plain writes them.
const travellerHeads wordlist.List = "travellerHeads"

// legs returns the fault of a row that is the way back of a booking of which an earlier row is
// a return journey already: programs write the kind of a booking beside each of its legs.
func (r *tickets) legs(row *row) *apperr.Detail {
	from, to := string(row.values["from"]), string(row.values["to"])
	if string(row.values["roundTrip"]) != "true" || from == "" || to == "" || r.typ == Mixed {
		return nil
	}
	at, booking := max(r.booking.index(), r.kind.index()), ""
	if r.booking.found() && r.booking.index() < len(row.cells) {
		at, booking = r.booking.index(), strings.TrimSpace(row.cells[r.booking.index()])
	}
	if booking == "" && !r.kind.found() {
		return nil // two journeys may go opposite ways
	}
	first, ok := r.earlier("leg", booking, to, from)
	if !ok {
		_, _ = r.earlier("leg", booking, from, to)
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
		Message: fmt.Sprintf("Row %d is a return journey that comes back this way already. Delete one of the two rows, or let both be one way.", first)}
}
