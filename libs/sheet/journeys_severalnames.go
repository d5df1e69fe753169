package sheet

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// betweenNames are words and signs between the names of several people.
const betweenNames wordlist.List = "betweenNames"

// initialFirst is a name that begins with initials, and namePart a word of a name.
var (
	initialFirst = regexp.MustCompile(`^(?:\p{Lu}\.[ -]?)+\p{Lu}[\p{L}'’-]+$`)
	namePart     = regexp.MustCompile(`^\p{Lu}[\p{L}'’.-]*$`)
)

// namesIn returns how many people a text names, each with a first and a family name; 0 if it may be another number, as in Smith, Jones or
// van Dyck, Anna Maria.
func namesIn(text string) int {
	if len(text) > 2*longestMark || strings.ContainsAny(text, "()0123456789:") {
		return 0
	}
	apart := text
	for _, sign := range betweenNames.All() {
		apart = strings.ReplaceAll(apart, sign, ";")
	}
	names, commas := 0, false
	for name := range strings.SplitSeq(apart, ";") {
		parts := strings.Split(name, ",")
		commas = commas || len(parts) > 1
		for _, part := range parts {
			if names++; !isFullName(strings.TrimSpace(part)) || commas && !initialFirst.MatchString(strings.TrimSpace(part)) {
				return 0 // of a comma, family names may be before it
			}
		}
	}
	return names
}

// isFullName reports whether a text is a first and a family name, or more of them.
func isFullName(text string) bool {
	words := strings.Fields(text)
	if notOneName.HasAny(wordsOf(text)) || len(words) > 4 {
		return false
	}
	return initialFirst.MatchString(text) || len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool { return !namePart.MatchString(word) })
}

// severalTravellers makes passengers of the names of several people in a row.
func (r *travellers) severalTravellers(row *row) *apperr.Detail {
	if !r.name.found() || row.has("passengers") || r.countsTickets(row.cells) {
		return nil
	}
	if n := namesIn(Unguard(oneCell(row.cells, r.name.index()))); n > 1 {
		row.set("passengers", json.RawMessage(strconv.Itoa(n)))
	}
	return nil
}

// publicModes are the modes of which a ticket is for one passenger.
var publicModes = []string{"bus", "coach", "rail", "international_rail", "tram", "metro", "ferry"}

// findTicketCount finds the column of how many tickets there are of each journey, in a table that has neither passengers nor the names of
// travellers.
func (r *travellers) findTicketCount() {
	if r.typ != "flights" && r.typ != "ground-transport" || r.name.found() || r.driver.found() || r.heading("passengers", "vehicles", "volumeLitres", "energyKWh") ||
		slices.ContainsFunc(r.claims, func(c claim) bool { return c.is&derives != 0 && r.counts[c.at] == ofPerson }) {
		return
	}
	for at, head := range r.heads {
		words := wordsOf(head)
		if !r.free(at) || len(words) == 0 || !manyTickets.Has(words[len(words)-1]) || slices.ContainsFunc(words, func(word string) bool {
			return !manyTickets.Has(word) && !numberWords.Has(word) && !countFirst.Has(word)
		}) {
			continue
		}
		r.tickets = placeAt(at)
		r.claim(r.tickets, "passengers", derives|shown)
		r.addCounts(at)
		return
	}
}

// ticketCount makes passengers of the tickets of a row, by a mode of which each is for one.
func (r *travellers) ticketCount(row *row) *apperr.Detail {
	if !r.tickets.found() || row.has("passengers") || r.typ == "ground-transport" && !slices.Contains(publicModes, row.text("mode")) {
		return nil
	}
	n, err := strconv.Atoi(Unguard(oneCell(row.cells, r.tickets.index())))
	if err == nil && n > 0 {
		row.set("passengers", json.RawMessage(strconv.Itoa(n)))
	}
	return nil
}
