package sheet

import (
	"encoding/json"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// waySaid is what the column of ways at a place has said in the rows so far.
type waySaid struct{ away, single bool }

// wayOfTrip decides what Return means below a heading such as Trip: a return journey where another row is a single one, the
// way back where another one is the way there. Where no row before says so, it returns a fault.
func (r *tickets) wayOfTrip(row *row) *apperr.Detail {
	if r.typ != "flights" && r.typ != "ground-transport" || r.heading("roundTrip") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if !wayHeads.Has(plain(head)) || !r.free(at) && at != r.typeAt.index() || at == r.kind.index() {
			continue
		}
		word := key(Unguard(oneCell(row.cells, at)))
		if r.waysSaid == nil {
			r.waysSaid = map[int]waySaid{}
		}
		said := r.waysSaid[at]
		switch {
		case awayWords.Has(word):
			said.away = true
		case oneWays.Has(word):
			said.single = true
		case row.has("roundTrip") || !returnWays.Has(word) || said.away:
		case said.single:
			row.set("roundTrip", json.RawMessage("true"))
		default:
			return &apperr.Detail{Field: head, Code: AmbiguousCount, Suggestions: []string{"roundTrip"},
				Message: fmt.Sprintf("%s is %.40q, which may be a return journey, or the way back of one. Head the column roundTrip if it is a return journey, or write outbound and inbound.", head, oneCell(row.cells, at))}
		}
		r.waysSaid[at] = said
	}
	return nil
}

// seasonWords are words of tickets for any number of journeys, and of cards that are none.
const seasonWords wordlist.List = "seasonWords"

// seasonTicket returns the fault of a journey whose ticket is one for any number of them.
func (r *tickets) seasonTicket(row *row) *apperr.Detail {
	if r.typ != "ground-transport" || row.has("trips") || !r.kind.found() {
		return nil
	}
	cell := Unguard(oneCell(row.cells, r.kind.index()))
	if !seasonWords.HasAny(wordsOf(cell)) {
		return nil
	}
	return &apperr.Detail{Field: r.heads[r.kind.index()], Code: AmbiguousCount, Suggestions: []string{"trips"},
		Message: fmt.Sprintf("%s is %.40q, and the record would count one journey. Write into a column trips how often it was made, or delete the row.", r.heads[r.kind.index()], cell)}
}
