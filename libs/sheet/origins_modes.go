package sheet

import (
	"cmp"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// otherModeHeads are headings of the mode of the way back, normalized by plain.
const otherModeHeads wordlist.List = "otherModeHeads"

// asksMode reports whether a column has another mode beside the one that counts: Return mode, How will you get home?
func (r *origins) asksMode(at int) bool {
	return r.typ == footprint.OriginRows && r.reading == interpreted && r.free(at) && r.heading("mode") &&
		(otherModeHeads.Has(plain(r.heads[at])) || questionOf(r.heads[at]) == "mode")
}

// otherMode returns the fault of a row whose people come and go by different modes.
func (r *origins) otherMode(row *row) *apperr.Detail {
	values := columnOf(r.typ, "mode").values
	for at := range r.heads[:min(len(r.heads), len(row.cells))] {
		if !r.asksMode(at) {
			continue
		}
		cell := Unguard(oneCell(row.cells, at))
		if mode := modeOf(r.typ, cell, values); mode != "" && mode != row.text("mode") {
			return &apperr.Detail{Field: r.heads[at], Code: SeveralRecords, Suggestions: []string{"mode", "roundTrip"},
				Message: fmt.Sprintf("%s is %.40q, and the row would count the journey there and back by %s. Write a row for each way, with its mode and roundTrip false.", r.heads[at], cell, row.text("mode"))}
		}
	}
	return nil
}

// modeOf returns the mode that a cell names; empty if it names none.
func modeOf(typ, cell string, values map[string]string) string {
	return cmp.Or(values[key(cell)], answeredMode(typ, cell, values))
}
