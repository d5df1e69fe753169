package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// subjectHeads are headings of columns, other than fields, that say what a row is about, normalized by plain.
var subjectHeads = slices.Concat(serviceHeads, []string{
	"roomtype", "typeofroom", "roomcategory", "zimmerart", "zimmertyp", "zimmerkategorie", "item", "itemname", "menuitem", "dish", "productname", "gericht", "speise", "produktname", "itemdescription", "article", "name", "charge", "chargetype", "chargedescription", "utility", "commodity", "tariff", "linedescription", "details",
	"artikel", "artikelbezeichnung", "position", "bezeichnung", "medium", "sparte", "gebührenart", "désignation", "libellé", "concepto", "descripción",
})

// findSubjects finds the columns that say what a row is about, in files whose rows may be about something else.
func (r *Reader) findSubjects() {
	if len(charges[r.typ]) == 0 && r.typ != Mixed {
		return
	}
	for at, head := range r.heads {
		if name := r.columns[at].Name; name == "description" || at == r.typeAt && r.typ != Mixed || name == "" && says(head) {
			r.subjects = append(r.subjects, at)
		}
	}
}

// says reports whether a heading is that of what a row is about.
func says(head string) bool {
	head = plain(head)
	return slices.Contains(subjectHeads, head) || slices.Contains(stateHeads, head) || slices.Contains(ticketHeads, head)
}

// otherSubject returns the fault of a row that is about something that its record would count as something else.
func (r *Reader) otherSubject(b *body, typ string, cells []string) *apperr.Detail {
	for _, at := range r.subjects {
		if at >= len(cells) || len(cells[at]) > longestMark {
			continue
		}
		cell := Unguard(strings.TrimSpace(cells[at]))
		switch {
		case typ == "water" && b.has("supplyM3") && isSewerage(cell):
			return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
				Message: fmt.Sprintf("%s is %.60q: the water that was supplied counts with its treatment, so that the same water would count twice. Delete the row from the file.", r.heads[at], cell)}
		case typ == "catering" && b.has("meals") && !b.light() && isDrink(cell):
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"servings", "drinks"},
				Message: fmt.Sprintf("%s is %.60q, and meals counts main meals. Write the cups, glasses or bottles into a column servings, such as {\"coffee\": 90}, or the litres into drinks, such as {\"wine\": 30}.", r.heads[at], cell)}
		}
	}
	return nil
}

// has reports whether a row has a field, in whatever unit.
func (b *body) has(name string) bool { return b.values[name] != nil || b.stated[name] != "" }

// light reports whether a row says itself that its meals are no main ones.
func (b *body) light() bool {
	kind := strings.Trim(string(b.values["mealType"]), `"`)
	return kind == "snack" || kind == "breakfast"
}

// Words of the water that is taken away. Beside one of those of the water that is supplied a row is about both.
var (
	sewerPhrases = []string{"waste water", "surface water", "foul water", "used water", "trade effluent", "eaux usées", "aguas residuales"}
	sewerWords   = []string{"sewerage", "sewage", "sewer", "wastewater", "effluent", "drainage", "abwasser", "schmutzwasser", "niederschlagswasser", "regenwasser", "entwässerung", "kanal", "kanalgebühr", "abwassergebühr", "assainissement", "saneamiento", "alcantarillado"}
	supplyWords  = []string{"water", "supply", "supplied", "fresh", "freshwater", "potable", "drinking", "mains", "trinkwasser", "frischwasser", "wasser", "wasserversorgung", "bezug", "eau", "agua", "suministro", "combined"}
)

// isSewerage reports whether a text is about the water that is taken away, and not also about its supply.
func isSewerage(text string) bool {
	words := wordsOf(text)
	joined, found := strings.Join(words, " "), false
	for _, phrase := range sewerPhrases {
		if strings.Contains(joined, phrase) {
			joined, found = strings.ReplaceAll(joined, phrase, ""), true
		}
	}
	words = strings.Fields(joined)
	in := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return (found || in(sewerWords)) && !in(supplyWords)
}

// Words of drinks, and those that stand beside them without making them a meal. An afternoon tea is one.
var (
	drinkWords   = []string{"coffee", "coffees", "tea", "teas", "drink", "drinks", "beverage", "beverages", "wine", "wines", "beer", "beers", "juice", "juices", "cocktail", "cocktails", "prosecco", "champagne", "lemonade", "cola", "espresso", "cappuccino", "latte", "refreshments", "kaffee", "tee", "getränk", "getränke", "wein", "weine", "rotwein", "weißwein", "orangensaft", "apfelsaft", "bier", "biere", "saft", "säfte", "sekt", "limonade", "mineralwasser", "kaffeepause", "kaffeepausen", "heißgetränke", "kaltgetränke", "softdrinks", "café", "thé", "boisson", "boissons", "vin", "vins", "bière", "bières", "jus", "bebida", "bebidas", "vino", "cerveza"}
	besideDrinks = []string{"and", "or", "with", "break", "breaks", "station", "service", "bar", "reception", "arrival", "welcome", "morning", "mid", "am", "pm", "refill", "refills", "package", "packages", "soft", "hot", "cold", "alcoholic", "non", "house", "red", "white", "rosé", "sparkling", "still", "mineral", "water", "bottled", "bottle", "bottles", "glass", "glasses", "cup", "cups", "jug", "jugs", "can", "cans", "pint", "pints", "filter", "filtered", "fresh", "orange", "apple", "milk", "oat", "per", "person", "pp", "day", "ml", "cl", "l", "litre", "litres", "und", "oder", "mit", "pause", "pausen", "pauschale", "flatrate", "empfang", "rot", "weiß", "weiss", "milch", "wasser", "flasche", "flaschen", "glas", "tasse", "tassen", "kanne", "kannen", "pro", "et", "ou", "avec", "du", "de", "accueil", "eau", "y", "con"}
	teaMeals     = []string{"afternoon tea", "high tea", "cream tea"}
)

// Words of meals, and those behind which a drink is a part of one.
var (
	mealWords   = []string{"lunch", "dinner", "supper", "breakfast", "brunch", "buffet", "menu", "meal", "meals", "cake", "sandwich", "sandwiches", "burger", "pizza", "mittagessen", "abendessen", "frühstück", "kuchen", "essen", "menü", "déjeuner", "dîner", "in", "with", "and", "or", "incl", "including", "plus", "mit", "und", "oder", "inkl", "au", "aux", "avec", "et", "con", "y", "afternoon", "high", "cream"}
	drinkEnding = []string{"kaffee", "wein", "bier", "saft", "schorle"}
)

// endsInDrink reports whether a short text is one of a kind of drink: Barista coffee, Ginger beer, Filterkaffee.
func endsInDrink(text string, words []string) bool {
	if len(words) == 0 || len(words) > 3 || strings.ContainsAny(text, "&+,/") ||
		slices.ContainsFunc(words, func(word string) bool { return slices.Contains(mealWords, word) }) {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains(drinkWords, last) || slices.ContainsFunc(drinkEnding, func(ending string) bool { return strings.HasSuffix(last, ending) })
}

// isDrink reports whether a text is about drinks and nothing else.
func isDrink(text string) bool {
	words, found := wordsOf(text), false
	if endsInDrink(text, words) {
		return true
	}
	for _, word := range words {
		switch {
		case slices.Contains(drinkWords, word):
			found = true
		case !slices.Contains(besideDrinks, word):
			return false
		}
	}
	joined := strings.Join(words, " ")
	return found && !slices.ContainsFunc(teaMeals, func(meal string) bool { return strings.Contains(joined, meal) })
}
