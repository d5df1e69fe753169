package sheet

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// ExchangedTicket is the code of a ticket that was issued in exchange for another one: of the two only one journey was made.
const ExchangedTicket = "EXCHANGED_TICKET"

// charges are words of lines of invoices that charge for something beside what the records of a type are, with the same
// places, nights or kilowatt hours as its line: fees, seats, taxes. mains are words of what the records are; a line
// with one is about that.
var (
	charges = map[string][]string{
		"flights": slices.Concat(everyCharge, ticketCharges, []string{"emd", "emda", "emds", "emd-a", "emd-s", "mco", "adm", "acm", "tasf", "legroom", "ancillary", "ancillaries", "lounge", "wifi", "bag", "bags", "baggage", "luggage", "upgrade",
			"gepäck", "gepäckstück", "gepäckstücke", "koffer", "übergepäck", "freigepäck", "bagage", "equipaje"}),
		"ground-transport": slices.Concat(everyCharge, ticketCharges, []string{"bahncard", "railcard", "interrail", "ermäßigungskarte", "reservation", "reservations", "reservierung", "reservierungen", "réservation"}),
		"accommodation": slices.Concat(everyCharge, []string{"breakfast", "frühstück", "minibar", "parking", "parken", "parkplatz", "garage", "laundry", "wäsche", "wäscherei", "telephone", "telefon", "wifi", "wlan", "internet", "restaurant", "bar",
			"spa", "wellness", "kurtaxe", "ortstaxe", "bettensteuer", "citytax", "beherbergungssteuer", "übernachtungssteuer", "tourismusabgabe", "cot", "zustellbett", "dinner", "abendessen", "lunch", "mittagessen", "drinks", "getränke", "halbpension"}),
		"freight": {"fee", "fees", "surcharge", "surcharges", "toll", "tolls", "maut", "verzollung", "zollabwicklung", "baf", "thc", "demurrage", "detention", "wartezeit", "standgeld", "lagergeld"},
		"energy":  energyCharges, "venue": energyCharges, "water": energyCharges,
		"catering": slices.Concat(everyCharge, []string{"linen", "linens", "staff", "staffing", "waiter", "waiters", "delivery", "crockery", "cutlery", "glassware", "equipment", "furniture", "hire", "corkage", "cleaning", "kitchen", "setup", "servicepersonal", "küchenpersonal",
			"kellner", "koch", "lieferung", "anlieferung", "anfahrt", "geschirr", "besteck", "geschirrmiete", "tischwäsche", "mobiliar", "miete", "reinigung", "endreinigung", "korkgeld", "aufbau", "abbau"}),
	}
	everyCharge   = []string{"fee", "fees", "surcharge", "surcharges", "supplement", "insurance", "levy", "tax", "taxes", "vat", "mwst", "ust", "penalty", "deposit", "voucher", "gratuity", "tip", "tips", "discount", "rounding", "offset", "offsetting", "postage", "gebühr", "gebühren", "zuschlag", "zuschläge", "versicherung", "steuer", "steuern", "pfand", "kaution", "gutschein", "trinkgeld", "rabatt", "kompensation", "frais", "taxe", "assurance"} //nolint:misspell // German
	ticketCharges = []string{"seat", "seats", "seating", "sitzplatz", "sitzplätze", "sitzplatzreservierung", "sitzplatzreservierungen", "platzreservierung", "platzkarte", "reservierungsentgelt"}
	energyCharges = slices.Concat(everyCharge, []string{"standing", "ccl", "duos", "tnuos", "bsuos", "grundpreis", "stromsteuer", "energiesteuer", "netzentgelt", "netzentgelte", "netznutzung", "netznutzungsentgelt", "konzessionsabgabe",
		"abgabe", "abgaben", "umlage", "umlagen", "messstellenbetrieb", "messung", "zählermiete", "abrechnung", "leistungspreis", "capacité", "abonnement"})
	// chargeEndings are the endings of German words for charges.
	chargeEndings = []string{"gebühr", "gebühren", "entgelt", "entgelte", "zuschlag", "steuer", "umlage", "abgabe", "versicherung"}

	mains = map[string][]string{
		"flights": {"air", "airfare", "flight", "flights", "plane", "ticket", "tickets", "tkt", "fare", "flug", "flüge", "flugticket", "flugschein", "avion", "vol", "vuelo", "economy", "business", "premium", "class"},
		"ground-transport": {"ticket", "tickets", "fare", "train", "rail", "coach", "bus", "taxi", "car", "fahrkarte", "fahrkarten", "fahrschein", "fahrt", "zug", "flexpreis", "sparpreis", "supersparpreis", "billet", "single", "return", "anytime", "hire", "rental",
			"mietwagen", "transfer", "mileage"},
		"accommodation": {"room", "rooms", "night", "nights", "accommodation", "hotel", "lodging", "stay", "bed", "zimmer", "einzelzimmer", "doppelzimmer", "übernachtung", "übernachtungen", "logis", "unterkunft", "chambre", "nuit", "nuits", "habitación", "suite", "apartment", "king", "double", "single", "twin"}, //nolint:misspell // French
		"freight":       {"freight", "haulage", "transport", "carriage", "fracht", "seefracht", "luftfracht", "spedition"},
		"energy":        {"consumption", "usage", "used", "verbrauch", "arbeitspreis", "arbeit", "energieverbrauch", "lieferung", "fuel", "litres"},
		"venue":         {"consumption", "usage", "used", "verbrauch", "arbeitspreis"},
		"water":         {"consumption", "usage", "used", "water", "supply", "wasser", "trinkwasser", "frischwasser", "wasserverbrauch"},
		"catering":      {"menu", "menü", "buffet", "lunch", "dinner", "breakfast", "meal", "meals", "mittagessen", "abendessen", "essen", "gericht", "vegetarian", "vegan", "vegetarisch", "canapés", "sandwich", "sandwiches", "fingerfood", "platte"},
	}
	// joinings are words beside which a charge is a part of a line, or there is none.
	joinings = []string{"incl", "including", "excl", "excluding", "exkl", "zzgl", "net", "netto", "included", "inclusive", "inkl", "inklusive", "with", "mit", "plus", "and", "und", "waived", "free", "no", "without", "ohne", "avec", "inclus"}
	// exchanges are words of tickets that replace others.
	exchanges = []string{"exchange", "exchanged", "exch", "reissue", "reissued", "rebooking", "rebooked", "umbuchung", "umgebucht", "umtausch", "neuausstellung", "échange", "cambio"}
)

