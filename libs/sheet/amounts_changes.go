package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// upliftWords are words of headings of what is added to an amount in percent: Wastage %, Uplift %.
const upliftWords wordlist.List = "upliftWords"

// uplifted are the types to whose amounts a percentage may be added.
var uplifted = []string{"energy", "freight", "materials", "purchases", "venue", "water"}

// uplift returns the fault of a row with what is to be added to its amount in percent, or is in it already.
func (r *shares) uplift(row *row) *apperr.Detail {
	if !slices.Contains(uplifted, row.typ) {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell, words := Unguard(oneCell(row.cells, at)), wordsOf(head)
		if !r.free(at) || !upliftWords.HasAny(words) || !strings.ContainsAny(head+cell, "%") && !percentWords.HasAny(words) || changeNothing.HasAny(words) {
			continue
		}
		if n, ok := r.asNumber(strings.TrimSpace(strings.TrimSuffix(cell, "%"))); !ok || n == 0 {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: amountsOf(row.typ),
			Message: fmt.Sprintf("%s is %.40q, and the record would count the amount of the row without it. Write the amount with it, or leave %s out if it is in the amount.", head, cell, head)}
	}
	return nil
}

// prorated returns the fault of a row with an amount of more days than those of the event.
func (r *shares) prorated(row *row) *apperr.Detail {
	if row.typ != "energy" && row.typ != "water" && row.typ != "waste" {
		return nil
	}
	event, all := -1, -1
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		words := wordsOf(head)
		switch {
		case !r.free(at) || !wordlist.OfType("several", string(ofDay)).HasAny(words) || perWords.HasAny(words):
		case eventWords.HasAny(words):
			event = at
		default:
			all = at
		}
	}
	if event < 0 || all < 0 {
		return nil
	}
	few, ok := r.asNumber(oneCell(row.cells, event))
	many, both := r.asNumber(oneCell(row.cells, all))
	if !ok || !both || few <= 0 || few >= many || len(r.perItem.of) > 0 {
		return nil
	}
	return &apperr.Detail{Field: r.heads[event], Code: fields.NotAllowed, Suggestions: amountsOf(row.typ),
		Message: fmt.Sprintf("%s is %.12g of %.12g in %s, and the record would count all of the row. Write only what was used on the days of the event as its amount, and leave these columns out.", r.heads[event], few, many, r.heads[all])}
}

// sourcesCounted sets the source of a material by the only one of which a column has a number, and returns the fault of a row with
// several: Hired qty, Bought qty.
func (r *shares) sourcesCounted(row *row) *apperr.Detail {
	if row.typ != "materials" || r.heading("source") {
		return nil
	}
	first, source := -1, ""
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		words := wordsOf(head)
		named := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return numberWords.Has(word) || ticketCounts.Has(word) })
		value := columnOf(r.typ, "source").values[key(strings.Join(named, ""))]
		n, ok := r.asNumber(Unguard(oneCell(row.cells, at)))
		switch {
		case !r.free(at) || value == "" || len(named) == len(words) || !ok || n <= 0:
		case first < 0:
			first, source = at, value
		case value != source:
			return &apperr.Detail{Field: r.heads[at], Code: SeveralRecords, Suggestions: []string{"source"},
				Message: fmt.Sprintf("%s is %.40q, and %s is %.40q: a record has one source. Write a row for each, with its amount.", r.heads[first], oneCell(row.cells, first), r.heads[at], oneCell(row.cells, at))}
		}
	}
	if first >= 0 && !row.has("source") {
		row.put("source", source)
		r.use(first)
	}
	return nil
}
