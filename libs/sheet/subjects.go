package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// subjectHeads are headings of columns, other than fields, that say what a row is about, normalized by plain.
const subjectHeads wordList = "subjectHeads"

// findSubjects finds the columns that say what a row is about, in files whose rows may be about something else.
func (r *Reader) findSubjects() {
	if !hasCharges(r.typ) && r.typ != Mixed {
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
	return subjectHeads.has(head) || stateHeads.has(head) || ticketHeads.has(head)
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
const (
	sewerPhrases wordList = "sewerPhrases"
	sewerWords   wordList = "sewerWords"
	supplyWords  wordList = "supplyWords"
)

// isSewerage reports whether a text is about the water that is taken away, and not also about its supply.
func isSewerage(text string) bool {
	words := wordsOf(text)
	joined, found := strings.Join(words, " "), false
	for _, phrase := range sewerPhrases.all() {
		if strings.Contains(joined, phrase) {
			joined, found = strings.ReplaceAll(joined, phrase, ""), true
		}
	}
	words = strings.Fields(joined)
	return (found || sewerWords.hasAny(words)) && !supplyWords.hasAny(words)
}

// Words of drinks, and those that stand beside them without making them a meal. An afternoon tea is one.
const (
	drinkWords   wordList = "drinkWords"
	besideDrinks wordList = "besideDrinks"
	teaMeals     wordList = "teaMeals"
)

// Words of meals, and those behind which a drink is a part of one.
const (
	mealWords   wordList = "mealWords"
	drinkEnding wordList = "drinkEnding"
)

// endsInDrink reports whether a short text is one of a kind of drink: Barista coffee, Ginger beer, Filterkaffee.
func endsInDrink(text string, words []string) bool {
	if len(words) == 0 || len(words) > 3 || strings.ContainsAny(text, "&+,/") ||
		mealWords.hasAny(words) {
		return false
	}
	last := words[len(words)-1]
	return drinkWords.has(last) || slices.ContainsFunc(drinkEnding.all(), func(ending string) bool { return strings.HasSuffix(last, ending) })
}

// isDrink reports whether a text is about drinks and nothing else.
func isDrink(text string) bool {
	words, found := wordsOf(text), false
	if endsInDrink(text, words) {
		return true
	}
	for _, word := range words {
		switch {
		case drinkWords.has(word):
			found = true
		case !besideDrinks.has(word):
			return false
		}
	}
	joined := strings.Join(words, " ")
	return found && !slices.ContainsFunc(teaMeals.all(), func(meal string) bool { return strings.Contains(joined, meal) })
}