// longestCharge is how many words a text of a charge has at most; longer ones are remarks.
const longestCharge = 6

// besideCharges are words that stand beside those of charges in a text about nothing else.
var besideCharges = []string{
	"extra", "additional", "excess", "checked", "hold", "hand", "cabin", "selection", "preferred", "advance", "window", "aisle", "exit", "row", "priority", "service", "services", "booking", "change", "agency", "ticket", "ticketing", "handling", "card", "credit", "payment",
	"admin", "administration", "processing", "cancellation", "airport", "security", "carbon", "co2", "climate", "access", "room", "single", "double", "city", "tourism", "tourist", "local", "occupancy", "visitor", "night", "day", "daily", "per", "pro", "je", "car", "onsite", "charge", "charges", "cost", "costs",
	"waiting", "kitchen", "bar", "event", "serving", "table", "energy", "fuel", "electricity", "strom", "gas", "netz", "arbeitspreis", "ht", "nt", "kg", "kwh", "wagen", "platz", "fenster", "gang", "zusatz", "zusätzliches", "aufgegebenes", "for", "für", "of", "von", "the",
}

// isOnlyCharge is isCharge of a text that people write freely: Seat selection is one, and Seat holders is not.
func isOnlyCharge(typ, text string) bool {
	if !isCharge(typ, text) {
		return false
	}
	return !slices.ContainsFunc(chargeWords(text), func(word string) bool {
		return !slices.Contains(charges[typ], word) && !slices.Contains(besideCharges, word) && !endsInCharge(typ, word) && !strings.ContainsAny(word, "0123456789")
	})
}

