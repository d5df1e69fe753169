package sheet

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// wayBackHeads are headings of a column that is ticked, or has a day, if somebody goes back, beside one for the way there, normalized
// by key.
const wayBackHeads wordlist.List = "wayBackHeads"

// flightNumber is the number of a flight, as lists of both ways have it below each: BA 117.
var flightNumber = regexp.MustCompile(`^(?:[A-Z]{2}|[A-Z]\d|\d[A-Z])\s?\d{1,4}$`)

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

// wayDistances returns the columns of how far the way there and the way back are: Hin km and Rück km. Both are none unless the table has
// both, each with a unit.
func (t *table) wayDistances() (there, back place) {
	if t.typ != "ground-transport" && t.typ != "freight" {
		return place{}, place{}
	}
	for at, head := range t.heads {
		words := distanceWords(head)
		if !t.free(at) || len(words) > longestField || unitAmong(words) == nil {
			continue
		}
		switch away, home := awayWords.HasAny(words), backWords.HasAny(words); {
		case away && !home && !there.found():
			there = placeAt(at)
		case home && !away && !back.found():
			back = placeAt(at)
		}
	}
	if !there.found() || !back.found() {
		return place{}, place{}
	}
	return there, back
}

// findBothDistances makes the column of the way there the distance of a table that has no other one.
func (r *distances) findBothDistances() {
	there, back := r.wayDistances()
	if !there.found() || r.heading(distanceField, "roundTrip") {
		return
	}
	r.takeDistance(there.index(), unitAmong(distanceWords(r.heads[there.index()])))
	r.back = back
	r.claim(back, "roundTrip", derives|tells)
}

// wentBack makes a return journey of a row whose way back is as far as the way there.
func (r *distances) wentBack(row *row) {
	if !r.back.found() || row.has("roundTrip") {
		return
	}
	there, _, _, ok := r.measure(distanceField, &row.body)
	back, also := r.distance(r.back.index(), oneCell(row.cells, r.back.index()))
	if ok && also && there.Cmp(back) == 0 && there.Sign() > 0 {
		row.put("roundTrip", true)
		r.use(r.back.index())
	}
}

// ways sets whether a row is a return journey by its columns of the two ways, and returns the fault of one that goes neither.
func (r *ticks) ways(row *row) *apperr.Detail {
	if !r.there.found() {
		return nil
	}
	goes := func(at place) (yes, known bool) {
		cell := Unguard(oneCell(row.cells, at.index()))
		day, _, _ := strings.Cut(cell, " ")
		if r.isTick(cell) || units.IsDate(day) || flightNumber.MatchString(cell) {
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
