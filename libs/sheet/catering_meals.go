package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// meals are the columns of how many of each meal there are.
type meals struct {
	*table
	of []partColumn
}

// Words of headings of how many of each meal there are, such as Breakfast, Number of lunches and Abendessen (Personen): the
// meals by their type, and what stands beside them.
const besideMeals wordlist.List = "besideMeals"

// mealsOf returns the words of a type of meals.
func mealsOf(mealType string) wordlist.List { return wordlist.OfType("meals", mealType) }

// mealTypes are the types of meals that tables have columns of.
var mealTypes = [...]string{breakfast, "lunch", "dinner"}

const breakfast = "breakfast"

// findMeals finds the columns with the numbers of breakfasts, lunches and dinners, in a table without a column that names
// the meal of a row.
func (r *meals) findMeals() {
	if r.typ != "catering" {
		return
	}
	if servings := r.placeOf("servings"); servings >= 0 && plain(r.heads[servings]) != "servings" && r.heading("diet") && !r.heading("meals") {
		r.columns[servings] = columnOf(r.typ, "meals") // Portionen of a diet
	}
	if r.heading("mealType") {
		return
	}
	for at, head := range r.heads {
		word := strings.Join(slices.DeleteFunc(wordsOf(head), besideMeals.Has), "")
		of := slices.IndexFunc(mealTypes[:], func(mealType string) bool { return mealsOf(mealType).Has(word) })
		if of >= 0 && r.free(at) {
			r.of = append(r.of, partColumn{at, mealTypes[of]})
			r.claim(placeAt(at), "meals", derives|shown|rates)
			r.addCounts(at)
		}
	}
}

// takeMeals adds up the main meals of a row, and makes its breakfasts servings: they are counted beside main meals, as a
// record of breakfasts alone would count them.
func (r *meals) takeMeals(row *row) *apperr.Detail {
	counts, last, said := map[string]int64{}, -1, []string(nil)
	for _, part := range r.of {
		n, ok, err := countIn(row.cells, part.at)
		if !ok {
			continue
		}
		if err != nil {
			return &apperr.Detail{Field: r.heads[part.at], Code: fields.BadFormat, Suggestions: []string{"meals"},
				Message: fmt.Sprintf("%s has how many of these meals there are; got %.40q. Or write a row for each meal, with the columns meals and mealType.", r.heads[part.at], oneCell(row.cells, part.at))}
		}
		counts[part.field] += n
		last, said = part.at, append(said, fmt.Sprintf("%s %d", r.heads[part.at], n))
	}
	if last < 0 {
		return nil
	}
	early, main := counts[breakfast], counts["lunch"]+counts["dinner"]
	if all := int64(row.number("meals")); row.has("meals") && all != main && all != main+early {
		return &apperr.Detail{Field: r.heads[last], Code: fields.NotAllowed, Suggestions: []string{"meals"},
			Message: fmt.Sprintf("The row has %d meals in %s, and others by their kind (%.120s). Write a row for each, with the columns meals and mealType.", all, r.headingOf("meals"), strings.Join(said, ", "))}
	}
	if early+main == 0 {
		return &apperr.Detail{Field: r.heads[last], Code: RowNotCounted, Message: fmt.Sprintf("There are no meals in the row (%.120s). Delete it from the file.", strings.Join(said, ", "))}
	}
	row.remove("meals")
	if main > 0 {
		row.set("meals", json.RawMessage(strconv.FormatInt(main, 10)))
	}
	for _, mealType := range mealTypes[1:] {
		if n := counts[mealType]; n > 0 && n == main {
			row.set("mealType", json.RawMessage(strconv.Quote(mealType)))
		}
	}
	if early == 0 {
		return nil
	}
	serving := breakfast
	if row.text("diet") == "vegan" {
		serving = "breakfast_vegan"
	}
	if main == 0 {
		row.remove("diet") // records have it with main meals only
	}
	if row.has("servings") {
		return &apperr.Detail{Field: r.heads[last], Code: SeveralRecords, Suggestions: []string{"servings"},
			Message: fmt.Sprintf("The row has breakfasts (%.120s) and a column servings. Write the breakfasts into servings, or into a row of their own.", strings.Join(said, ", "))}
	}
	row.put("servings", map[string]int64{serving: early})
	return nil
}
