package sheet

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// ways are values of a return journey column other than yes and no, normalized by key. English "single" and German
// "einfach" are one way.
var ways = map[string]bool{
	"return": true, "returnticket": true, "returntrip": true, "returnjourney": true, "roundtrip": true, "rt": true, "r/t": true, "bothways": true,
	"thereandback": true, "hinundzurück": true, "hinundrückfahrt": true, "hinundrückflug": true, "hinundrück": true, "hin/rück": true, "hin/zurück": true,
	"allerretour": true, "a/r": true,
	"single": false, "singleticket": false, "singletrip": false, "oneway": false, "onewayticket": false, "onewaytrip": false, "ow": false, "o/w": false,
	"einfach": false, "einfachefahrt": false, "nurhin": false, "nurhinfahrt": false, "nurhinflug": false, "allersimple": false,
}

// Words of kinds of tickets and of journeys that say which way they go, beside others.
var (
	returnWords = []string{"return", "returns", "rtn", "rt", "roundtrip", "retour", "hinundzurück", "rückfahrt", "rückfahrkarte", "rückflug"}
	singleWords = []string{"single", "singles", "oneway", "ow", "einfach", "einfache", "hinfahrt"}
	// neither are words beside which the others mean something else.
	neither = []string{"no", "non", "not", "kein", "keine", "ohne", "nur", "only", "of", "leg", "portion", "inbound", "outbound"}
)

// way returns whether a value of such a column means a return journey.
func way(word string) (roundTrip, known bool) {
	roundTrip, known = ways[key(word)]
	return roundTrip, known
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
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	back, there := has(returnWords), has(singleWords)
	return back, back != there && !has(neither)
}

// ticketHeads are heads of kinds of tickets, as plain writes them.
var ticketHeads = []string{"ticket", "tickettype", "typeofticket", "faretype", "typeoffare", "fahrkarte", "fahrkartenart", "fahrschein", "ticketart", "tickettyp", "billet", "typedebillet", "tipodebillete", "billete", "oneway/return"}

// findTickets finds the kinds of tickets in a table of journeys that does not say otherwise
// which of them are returns.
func (r *Reader) findTickets() {
	for _, heads := range [...][]string{bookingHeads, travellerHeads} {
		if r.bookingAt < 0 {
			r.bookingAt = slices.IndexFunc(r.heads, func(head string) bool { return slices.Contains(heads, plain(head)) })
		}
	}
	if (r.typ == "flights" || r.typ == "ground-transport") && !r.heading("roundTrip") {
		r.ticketAt = r.beside(ticketHeads)
	}
}

// ticket makes a return journey of a row whose ticket is one.
func (r *Reader) ticket(b *body, cells []string) {
	if r.ticketAt < 0 || r.ticketAt >= len(cells) {
		return
	}
	if roundTrip, known := wayOfTicket(Unguard(strings.TrimSpace(cells[r.ticketAt]))); known {
		b.set("roundTrip", json.RawMessage(strconv.FormatBool(roundTrip)))
	}
}

// bookingHeads are heads of what the legs of one booking have in common, as plain writes them.
var bookingHeads = []string{"tripid", "tripno", "tripnumber", "bookingid", "bookingref", "bookingreference", "bookingnumber", "bookingno", "pnr", "pnrlocator", "recordlocator", "locator", "ticketnumber", "ticketno", "itineraryid", "itinerarynumber", "reservationid", "reservationnumber", "orderid", "ordernumber", "orderno", "reference", "ref", "externalreference", "buchungsnummer", "buchungsnr", "auftragsnummer", "auftragsnr", "ticketnummer", "reisenummer", "reisenr", "vorgangsnummer"}

// travellerHeads are heads of the names of travellers, as plain writes them.
var travellerHeads = []string{"traveller", "traveler", "travellername", "travelername", "passengername", "paxname", "nameofpassenger", "nameoftraveller", "employee", "employeename", "guestname", "fullname", "name", "reisender", "passagier", "mitarbeiter", "voyageur"}

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

// earlier returns the row before that had the same texts, and takes note of this one where
// there is none.
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
