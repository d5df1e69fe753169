package sheet

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// subjects are the columns that name the subject of a row.
type subjects struct {
	*table
	at []int
}

// subjectHeads are headings of columns, other than fields, that say what a row is about, normalized by plain.
const subjectHeads wordlist.List = "subjectHeads"

// findSubjects finds the columns that say what a row is about, in files whose rows may be about something else.
func (r *subjects) findSubjects() {
	if !hasCharges(r.typ) && r.typ != Mixed && r.typ != "purchases" {
		return
	}
	for at, head := range r.heads {
		if name := r.columns[at].Name; name == "description" || at == r.typeAt.index() && r.typ != Mixed || name == "" && says(head) {
			r.at = append(r.at, at)
			r.claim(placeAt(at), "", tells)
		}
	}
}

// says reports whether a heading names the subject of a row.
func says(head string) bool {
	head = plain(head)
	return subjectHeads.Has(head) || stateHeads.Has(head) || ticketHeads.Has(head)
}

// otherSubject returns the fault of a row that is about something that its record would count as something else.
func (r *subjects) otherSubject(row *row) *apperr.Detail {
	for _, at := range r.at {
		if at >= len(row.cells) || len(row.cells[at]) > longestMark {
			continue
		}
		cell := Unguard(strings.TrimSpace(row.cells[at]))
		switch {
		case row.typ == "flights" && r.columns[at].Name == "description" && namesOtherService(row.typ, cell):
			return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
				Message: fmt.Sprintf("%s is %.60q: that is no record of %s. Delete the row from the file, or empty the cell where the row counts all the same.", r.heads[at], cell, row.typ)}
		case row.typ == "water" && row.has("supplyM3") && isSewerage(cell):
			return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
				Message: fmt.Sprintf("%s is %.60q: the water that was supplied counts with its treatment, so that the same water would count twice. Delete the row from the file.", r.heads[at], cell)}
		case row.typ == "catering" && row.has("meals") && !row.light() && isDrink(cell):
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"servings", "drinks"},
				Message: fmt.Sprintf("%s is %.60q, and meals counts main meals. Write the cups, glasses or bottles into a column servings, such as {\"coffee\": 90}, or the litres into drinks, such as {\"wine\": 30}.", r.heads[at], cell)}
		}
	}
	return nil
}

// servesHeads are headings of how many people one of what is ordered is for, as plain writes them, and servesPeople the same in a
// name: Platter (serves 10), Buffet für 80 Personen.
const servesHeads wordlist.List = "servesHeads"

var servesPeople = regexp.MustCompile(`(?i)\b(?:(?:serves|feeds|sirve para|convient pour|pour|for|für|para|voor|per|dla|til|för|pro)\s+(\d{1,5})\s+(?:people|persons|guests|pax|pers|personen|personnes|personas|raciones|persone|pessoas|osób|osob|personer|gäste|convives)\b|(?:serves|feeds)\s+(\d{1,5}))`)

// servesSeveral returns the fault of meals of which each one is for several people.
func (r *subjects) servesSeveral(row *row) *apperr.Detail {
	meals, err := strconv.Atoi(string(row.values["meals"]))
	if row.typ != "catering" || err != nil || meals == 0 {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		said := ""
		if r.free(at) && servesHeads.Has(plain(head)) {
			said = cell
		} else if len(cell) <= longestMark && slices.Contains(r.at, at) {
			if m := servesPeople.FindStringSubmatch(cell); m != nil {
				said = m[1] + m[2]
			}
		}
		if people, err := strconv.Atoi(said); err == nil && people > 1 && people != meals {
			return &apperr.Detail{Field: head, Code: AmbiguousCount, Suggestions: []string{"meals"},
				Message: fmt.Sprintf("%s is %.60q, and the record would count %d meals. Write into a column meals how many are served altogether.", head, cell, meals)}
		}
	}
	return nil
}

// light reports whether the cells of a row show that its meals are not main meals.
func (b *body) light() bool {
	kind := b.text("mealType")
	return kind == "snack" || kind == "breakfast"
}

// Words for waste water. A row that also has a word for the supply of water is about both.
const (
	sewerPhrases wordlist.List = "sewerPhrases"
	sewerWords   wordlist.List = "sewerWords"
	supplyWords  wordlist.List = "supplyWords"
)

// isSewerage reports whether a text is about waste water only, not also about the supply of water.
func isSewerage(text string) bool {
	words := wordsOf(text)
	joined, found := strings.Join(words, " "), false
	for _, phrase := range sewerPhrases.All() {
		if strings.Contains(joined, phrase) {
			joined, found = strings.ReplaceAll(joined, phrase, ""), true
		}
	}
	words = strings.Fields(joined)
	return (found || sewerWords.HasAny(words)) && !supplyWords.HasAny(words)
}

// Words of drinks, and those that stand beside them without making them a meal. An afternoon tea is one.
const (
	drinkWords   wordlist.List = "drinkWords"
	besideDrinks wordlist.List = "besideDrinks"
	teaMeals     wordlist.List = "teaMeals"
)

// Words of meals, and those behind which a drink is a part of one.
const (
	mealWords   wordlist.List = "mealWords"
	drinkEnding wordlist.List = "drinkEnding"
)

// endsInDrink reports whether a short text names a kind of drink: Barista coffee, Ginger beer, Filterkaffee.
func endsInDrink(text string, words []string) bool {
	if len(words) == 0 || len(words) > 3 || strings.ContainsAny(text, "&+,/") ||
		mealWords.HasAny(words) {
		return false
	}
	last := words[len(words)-1]
	return drinkWords.Has(last) || slices.ContainsFunc(drinkEnding.All(), func(ending string) bool { return strings.HasSuffix(last, ending) })
}

// isDrink reports whether a text is about drinks only.
func isDrink(text string) bool {
	words, found := wordsOf(text), false
	if endsInDrink(text, words) {
		return true
	}
	for _, word := range words {
		switch {
		case drinkWords.Has(word):
			found = true
		case !besideDrinks.Has(word):
			return false
		}
	}
	joined := strings.Join(words, " ")
	return found && !slices.ContainsFunc(teaMeals.All(), func(meal string) bool { return strings.Contains(joined, meal) })
}
