package sheet

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// wayBackHeads are headings of a column that is ticked, or has a day, if somebody goes back, beside one for the way there, normalized
// by key.
const wayBackHeads wordlist.List = "wayBackHeads"

// wayColumns returns the columns of the way there and of the way back of a list of journeys: Hin and Rück, Outbound and Return. The
// latter may be taken as the field roundTrip. Both are none unless the table has both.
func (t *table) wayColumns() (there, back place) {
	if columnOf(t.typ, "roundTrip").Name == "" || t.typ == "freight" {
		return place{}, place{}
	}
	for at, head := range t.heads {
		switch name := key(strings.Trim(head, "?: ")); {
		case !there.found() && t.free(at) && awayWords.Has(name):
			there = placeAt(at)
		case !back.found() && (t.free(at) || t.columns[at].Name == "roundTrip") && wayBackHeads.Has(name):
			back = placeAt(at)
		}
	}
	if !there.found() || !back.found() {
		return place{}, place{}
	}
	return there, back
}

// ways sets whether a row is a return journey by its columns of the two ways, and returns the fault of one that goes neither.
func (r *ticks) ways(row *row) *apperr.Detail {
	if !r.there.found() {
		return nil
	}
	goes := func(at place) (yes, known bool) {
		cell := Unguard(oneCell(row.cells, at.index()))
		day, _, _ := strings.Cut(cell, " ")
		if r.isTick(cell) || units.IsDate(day) {
			return true, true
		}
		no, said := fields.Truth(cell)
		return false, cell == "" || noneWords.Has(strings.ToLower(cell)) || said && !no
	}
	there, known := goes(r.there)
	back, also := goes(r.back)
	if !known || !also {
		return nil
	}
	if !there && !back {
		return &apperr.Detail{Field: r.heads[r.there.index()], Code: RowNotCounted,
			Message: fmt.Sprintf("Neither %s nor %s is ticked: who goes neither way does not travel. Delete the row from the file, or tick what counts.", r.heads[r.there.index()], r.heads[r.back.index()])}
	}
	row.put("roundTrip", there && back)
	r.use(r.there.index())
	r.use(r.back.index())
	return nil
}
