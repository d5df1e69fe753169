package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// Heads of what a row of a travel agency is about, as plain writes them; servicesOf are the words
// of what it is, by type, and the others of serviceWords something else.
var (
	serviceHeads = []string{"mode", "modeoftravel", "travelmode", "traveltype", "typeoftravel", "transport", "transportmode", "modeoftransport", "segmenttype", "segment", "producttype", "product", "service", "servicetype", "bookingtype", "category", "expensetype", "verkehrsmittel", "reiseart", "leistung", "leistungsart", "buchungsart", "produkt", "moyendetransport"}
	servicesOf   = map[string][]string{
		"flights":       {"air", "flight", "flights", "plane", "flug", "flüge", "avion", "vuelo"},
		"accommodation": {"hotel", "hotels", "lodging", "accommodation", "room", "stay", "unterkunft", "übernachtung", "hébergement", "hostel", "apartment", "bed", "board", "rooms", "night", "nights", "zimmer", "nuit", "nuits", "chambre", "habitación"}, //nolint:misspell // French
	}
	serviceWords = []string{"air", "flight", "flights", "plane", "flug", "flüge", "avion", "vuelo", "rail", "train", "trains", "bahn", "zug", "eurostar", "tren", "hotel", "hotels", "lodging", "accommodation", "unterkunft", "übernachtung", "hébergement", "car", "cars", "mietwagen", "pkw", "taxi", "bus", "coach", "ferry", "fähre", "breakfast", "frühstück", "parking", "parken", "insurance", "versicherung", "seat", "baggage", "luggage", "gepäck"}
)

// otherService reports whether a cell names something else than what the file's records are.
func (r *Reader) otherService(cell string) bool {
	words := wordsOf(cell)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return has(serviceWords) && !has(servicesOf[r.typ])
}

// Heads of which way energy goes, as plain writes them, and words of ways that are no
// consumption.
var (
	flowHeads = []string{"register", "channel", "direction", "flow", "flowdirection", "energydirection", "measurement", "measurementtype", "readingtype", "registertype", "richtung", "energierichtung", "kanal", "zählwerk", "messart"}
	flowWords = []string{"export", "exported", "einspeisung", "rückspeisung", "rücklieferung", "injection", "reactive", "blindarbeit", "blindstrom", "blindenergie"}
)

// Heads of amounts that were paid back, and of those of debits and credits, as plain writes them.
var (
	refundHeads = []string{"refund", "refundamount", "refundedamount", "amountrefunded", "totalrefund", "totalrefunded", "erstattung", "erstattungsbetrag", "rückerstattung", "rückerstattungsbetrag", "remboursement", "montantremboursé", "reembolso"}
	creditHeads = []string{"credit", "credits", "creditamount", "haben", "habenbetrag", "crédit", "haber"}
	debitHeads  = []string{"debit", "debits", "debitamount", "soll", "sollbetrag", "débit", "debe"}
)

// debited reports whether a row has an amount of debits too.
func (r *Reader) debited(cells []string) bool {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if stem, _, ok := unitOfHead(head); ok {
			head = stem
		}
		if slices.Contains(debitHeads, plain(head)) && strings.ContainsAny(cells[at], "123456789") {
			return true
		}
	}
	return false
}

// peopleHeads are heads of how many people come, or of their names, as plain writes them.
var peopleHeads = []string{"attendees", "delegates", "participants", "registrants", "registrations", "visitors", "totalattendees", "teilnehmer", "teilnehmende", "teilnehmerinnen", "besucher", "besuchende", "anmeldungen", "asistentes", "tickets", "inperson", "onsite", "vorort", "inpräsenz", "präsenz"}

// findPeople finds the numbers of people in a list of where they come from, where no column is
// certainly one of them.
func (r *Reader) findPeople() {
	if r.typ != footprint.OriginRows || r.heading("people") {
		return
	}
	if r.peopleAt = r.aside(peopleHeads); r.peopleAt >= 0 {
		known := Columns(r.typ)
		r.columns[r.peopleAt] = known[slices.IndexFunc(known, func(c Column) bool { return c.Name == "people" })]
	}
}

// serialHeads are heads of how many people come, or of the numbers of rows, as plain writes them.
var serialHeads = []string{"number", "count", "no", "nr", "anzahl"}

// serialRows is how many rows in a row have their own number before it is no number of people.
const serialRows = 3

// serial returns the fault of a row whose number of people is its own number, as those of all
// rows before.
func (r *Reader) serial(b *body) *apperr.Detail {
	if r.typ != footprint.OriginRows {
		return nil
	}
	at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "people" })
	if at < 0 || !slices.Contains(serialHeads, plain(r.heads[at])) {
		return nil
	}
	r.rowsRead++
	if string(b.values["people"]) == strconv.Itoa(r.rowsRead) && r.serials == r.rowsRead-1 {
		r.serials++
	}
	if r.serials < serialRows || r.serials != r.rowsRead {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"people"},
		Message: fmt.Sprintf("%s counts the rows from 1 to %d; as numbers of people they would come to %d. Delete the column, or head it people if that is what it is.", r.heads[at], r.serials, r.serials*(r.serials+1)/2)}
}
