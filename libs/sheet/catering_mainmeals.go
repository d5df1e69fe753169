package sheet

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// mainMealWords are words for main meals in the name of what was served, and servedWords others beside the diet that say no more
// of it: Hot vegetarian lunch, Repas végétarien, Chicken main course.
const (
	mainMealWords wordlist.List = "mainMealWords"
	servedWords   wordlist.List = "servedWords"
)

// dayWords are words by which a day is named: Monday, day 2.
const dayWords wordlist.List = "dayWords"

// mealTypeOf returns the type of meal that a text names with words that say no more of it, such as Lunch day 1 or Gala dinner; empty
// if there is none, or several, or more is said, as by Drinks after dinner.
func mealTypeOf(text string) (mealType string) {
	values := columnOf("catering", "mealType").values
	for _, word := range wordsOf(text) {
		switch value := values[key(word)]; {
		case value != "" && (mealType == "" || mealType == value):
			mealType = value
		case value != "":
			return ""
		case !dayWords.Has(word) && !monthWords.Has(word) && !servedWords.Has(word):
			return ""
		}
	}
	return mealType
}

// mainMeal returns the diet of a main meal that a text names; empty if it names no main meal, such as canapés, or says more.
func mainMeal(text string) string {
	if len(text) > longestMark || strings.ContainsAny(text, "0123456789/&+,;") {
		return ""
	}
	main, rest := false, []string(nil)
	for _, word := range wordsOf(text) {
		switch {
		case mainMealWords.Has(word):
			main = true
		case !servedWords.Has(word):
			rest = append(rest, word)
		}
	}
	if !main {
		return ""
	}
	diet, _ := dietOf(strings.Join(rest, " "))
	return diet
}

// dietServed sets the diet of a row of main meals in a table without diets, if the name of what was served has it.
func (r *subjects) dietServed(row *row) *apperr.Detail {
	if row.typ != "catering" || !row.has("meals") || row.has("diet") || row.light() || r.heading("diet") {
		return nil
	}
	for _, at := range r.at {
		if diet := mainMeal(Unguard(oneCell(row.cells, at))); diet != "" {
			row.put("diet", diet)
			return nil
		}
	}
	return nil
}
