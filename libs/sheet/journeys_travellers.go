package sheet

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// travellers are the people of journeys, and what they travel with.
type travellers struct {
	*table
	// name is the column of the names of travellers, id that of what they are known by where there are no names, and driver that of
	// the names of drivers in a table of journeys that counts neither people nor vehicles.
	name, id, driver place
	// tickets is the column of how many tickets there are, in a table without names.
	tickets place
	// modes are the places of trains and of products that name the mode of journeys.
	modes []int
}

// oneTravellerHeads are headings of the names of travellers, of whom each row of a booking system has one, normalized
// by plain.
const oneTravellerHeads wordlist.List = "oneTravellerHeads"

// ticketCounts are headings of how many tickets or people a row is about, normalized by plain.
const ticketCounts wordlist.List = "ticketCounts"

// manyTickets are words of such headings that are plurals: Nº billetes, and not Nº billete, which numbers one.
const manyTickets wordlist.List = "manyTickets"

// findTraveller finds the names of travellers in a table of journeys that does not say how many there are.
func (r *travellers) findTraveller() {
	if (r.typ == "flights" || r.typ == "ground-transport") && !r.heading("passengers", "vehicles", "volumeLitres", "energyKWh") {
		if r.typ == "ground-transport" {
			r.driver = r.beside(driverHeads)
			r.claim(r.driver, "", tells)
		}
		r.name = r.beside(oneTravellerHeads)
		if mode := r.placeOf("mode"); !r.name.found() && mode >= 0 && r.asksPeople(mode) {
			r.name = r.beside(personNames)
		}
		there, _ := r.wayColumns()
		far, _ := r.wayDistances()
		if !r.name.found() && (there.found() || far.found()) {
			r.name = r.beside(personNames)
		}
		if !r.name.found() {
			r.id = r.beside(personIDHeads)
			r.claim(r.id, "", tells)
		}
		r.claim(r.name, "", rates|tells)
	}
}

// personIDHeads are headings of what people are known by in programs, normalized by plain: Employee ID, Personalnummer.
const personIDHeads wordlist.List = "personIdHeads"

// onePersonID reports whether a cell is what one person is known by: E-1042, and not E-1042, E-1043 or Various.
func onePersonID(cell string) bool {
	return len(cell) <= longestMark && strings.ContainsAny(cell, "0123456789") && !strings.ContainsAny(cell, " ,;/&+|\n")
}

// asksPeople reports whether a column has the answers to a question, so that each row is of one person.
func (r *travellers) asksPeople(at int) bool { return questionOf(r.heads[at]) != "" }

// traveller makes one passenger of a row with the name of one.
func (r *travellers) traveller(row *row) *apperr.Detail {
	if !r.name.found() && !r.id.found() || row.has("passengers") {
		return nil
	}
	if r.countsTickets(row.cells) {
		return nil // it is not said of which number that is
	}
	if r.id.found() {
		if onePersonID(Unguard(oneCell(row.cells, r.id.index()))) {
			row.set("passengers", json.RawMessage("1"))
		}
		return nil
	}
	if oneName(Unguard(oneCell(row.cells, r.name.index()))) {
		row.set("passengers", json.RawMessage("1"))
	}
	return nil
}

// notOneName are words of a text that names no person, or several.
const notOneName wordlist.List = "notOneName"

// oneName reports whether a text is the name of one person: WEBB/ADA MRS or Webb, Ada, and not Ada Webb, Ken Ito.
func oneName(text string) bool {
	if text == "" || len(text) > longestMark || strings.ContainsAny(text, ";:()&+\n0123456789") {
		return false
	}
	padded := " " + strings.ToLower(strings.ReplaceAll(text, "/", " / ")) + " "
	if notOneName.HasAny(strings.Split(padded, " ")) {
		return false
	}
	last, first, comma := strings.Cut(text, ",")
	if !comma {
		return !strings.Contains(text, " / ")
	}
	return !strings.Contains(first, ",") && (!strings.Contains(strings.TrimSpace(last), " ") || !strings.Contains(strings.TrimSpace(first), " "))
}

// countsTickets reports whether a row has another number than one of tickets, people or things.
func (r *travellers) countsTickets(cells []string) bool {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		cell := oneCell(cells, at)
		if cell == "" || cell == "1" {
			continue
		}
		few := len(cell) < 4 && strings.Trim(cell, "0123456789") == ""
		if ticketCounts.Has(plain(head)) || few && (manyTickets.HasAny(headWords(head)) || r.free(at) && namesPeople(r.typ, head)) {
			return true
		}
	}
	return false
}

// namesPeople reports whether a word of a heading is one for the people of journeys: Passengers booked.
func namesPeople(typ, head string) bool {
	field, people := columnOf(typ, "passengers"), wordlist.OfType("several", string(ofPerson))
	return slices.ContainsFunc(wordsOf(head), func(word string) bool {
		return word == field.Name || people.Has(word) || slices.Contains(field.headings, word)
	})
}
