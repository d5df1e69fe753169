package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/units"
)

var (
	// companionHeads are headings of how many people come with the one of a row, normalized by plain.
	companionHeads = []string{"guests", "numberofguests", "noofguests", "guestcount", "additionalguests", "numberofadditionalguests", "+1", "+1s", "plusone", "plusones", "plus1", "companion", "companions", "numberofcompanions", "accompanyingperson", "accompanyingpersons", "accompanyingguests", "additionalpeople", "additionalpersons", "additionalpassengers", "children", "kids", "gäste", "anzahlgäste", "begleitung", "begleitperson", "begleitpersonen", "anzahlbegleitpersonen", "weiterepersonen", "kinder", "accompagnants", "acompañantes"}
	// absentWords are words of headings of how many of the people do not come, besides those of people online.
	absentWords = []string{"noshow", "noshows", "cancelled", "canceled", "cancellations", "declined", "absent", "storniert", "stornierungen", "stornos", "abgesagt", "absagen", "abwesend"}
	// presentHeads are those of the people who come, normalized by plain.
	presentHeads = []string{"inperson", "onsite", "vorort", "inpräsenz", "präsenz"}
	// personHeads are headings of one person for each row, normalized by plain, besides names.
	personHeads = []string{"email", "emailaddress", "e-mail", "mail", "emailadresse", "attendeeemail", "badgename"}
	// otherNumbers are words of headings of numbers that are no people.
	otherNumbers = []string{"id", "no", "nr", "number", "nummer", "code", "ref", "reference", "order", "ticket", "badge", "booking", "age", "alter", "phone", "tel", "telephone", "telefon", "mobile", "mobil", "handy", "price", "fee", "cost", "preis", "amount", "betrag", "paid", "date", "datum", "time", "zeit", "zip", "plz", "postcode", "km", "miles", "mi", "distance", "distanz", "entfernung", "co", "kg", "lat", "lon", "lng", "latitude", "longitude", "night", "nights", "nächte", "seat", "room", "table", "tisch", "zimmer", "year", "jahr", "rank", "line", "row", "zeile", "fare", "gross", "net", "value", "spend", "brutto", "netto", "umsatz", "prix", "precio", "montant", "importe", "vat", "tax", "currency", "gdpr"}
)

// peopleMark returns what a column of a list of people says of how many there are; noMark: nothing.
func (r *Reader) peopleMark(at int) mark {
	if r.typ != footprint.OriginRows {
		return noMark
	}
	head := r.heads[at]
	words := wordsOf(head)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	people := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "people" })
	person := slices.ContainsFunc(r.heads, func(other string) bool {
		name := plain(other)
		return slices.Contains(personHeads, name) || slices.Contains(travellerHeads, name) || slices.Contains(oneTravellerHeads, name) || slices.Contains(guestHeads, name)
	})
	switch {
	case people >= 0:
		if !slices.Contains(presentHeads, plain(r.heads[people])) && (has(onlineWords) || has(absentWords) || strings.Contains(strings.Join(words, " "), "no show")) {
			return absent
		}
	case slices.Contains(companionHeads, plain(strings.ReplaceAll(head, "-", " "))):
		return companions
	case !person && !has(otherNumbers):
		return counts
	}
	return noMark
}

// countsPeopleIn reports whether a cell of such a column has people that the row would not count, or would count too much.
func countsPeopleIn(kind mark, cell string) bool {
	cell = Unguard(cell)
	if share, ok := strings.CutSuffix(cell, "%"); ok && kind == counts {
		return bareNumber(share)
	}
	if kind == companions {
		if yes, known := fields.Truth(cell); known {
			return yes
		}
		cell = strings.TrimPrefix(cell, "+")
	}
	return bareNumber(cell) && !units.IsDate(cell) && strings.ContainsAny(cell, "123456789") && (kind != counts || cell != "1")
}

// uncounted is the fault of a row that has a number of people beside the one that counts.
func (r *Reader) uncounted(at int, kind mark, cell string) *apperr.Detail {
	message := "%s is %.40q, and the row would count as one person. Head the column people if it is how many come, or leave it out."
	switch kind {
	case companions:
		message = "%s is %.40q, and the row would count as one person. Write into a column people how many come altogether, and leave this one out."
	case absent:
		message = "%s is %.40q: who does not come does not travel, and the row would count all of its people. Write into the column of people how many come, and leave this one out."
	default:
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"people"}, Message: fmt.Sprintf(message, r.heads[at], cell)}
}
