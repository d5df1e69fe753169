package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
)

const (
	// groupHeads are headings of how many people of a group come, besides those who attend, normalized by plain.
	groupHeads wordList = "groupHeads"
	// fillWords are words of headings of how full containers were.
	fillWords wordList = "fillWords"
	// usedAreaWords and besideUsedArea are words of headings of the share of a building that was used.
	usedAreaWords  wordList = "usedAreaWords"
	besideUsedArea wordList = "besideUsedArea"
)

// otherGroups returns the fault of a row with people of other groups beside those that it counts, unless they are all of them.
func (r *origins) otherGroups(row *row) *apperr.Detail {
	if r.typ != footprint.OriginRows || !row.has("people") {
		return nil
	}
	first, sum := -1, 0.0
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if n, ok := r.asNumber(cell); r.free(at) && groupHeads.has(plain(head)) && ok && n > 0 && bareNumber(cell) {
			if sum += n; first < 0 {
				first = at
			}
		}
	}
	if first < 0 || sum == row.number("people") {
		return nil
	}
	return &apperr.Detail{Field: r.heads[first], Code: fields.NotAllowed, Suggestions: []string{"people"},
		Message: fmt.Sprintf("%s is %.40q, and the row would count %s people. Write into the column people how many of all groups come, and leave the others out; or import each group by itself.", r.heads[first], oneCell(row.cells, first), row.values["people"])}
}

// partlyFull returns the fault of a row of waste whose containers were not full, which their volume would count as.
func (r *shares) partlyFull(row *row) *apperr.Detail {
	if row.typ != "waste" || row.has("weightKg") || !row.has("volumeLitres") && !row.has("containers") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := strings.TrimSpace(strings.TrimSuffix(Unguard(oneCell(row.cells, at)), "%"))
		n, ok := r.asNumber(cell)
		if !r.free(at) || !fillWords.hasAny(wordsOf(head)) || !ok || n <= 0 || n == 1 || n >= 100 {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"volumeLitres", "weightKg"},
			Message: fmt.Sprintf("%s is %.40q, and the record would count full containers. Write the litres of the waste into a column volumeLitres, or its weight into weightKg, and leave this column out.", head, oneCell(row.cells, at))}
	}
	return nil
}

// headsUsedArea reports whether a heading is of the share of a building that was used: Area used %.
func headsUsedArea(head string) bool {
	words := wordsOf(head)
	return (strings.Contains(head, "%") || percentWords.hasAny(words)) && usedAreaWords.hasAny(words) && !slices.ContainsFunc(words, func(word string) bool {
		return !usedAreaWords.has(word) && !besideUsedArea.has(word) && !percentWords.has(word)
	})
}

// hiredNamed makes a material hired whose row says so in another column than that of sources.
func (r *shares) hiredNamed(row *row) *apperr.Detail {
	if row.typ != "materials" || r.heading("source") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if head != "" && r.free(at) && columnOf(row.typ, "source").values[key(Unguard(oneCell(row.cells, at)))] == "hired" {
			row.put("source", json.RawMessage(`"hired"`))
			r.use(at)
			return nil
		}
	}
	return nil
}
