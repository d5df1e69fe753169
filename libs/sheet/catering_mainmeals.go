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

// snackMeals are words and phrases by which what is no main meal is named, besides breakfasts: Canapés, Finger food.
const snackMeals wordlist.List = "snackMeals"

// lightMeal returns whether a text names a breakfast or a snack; empty if it names neither, or another meal beside it.
func lightMeal(text string) string {
	if len(text) > longestMark {
		return ""
	}
	values, found := columnOf("catering", "mealType").values, ""
	words := wordsOf(text)
	if all := strings.Join(words, " "); snackMeals.Has(all) || values[key(all)] == "snack" {
		return "snack"
	}
	for i, word := range words {
		switch {
		case i > 0 && mealsOf(breakfast).Has(words[i-1]+word), mealsOf(breakfast).Has(word), values[key(word)] == breakfast:
			found = breakfast // petit déjeuner, too
		case mealsOf("lunch").Has(word), mealsOf("dinner").Has(word), values[key(word)] == "lunch", values[key(word)] == "dinner":
			return ""
		}
	}
	return found
}

// lightServed sets the type of meal of a row whose name of what was served is that of a breakfast or a snack, which has less than a
// main meal.
func (r *subjects) lightServed(row *row) *apperr.Detail {
	if row.typ != "catering" || !row.has("meals") || row.has("mealType") {
		return nil
	}
	for _, at := range r.at {
		if kind := lightMeal(Unguard(oneCell(row.cells, at))); kind != "" {
			row.put("mealType", kind)
			return nil
		}
	}
	return nil
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