// chargeWords returns the words of a text as the lists of charges have them.
func chargeWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return strings.ContainsRune(" /,;:().|\t\n\u00a0", c) })
}

// endsInCharge reports whether a German word is one for a charge.
func endsInCharge(typ, word string) bool {
	return slices.ContainsFunc(chargeEndings, func(ending string) bool { return strings.HasSuffix(word, ending) && !slices.Contains(mains[typ], word) })
}

// wordSets are the lists of words of a type; every row is looked up in them.
type wordSets struct{ charges, mains map[string]bool }

var chargeSets = sync.OnceValue(func() map[string]wordSets {
	out := map[string]wordSets{}
	for typ := range charges {
		out[typ] = wordSets{setOf(charges[typ]), setOf(mains[typ])}
	}
	return out
})

var joiningSet, exchangeSet = sync.OnceValue(func() map[string]bool { return setOf(joinings) }), sync.OnceValue(func() map[string]bool { return setOf(exchanges) })

func setOf(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, word := range words {
		out[word] = true
	}
	return out
}

// isCharge reports whether a text is about a charge beside what the records of a type are.
func isCharge(typ, text string) bool {
	words := chargeWords(text)
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(words, func(word string) bool { return set[word] })
	}
	of := chargeSets()[typ]
	if len(of.charges) == 0 || len(words) > longestCharge || has(joiningSet()) || strings.ContainsAny(text, "&+") {
		return false
	}
	if slices.ContainsFunc(words, func(word string) bool { return endsInCharge(typ, word) }) {
		return true
	}
	return has(of.charges) && (!has(of.mains) || slices.Contains(everyCharge, words[len(words)-1]))
}

// charge returns the fault of a row that charges for something beside what the records of its type are, or that is a ticket
// which replaces another one. Whatever else is wrong with such a row does not matter.
func (r *Reader) charge(typ string, cells []string) *apperr.Detail {
	for _, at := range r.subjects {
		if fault := r.chargeIn(at, typ, Unguard(oneCell(cells, at))); fault != nil {
			return fault
		}
	}
	return nil
}

// isExchange reports whether a cell says that a ticket replaces another one: one of a column of kinds of rows with a word for it,
// any other one if it says nothing else.
func (r *Reader) isExchange(at int, text string) bool {
	words := chargeWords(text)
	found := slices.ContainsFunc(words, func(word string) bool { return exchangeSet()[word] })
	return found && (r.saysKind(at) || !slices.ContainsFunc(words, func(word string) bool {
		return !slices.Contains(exchanges, word) && !slices.Contains(besideCharges, word)
	}))
}

// saysKind reports whether a column has kinds of rows, and no texts that people write freely.
func (r *Reader) saysKind(at int) bool {
	head := plain(r.heads[at])
	return at == r.typeAt || r.columns[at].Name == "" && (slices.Contains(stateHeads, head) || slices.Contains(ticketHeads, head) || slices.Contains(serviceHeads, head))
}

func (r *Reader) chargeIn(at int, typ, cell string) *apperr.Detail {
	if len(cell) > longestMark {
		return nil
	}
	if (typ == "flights" || typ == "ground-transport") && r.isExchange(at, cell) && !stopped(cell) && !isCharge(typ, cell) {
		return &apperr.Detail{Field: r.heads[at], Code: ExchangedTicket,
			Message: fmt.Sprintf("%s is %.60q: the ticket replaces another one, and only one of the two journeys was made. Delete the row of the ticket that was not used; then empty the cell if this one counts.", r.heads[at], cell)}
	}
	if !isCharge(typ, cell) || !r.saysKind(at) && !isOnlyCharge(typ, cell) {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
		Message: fmt.Sprintf("%s is %.60q: a charge is no record of %s. Delete the row from the file, or empty the cell where the row counts all the same.", r.heads[at], cell, typ)}
}
