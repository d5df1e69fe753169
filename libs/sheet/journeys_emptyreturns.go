package sheet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// emptyReturnHeads are headings of whether, or how far, a vehicle goes back empty, normalized by plain.
const emptyReturnHeads wordlist.List = "emptyReturnHeads"

// segmentHeads are headings of how many flights a row is about, normalized by plain.
const segmentHeads wordlist.List = "segmentHeads"

// emptyReturn returns the fault of a journey whose vehicle goes back empty, which the record would not count.
func (r *tickets) emptyReturn(row *row) *apperr.Detail {
	if r.typ != "ground-transport" || string(row.values["roundTrip"]) == "true" || row.has("volumeLitres") || row.has("energyKWh") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		yes, _ := fields.Truth(cell)
		if !r.free(at) || !emptyReturnHeads.Has(plain(head)) || !yes && (!bareNumber(cell) || !strings.ContainsAny(cell, "123456789")) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"roundTrip", distanceField},
			Message: fmt.Sprintf("%s is %.40q, and the record would not count the way back. Write into a column roundTrip that it counts, or the distance of both ways into distanceKm; or leave %s out.", head, cell, head)}
	}
	return nil
}

// returnUnused returns the fault of a return journey whose way back was not made: Return used no.
func (r *tickets) returnUnused(row *row) *apperr.Detail {
	if r.typ != "flights" && r.typ != "ground-transport" || string(row.values["roundTrip"]) != "true" {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		yes, known := fields.Truth(Unguard(oneCell(row.cells, at)))
		if words := wordsOf(head); !r.free(at) || yes || !known || len(words) < 2 || !homeWords.HasAny(words) || !happenedHeads.HasAny(words) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"roundTrip"},
			Message: fmt.Sprintf("%s is %.40q, and the record would count the way back. Write false into the column roundTrip, and leave %s out.", head, oneCell(row.cells, at), head)}
	}
	return nil
}

// returnLoadHeads are headings of whether goods were carried on the way back, normalized by plain.
const returnLoadHeads wordlist.List = "returnLoadHeads"

// returnLoad returns the fault of a row of freight that says that goods were carried back, which may be these or others.
func (r *tickets) returnLoad(row *row) *apperr.Detail {
	if r.typ != "freight" || row.has("roundTrip") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if !r.free(at) || !returnLoadHeads.Has(plain(head)) || !saysYes(cell) && (!bareNumber(cell) || !strings.ContainsAny(cell, "123456789")) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"roundTrip"},
			Message: fmt.Sprintf("%s is %.40q, and the record would count one way. Write into a column roundTrip whether these goods were carried back, true or false, and other goods into a row of their own; then leave %s out.", head, cell, head)}
	}
	return nil
}

// segments returns the fault of a row of several flights that would count as one.
func (r *tickets) segments(row *row) *apperr.Detail {
	if r.typ != "flights" || row.has("roundTrip") || !row.has("from") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		n, err := strconv.Atoi(Unguard(oneCell(row.cells, at)))
		if err != nil || n < 2 || n == len(row.texts("via"))+1 || !r.free(at) || !segmentHeads.Has(plain(head)) {
			continue
		}
		return &apperr.Detail{Field: head, Code: AmbiguousCount, Suggestions: []string{"roundTrip", "via"},
			Message: fmt.Sprintf("%s is %d, and the record would count one flight. Write into a column roundTrip whether it is a return flight, the stops into a column via, or a row for each flight; or leave %s out.", head, n, head)}
	}
	return nil
}
