package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// ofWhich are words before a part of an amount that is stated as a whole: of which, davon, dont.
const ofWhich wordList = "ofWhich"

// isPart reports whether a text names a part of something else.
func isPart(text string) bool {
	words := strings.Join(wordsOf(text), " ") + " "
	return len(text) <= longestMark && slices.ContainsFunc(ofWhich.all(), func(phrase string) bool {
		return strings.HasPrefix(words, phrase+" ") && len(words) > len(phrase)+1
	})
}

// partOfRow returns the fault of a row that is a part of another one: davon Halle A.
func (r *marks) partOfRow(cells []string) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		cell := Unguard(strings.TrimSpace(cells[at]))
		if head == "" || r.reading != interpreted || !isPart(cell) {
			continue
		}
		return &apperr.Detail{Field: head, Code: RowNotCounted,
			Message: fmt.Sprintf("%s is %.60q: a part of what another row has would count twice. Delete the row from the file, or write what it is without that word where it counts all the same.", head, cell)}
	}
	return nil
}

// partsDiffer are the types whose parts may count otherwise than the rest: passengers in business, waste that is recycled.
var partsDiffer = []string{"flights", "ground-transport", "freight", "waste", "catering", "materials"}

// partInColumn returns the fault of a row with a part of its amount in a column of its own: davon Business.
func (r *shares) partInColumn(row *row) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if !slices.Contains(partsDiffer, r.typ) || !r.free(at) || !isPart(head) || taxLines.hasAny(wordsOf(head)) || !bareNumber(strings.TrimSuffix(cell, "%")) || !strings.ContainsAny(cell, "123456789") {
			continue
		}
		return &apperr.Detail{Field: head, Code: SeveralRecords, Suggestions: amountsOf(r.typ),
			Message: fmt.Sprintf("%s is %.40q, and the record would count all of the row alike. Write a row for each part, or leave the column out if its parts count alike.", head, cell)}
	}
	return nil
}

// Words of meters of the whole, and of those behind them.
const (
	mainMeters wordList = "mainMeters"
	subMeters  wordList = "subMeters"
)

// submeter returns the fault of a row of a meter behind the main one, or of that before it, where rows of both would count.
func (r *meters) submeter(row *row) *apperr.Detail {
	if r.typ != "energy" && r.typ != "water" {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		name := r.columns[at].Name
		cell := Unguard(oneCell(row.cells, at))
		if head == "" || name != "" && name != "description" && name != "site" || len(cell) > longestMark {
			continue
		}
		words := wordsOf(strings.NewReplacer("sub-meter", "submeter", "sub meter", "submeter", "sous-compteur", "souscompteur", "main meter", "mainmeter").Replace(strings.ToLower(cell)))
		sub := subMeters.hasAny(words)
		if !sub && !mainMeters.hasAny(words) {
			continue
		}
		if r.said == "" || r.saidSub == sub {
			r.said, r.saidSub = strings.Clone(cell), sub
			return nil
		}
		return &apperr.Detail{Field: head, Code: RowNotCounted,
			Message: fmt.Sprintf("%s is %.40q, and %.40q has a row, too: the main meter has what those behind it have. Delete the rows of one kind, or rename the meter where it is not behind the main one.", head, cell, r.said)}
	}
	return nil
}
