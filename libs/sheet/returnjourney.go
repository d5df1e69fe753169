package sheet

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Values of a return journey column other than yes and no, normalized by key. English "single" and German "einfach" are one
// way.
const (
	returnWays wordList = "returnWays"
	oneWays    wordList = "oneWays"
)

// Words of kinds of tickets and of journeys that say which way they go, beside others.
const (
	returnWords wordList = "returnWords"
	singleWords wordList = "singleWords"
	// neither are words beside which the others mean something else.
	neither wordList = "neither"
)

// bothWays are the words of returnWays that cannot mean the way back alone, and returnCodes codes that mean both ways below the
// headings wayHeads.
const (
	bothWays    wordList = "bothWays"
	returnCodes wordList = "returnCodes"
	wayHeads    wordList = "wayHeads"
)

// way returns whether a value of such a column means a return journey.
func way(word string) (roundTrip, known bool) {
	word = key(word)
	roundTrip = returnWays.has(word)
	return roundTrip, roundTrip || oneWays.has(word)
}

// wayOfTicket returns whether a kind of ticket is a return: Off-Peak Return, Einfache Fahrt.
func wayOfTicket(kind string) (roundTrip, known bool) {
	if roundTrip, known = way(kind); known {
		return roundTrip, known
	}
	text := strings.NewReplacer("round trip", "roundtrip", "round-trip", "roundtrip", "one way", "oneway", "one-way", "oneway",
		"hin- und rückfahrt", "hinundzurück", "hin und rückfahrt", "hinundzurück", "hin- und rückflug", "hinundzurück", "hin und zurück", "hinundzurück",
		"aller-retour", "retour", "aller retour", "retour", "aller simple", "oneway", "ida y vuelta", "roundtrip", "solo ida", "oneway").Replace(strings.ToLower(kind))
	words := wordsOf(text)
	has := func(list wordList) bool { return list.hasAny(words) }
	back, there := has(returnWords), has(singleWords)
	return back, back != there && !has(neither)
}

// ticketHeads are heads of kinds of tickets, as plain writes them.
const ticketHeads wordList = "ticketHeads"

// findTickets finds the kinds of tickets in a table of journeys that does not say otherwise
// which of them are returns.
func (r *Reader) findTickets() {
	for _, heads := range [...]wordList{bookingHeads, travellerHeads} {
		if r.bookingAt < 0 {
			r.bookingAt = slices.IndexFunc(r.heads, func(head string) bool { return heads.has(plain(head)) })
		}
	}
	if (r.typ == "flights" || r.typ == "ground-transport") && !r.heading("roundTrip") {
		r.ticketAt = r.beside(ticketHeads)
	}
	if r.typ == "flights" && !r.heading("class") {
		r.bookingClassAt = r.beside(bookingClassHeads)
	}
}

// bookingClassHeads are headings of classes of booking, some of which are classes of travel.
const bookingClassHeads wordList = "bookingClassHeads"

// bookingClass sets the class of a flight by that of its booking: Business is one, and what V is differs between airlines.
func (r *Reader) bookingClass(b *body, cells []string) {
	if r.bookingClassAt < 0 {
		return
	}
	cell := Unguard(oneCell(cells, r.bookingClassAt))
	if class := columnOf("flights", "class").values[key(cell)]; class != "" && utf8.RuneCountInString(cell) > 1 {
		b.set("class", json.RawMessage(strconv.Quote(class)))
		r.use(r.bookingClassAt)
	}
}

// ticket makes a return journey of a row whose ticket is one, or that says so in another column that is no field. There only
// words count that mean both ways: Return may be the way back.
func (r *Reader) ticket(b *body, cells []string) {
	if r.typ != "flights" && r.typ != "ground-transport" || b.has("roundTrip") {
		return
	}
	if roundTrip, known := wayOfTicket(Unguard(oneCell(cells, max(r.ticketAt, 0)))); known && r.ticketAt >= 0 {
		b.set("roundTrip", json.RawMessage(strconv.FormatBool(roundTrip)))
		return
	}
	for at := range cells[:min(len(cells), len(r.heads))] {
		word := key(Unguard(oneCell(cells, at)))
		if r.heads[at] != "" && (r.free(at) || at == r.typeAt) && (bothWays.has(word) || returnCodes.has(word) && (at == r.typeAt || wayHeads.has(plain(r.heads[at])))) {
			b.set("roundTrip", json.RawMessage("true"))
			return
		}
	}
}

// bookingHeads are heads of what the legs of one booking have in common, as plain writes them.
const bookingHeads wordList = "bookingHeads"

// travellerHeads are heads of the names of travellers, as plain writes them.
const travellerHeads wordList = "travellerHeads"

// legs returns the fault of a row that is the way back of a booking of which an earlier row is
// a return journey already: programs write the kind of a booking beside each of its legs.
func (r *Reader) legs(b *body, cells []string) *apperr.Detail {
	from, to := string(b.values["from"]), string(b.values["to"])
	if string(b.values["roundTrip"]) != "true" || from == "" || to == "" || r.typ == Mixed {
		return nil
	}
	at, booking := max(r.bookingAt, r.ticketAt), ""
	if r.bookingAt >= 0 && r.bookingAt < len(cells) {
		at, booking = r.bookingAt, strings.TrimSpace(cells[r.bookingAt])
	}
	if booking == "" && r.ticketAt < 0 {
		return nil // two journeys may go opposite ways
	}
	row, ok := r.earlier("leg", booking, to, from)
	if !ok {
		_, _ = r.earlier("leg", booking, from, to)
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
		Message: fmt.Sprintf("Row %d is a return journey that comes back this way already. Delete one of the two rows, or let both be one way.", row)}
}

// earlier returns the earlier row with the same texts; if there is none, it remembers this one.
func (r *Reader) earlier(texts ...string) (row int64, ok bool) {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = io.WriteString(h, strings.ToLower(strings.TrimSpace(text))+"\x00") // never fails
	}
	if row, ok = r.before[h.Sum64()]; !ok {
		if r.before == nil {
			r.before = map[uint64]int64{}
		}
		r.before[h.Sum64()] = r.number
	}
	return row, ok
}
