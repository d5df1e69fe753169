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

// Words of headings of the meals of a diet, beside the diet, and diets that may be several.
const (
	besideDiets wordlist.List = "besideDiets"
	unsureDiets wordlist.List = "unsureDiets"
	dietEndings wordlist.List = "dietEndings"
)

// dietOf returns the diet whose meals a column counts; empty if it may be several.
func dietOf(head string) (diet string, ok bool) {
	words := slices.DeleteFunc(wordsOf(head), func(word string) bool { return besideDiets.Has(word) })
	if len(words) == 0 || len(words) > 2 {
		return "", false
	}
	values := columnOf("catering", "diet").values
	word := strings.Join(words, "")
	if unsureDiets.Has(word) {
		return "", true
	}
	for _, ending := range append([]string{""}, dietEndings.All()...) {
		if stem, cut := strings.CutSuffix(word, ending); cut && values[key(stem)] != "" {
			return values[key(stem)], true
		}
	}
	return "", false
}

// SeveralRecords is the code of a row that is about several records.
const SeveralRecords = "SEVERAL_RECORDS"

// severalDiets reports whether a cell names several diets: 120 veg / 80 vegan / 40 meat.
func severalDiets(cell string) bool {
	if _, one := dietOf(cell); one {
		return false
	}
	found := 0
	text := strings.NewReplacer(" and ", "/", " und ", "/", " et ", "/").Replace(cell)
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("/,;+&|\n", c) }) {
		if _, ok := dietOf(part); ok {
			found++
		}
	}
	return found > 1
}

// refuseDiets is the fault of such a cell.
func (in *interpreter) refuseDiets(at int, cell string) *apperr.Detail {
	return &apperr.Detail{Field: in.heads[at], Code: SeveralRecords, Suggestions: []string{"meals", "diet"},
		Message: fmt.Sprintf("%s is %.80q, and a record has one diet. Write a row for each, with its number of meals in the column meals and its diet in the column diet.", in.heads[at], cell)}
}

// takeDiets makes the meals of the only diet of a row those of the record, and returns the fault of a row with meals of
// several diets: a record has one.
func (r *parts) takeDiets(b *body, cells []string) *apperr.Detail {
	var diets []partColumn
	var said []string
	meals := ""
	for _, part := range r.of {
		cell := oneCell(cells, part.at)
		if !bareNumber(cell) && !b.has("meals") && strings.ContainsAny(cell, "123456789") {
			return &apperr.Detail{Field: r.heads[part.at], Code: fields.BadFormat, Suggestions: []string{"meals"},
				Message: fmt.Sprintf("%s has how many meals there are; got %.40q.", r.heads[part.at], cell)}
		}
		if !bareNumber(cell) || !strings.ContainsAny(cell, "123456789") {
			continue
		}
		n, _, fault := r.partNumber(part.at, cell)
		if fault != nil {
			return fault
		}
		diets, said, meals = append(diets, part), append(said, r.heads[part.at]+" "+cell), n.String()
	}
	diet := b.text("diet")
	switch {
	case len(diets) == 0, len(diets) == 1 && diets[0].field == diet && diet != "" && string(b.values["meals"]) == meals:
		return nil
	case len(diets) > 1 || diet != "" || b.has("meals") && string(b.values["meals"]) != meals:
		return &apperr.Detail{Field: r.heads[diets[0].at], Code: SeveralRecords, Suggestions: []string{"meals", "diet"},
			Message: fmt.Sprintf("The row has meals by their diet (%.120s), and a record has one diet. Write a row for each, with the columns meals and diet.", strings.Join(said, ", "))}
	case diets[0].field == "":
		return &apperr.Detail{Field: r.heads[diets[0].at], Code: fields.NotAllowed, Suggestions: []string{"red_meat", "white_meat", "fish", "mixed"},
			Message: fmt.Sprintf("%s may be one of several diets: red_meat, white_meat, fish or mixed. Write it into a column diet, and how many meals there are into a column meals.", r.heads[diets[0].at])}
	}
	if !b.has("meals") {
		b.set("meals", json.RawMessage(meals))
	}
	b.set("diet", json.RawMessage(strconv.Quote(diets[0].field)))
	return nil
}
