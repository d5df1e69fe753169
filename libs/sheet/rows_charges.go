package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// ExchangedTicket is the code of a ticket that was issued in exchange for another one: of the two only one journey was made.
const ExchangedTicket = "EXCHANGED_TICKET"

// Lists of words of lines of invoices, by type: charges for something beside what its records are, with the same places,
// nights or kilowatt hours as its line, such as fees, seats and taxes; and what the records are. A line with one of those is
// about that.
const (
	charges = "charges"
	mains   = "mains"
)

const (
	everyCharge wordlist.List = "everyCharge"
	// chargeEndings are the endings of German words for charges.
	chargeEndings wordlist.List = "chargeEndings"
	// joinings are words beside which a charge is a part of a line, or there is none.
	joinings wordlist.List = "joinings"
	// exchanges are words of tickets that replace others, and exchangePhrases the same in several words.
	exchanges       wordlist.List = "exchanges"
	exchangePhrases wordlist.List = "exchangePhrases"
)

// longestCharge is how many words a text of a charge has at most; longer ones are remarks.
const longestCharge = 6

// besideCharges are words that occur with those of charges in a text about charges only.
const besideCharges wordlist.List = "besideCharges"

// isOnlyCharge is isCharge of a text that people write freely: Seat selection is one, and Seat holders is not.
func isOnlyCharge(typ, text string) bool {
	if !isCharge(typ, text) {
		return false
	}
	words := chargeWords(text)
	return namesCharge(typ, words) || !slices.ContainsFunc(words, func(word string) bool {
		return !wordlist.OfType(typ, charges).Has(word) && !besideCharges.Has(word) && !endsInCharge(typ, word) && !strings.ContainsAny(word, "0123456789")
	})
}

// namesCharge reports whether words together are a word for a charge: Car wash, of which Car alone is what the records are.
func namesCharge(typ string, words []string) bool {
	return wordlist.OfType(typ, charges).Has(strings.Join(words, ""))
}

// chargeWords returns the words of a text as the lists of charges have them.
func chargeWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return strings.ContainsRune(" /,;:().|\t\n\u00a0", c) })
}

// endsInCharge reports whether a German word is one for a charge.
func endsInCharge(typ, word string) bool {
	return slices.ContainsFunc(chargeEndings.All(), func(ending string) bool {
		return strings.HasSuffix(word, ending) && !wordlist.OfType(typ, mains).Has(word)
	})
}

// hasCharges reports whether lines of invoices beside records of a type may be charges.
func hasCharges(typ string) bool { return len(wordlist.OfType(typ, charges).All()) > 0 }

// isCharge reports whether a text is about a charge beside what the records of a type are.
func isCharge(typ, text string) bool {
	words := chargeWords(text)
	if !hasCharges(typ) || len(words) > longestCharge || joinings.HasAny(words) || strings.ContainsAny(text, "&+") {
		return false
	}
	if slices.ContainsFunc(words, func(word string) bool { return endsInCharge(typ, word) }) {
		return true
	}
	if namesCharge(typ, words) {
		return true
	}
	return wordlist.OfType(typ, charges).HasAny(words) && (!wordlist.OfType(typ, mains).HasAny(words) || everyCharge.Has(words[len(words)-1]))
}

// charge returns the fault of a row that charges for something beside what the records of its type are, or that is a ticket
// which replaces another one. Whatever else is wrong with such a row does not matter.
func (r *marks) charge(typ string, cells []string) *apperr.Detail {
	for _, at := range r.subjects.at {
		if fault := r.chargeIn(at, typ, Unguard(oneCell(cells, at))); fault != nil {
			return fault
		}
	}
	for at, kind := range r.of[:min(len(r.of), len(cells))] {
		if kind == states && !slices.Contains(r.subjects.at, at) {
			if fault := r.exchanged(at, typ, Unguard(oneCell(cells, at))); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// isExchange reports whether a cell states that a ticket replaces another one: in a column of kinds of rows a word for it is
// enough, any other cell must contain nothing else.
func (r *marks) isExchange(at int, text string) bool {
	words := chargeWords(text)
	if exchangePhrases.Has(strings.Join(words, " ")) {
		return true
	}
	return exchanges.HasAny(words) && (r.saysKind(at) || !slices.ContainsFunc(words, func(word string) bool {
		return !exchanges.Has(word) && !besideCharges.Has(word)
	}))
}

// saysKind reports whether a column has kinds of rows, and no texts that people write freely.
func (r *marks) saysKind(at int) bool {
	head := plain(r.heads[at])
	return at == r.typeAt.index() || r.columns[at].Name == "" && (at < len(r.of) && r.of[at] == states || stateHeads.Has(head) || ticketHeads.Has(head) || serviceHeads.Has(head))
}

// exchanged returns the fault of a row that is a ticket which replaces another one.
func (r *marks) exchanged(at int, typ, cell string) *apperr.Detail {
	if typ != "flights" && typ != "ground-transport" || len(cell) > longestMark || !r.isExchange(at, cell) || stopped(cell) || isCharge(typ, cell) {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: ExchangedTicket,
		Message: fmt.Sprintf("%s is %.60q: the ticket replaces another one, and only one of the two journeys was made. Delete the row of the ticket that was not used; then empty the cell if this one counts.", r.heads[at], cell)}
}

// chargeIn returns the fault of a row of which one cell says that it is no record of its type.
func (r *marks) chargeIn(at int, typ, cell string) *apperr.Detail {
	if len(cell) > longestMark {
		return nil
	}
	if fault := r.exchanged(at, typ, cell); fault != nil {
		return fault
	}
	if typ == "purchases" && isTaxLine(cell) {
		return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
			Message: fmt.Sprintf("%s is %.60q: the tax on what was bought, or a discount, is no purchase. Delete the row from the file, or empty the cell where the row counts all the same.", r.heads[at], cell)}
	}
	if !isCharge(typ, cell) || !r.saysKind(at) && !isOnlyCharge(typ, cell) {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
		Message: fmt.Sprintf("%s is %.60q: a charge is no record of %s. Delete the row from the file, or empty the cell where the row counts all the same.", r.heads[at], cell, typ)}
}

// taxLines are words of lines of invoices about the tax on the others, or a discount, and besideTaxes those that stand beside them.
const (
	taxLines    wordlist.List = "taxLines"
	besideTaxes wordlist.List = "besideTaxes"
)

// isTaxLine reports whether a line of an invoice is only about tax or a discount: VAT @ 20%, zzgl. 19 % MwSt., Rabatt.
func isTaxLine(text string) bool {
	words := wordsOf(text)
	return taxLines.HasAny(words) && !slices.ContainsFunc(words, func(word string) bool { return !taxLines.Has(word) && !besideTaxes.Has(word) })
}
