package sheet

import (
	"encoding/json"
	"strings"
)

// oneTravellerHeads are headings of the names of travellers, of whom each row of a booking system has one, normalized
// by plain.
const oneTravellerHeads wordList = "oneTravellerHeads"

// namedTravellerHeads are those that say whose name it is.
const namedTravellerHeads wordList = "namedTravellerHeads"

// ticketCounts are headings of how many tickets or people a row is about, normalized by plain.
const ticketCounts wordList = "ticketCounts"

// manyTickets are words of such headings that are plurals: Nº billetes, and not Nº billete, which numbers one.
const manyTickets wordList = "manyTickets"

// findTraveller finds the names of travellers in a table of journeys that does not say how many there are.
func (r *Reader) findTraveller() {
	if (r.typ == "flights" || r.typ == "ground-transport") && !r.heading("passengers", "vehicles", "volumeLitres", "energyKWh") {
		if r.typ == "ground-transport" {
			r.driverAt = r.beside(driverHeads)
		}
		r.travellerAt = r.beside(oneTravellerHeads)
		if mode := r.placeOf("mode"); r.travellerAt < 0 && mode >= 0 && r.asksPeople(mode) {
			r.travellerAt = r.beside(personNames)
		}
	}
}

// asksPeople reports whether a column has the answers to a question, so that each row is of one person.
func (r *Reader) asksPeople(at int) bool { return questionOf(r.heads[at]) != "" }

// traveller makes one passenger of a row with the name of one.
func (r *Reader) traveller(b *body, cells []string) {
	if r.travellerAt < 0 || b.has("passengers") {
		return
	}
	if r.countsTickets(cells) {
		return // it is not said of which number that is
	}
	if oneName(Unguard(oneCell(cells, r.travellerAt))) {
		b.set("passengers", json.RawMessage("1"))
	}
}

// notOneName are words of a text that names no person, or several.
const notOneName wordList = "notOneName"

// oneName reports whether a text is the name of one person: WEBB/ADA MRS or Webb, Ada, and not Ada Webb, Ken Ito.
func oneName(text string) bool {
	if text == "" || len(text) > longestMark || strings.ContainsAny(text, ";:()&+\n0123456789") {
		return false
	}
	padded := " " + strings.ToLower(strings.ReplaceAll(text, "/", " / ")) + " "
	if notOneName.hasAny(strings.Split(padded, " ")) {
		return false
	}
	last, first, comma := strings.Cut(text, ",")
	if !comma {
		return !strings.Contains(text, " / ")
	}
	return !strings.Contains(first, ",") && (!strings.Contains(strings.TrimSpace(last), " ") || !strings.Contains(strings.TrimSpace(first), " "))
}

// countsTickets reports whether a row has another number than one of tickets, people or things.
func (r *Reader) countsTickets(cells []string) bool {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		cell := oneCell(cells, at)
		if cell != "" && cell != "1" && (ticketCounts.has(plain(head)) || len(cell) < 4 && strings.Trim(cell, "0123456789") == "" && manyTickets.hasAny(headWords(head))) {
			return true
		}
	}
	return false
}
