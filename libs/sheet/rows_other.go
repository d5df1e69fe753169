package sheet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// Heads of what a row of a travel agency is about, as plain writes them; services are the lists of words of what it is, by
// type, and the others of serviceWords something else.
const (
	serviceHeads wordlist.List = "serviceHeads"
	serviceWords wordlist.List = "serviceWords"
	servicesOf                 = "services"
	// cameByHeads are those of serviceHeads that may be about how somebody came to a hotel.
	cameByHeads wordlist.List = "cameByHeads"
)

// hasServices reports whether lists of agencies have rows of a type among others.
func hasServices(typ string) bool { return len(wordlist.OfType(typ, servicesOf).All()) > 0 }

// headsService reports whether a heading, as plain writes it, is that of what the rows of an agency are about. In a table of flights
// that of a mode of transport is one, too; in a list of guests it says how they came.
func (r *marks) headsService(name string) bool {
	if r.typ == "ground-transport" && r.heading("mode") {
		return false // which says what a row is
	}
	if r.typ == "accommodation" && cameByHeads.Has(name) {
		return false
	}
	return serviceHeads.Has(name) || r.typ == "flights" && headsMode(name)
}

// headsMode reports whether a heading, as plain writes it, is one of the mode of transport of people.
func headsMode(name string) bool {
	mode := columnOf("ground-transport", "mode")
	return slices.Contains(mode.headings, name) || slices.Contains(mode.titles, name)
}

// otherService reports whether a cell below a heading names a service other than that of the file's records.
func (r *marks) otherService(at int, cell string) bool {
	words := wordsOf(cell)
	if wordlist.OfType(r.typ, servicesOf).HasAny(words) {
		return false
	}
	if serviceWords.HasAny(words) {
		return true
	}
	if r.typ != "flights" || !headsMode(plain(r.heads[at])) {
		return false
	}
	values := columnOf(footprint.OriginRows, "mode").values
	mode := cmp.Or(answeredMode("ground-transport", cell, values), columnOf("freight", "mode").values[key(cell)])
	return mode != "" && mode != "plane" && mode != "air"
}

// namesOtherService reports whether a text, such as a description, is nothing but the name of a service other than that of records of
// a type: Train, and not Train to the airport.
func namesOtherService(typ, text string) bool {
	word := strings.ToLower(text)
	return serviceWords.Has(word) && !wordlist.OfType(typ, servicesOf).Has(word)
}

// Heads of which way energy goes, as plain writes them, and words of ways that are no
// consumption.
const (
	flowHeads wordlist.List = "flowHeads"
	flowWords wordlist.List = "flowWords"
	// flowLines are words that mean such ways in any column.
	flowLines wordlist.List = "flowLines"
)

// isFlow reports whether a cell in any column of a table of energy is about such a way.
func (r *marks) isFlow(at int, cell string) bool {
	return (r.typ == "energy" || r.typ == "venue") && (r.free(at) || at == r.typeAt.index() || r.columns[at].Name == "description") && len(cell) <= longestMark && flowLines.HasAny(wordsOf(cell))
}

// Heads of amounts that were paid back, and of those of debits and credits, as plain writes them.
const (
	refundHeads wordlist.List = "refundHeads"
	creditHeads wordlist.List = "creditHeads"
	debitHeads  wordlist.List = "debitHeads"
)

// reimbursementHeads are those of what an employee got for kilometres driven, too.
const reimbursementHeads wordlist.List = "reimbursementHeads"

// reimburses reports whether a heading is that of a reimbursement in a list of kilometres driven, and of no refund.
func (r *marks) reimburses(head string) bool {
	return r.typ == "ground-transport" && r.heading(distanceField) && reimbursementHeads.Has(head)
}

// debited reports whether a row also has an amount of debits.
func (r *marks) debited(cells []string) bool {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if stem, _, ok := unitOfHead(head); ok {
			head = stem
		}
		if debitHeads.Has(plain(head)) && strings.ContainsAny(cells[at], "123456789") {
			return true
		}
	}
	return false
}

// unsettledWords are states of people of whom it is not known that they came, and paymentParts parts of headings of the state of a
// payment, which says nothing of that.
const (
	unsettledWords wordlist.List = "unsettledWords"
	paymentParts   wordlist.List = "paymentParts"
	// settledWords are those of people who come, beside which the others are about something else: registered, payment pending.
	settledWords wordlist.List = "settledWords"
)

// unsettled reports whether the words of the state of a person, other than that of a payment, leave open whether the person came.
func (r *marks) unsettled(at int, words []string) bool {
	return r.typ == footprint.OriginRows && unsettledWords.HasAny(words) && (!settledWords.HasAny(words) || besideStates.Has(words[0])) &&
		!slices.ContainsFunc(paymentParts.All(), func(part string) bool { return strings.Contains(plain(r.heads[at]), part) })
}
