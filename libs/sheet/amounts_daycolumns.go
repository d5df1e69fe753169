package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// dayColumns are the columns of the days of a table that has nothing else of how much there is: the rooms of each night, the nights
// of a guest to tick, the meals of each day.
type dayColumns struct {
	*table
	lodging *lodging
	meals   *meals
	parts   *parts
	at      []int
	// guest: the nights are those of the guest whom the row names.
	guest bool
}

// besideDays are words of headings that only say that rooms or meals are counted by day: Rooms Fri, Nacht 12.05.
const besideDays wordlist.List = "besideDays"

// fewestDays is how many columns of days there are at least: one may be anything.
const fewestDays = 2

// headsDay reports whether a heading says no more than a day: Fri, 12/05/2026, Day 2, Rooms 12 May.
func headsDay(head string) bool {
	if units.IsDate(head) {
		return true
	}
	stem, _, ok := withoutPeriod(head)
	return ok && !slices.ContainsFunc(wordsOf(stem), func(word string) bool { return !besideDays.Has(word) }) && !strings.ContainsAny(stem, "%£€$0123456789")
}

// find finds the columns.
func (r *dayColumns) find() {
	switch r.typ {
	case "accommodation":
		if r.heading("rooms", "guests", "nights") || len(r.lodging.stay)+len(r.lodging.roomKinds) > 0 || r.lodging.room.found() || r.lodging.roomNights.found() {
			return
		}
	case "catering":
		if !r.heading("diet", "mealType") || r.heading("meals", "servings", "drinks") || len(r.parts.of)+len(r.meals.of) > 0 {
			return
		}
	default:
		return
	}
	var found []int
	for at, head := range r.heads {
		if r.free(at) && headsDay(head) {
			found = append(found, at)
		}
	}
	if len(found) < fewestDays {
		return
	}
	r.at = found
	for _, at := range found {
		r.claim(placeAt(at), map[string]string{"accommodation": "", "catering": "meals"}[r.typ], suffices|shown)
		r.addCounts(at)
	}
	if r.typ == "accommodation" {
		r.lodging.byDay = true
		r.lodging.findGuestName()
		r.guest = r.lodging.guest.found()
	}
}

// take adds up the days of a row.
func (r *dayColumns) take(row *row) *apperr.Detail {
	sum, some := int64(0), false
	for _, at := range r.at {
		cell := Unguard(oneCell(row.cells, at))
		if r.guest && saysYes(cell) {
			sum, some = sum+1, true
			continue
		} else if _, no := fields.Truth(cell); r.guest && no {
			continue
		}
		n, said, err := countIn(row.cells, at)
		if err != nil || r.guest && n > 1 {
			of := map[bool]string{true: "whether the guest stayed in this night, 1 or x", false: "how many there are on this day"}[r.guest]
			return &apperr.Detail{Field: r.heads[at], Code: fields.BadFormat, Suggestions: amountsByDay[r.typ],
				Message: fmt.Sprintf("%s has %s; got %.40q. Or write how many there are altogether into columns %s, and leave the days out.", r.heads[at], of, cell, strings.Join(amountsByDay[r.typ], " and "))}
		}
		sum, some = sum+n, some || said
	}
	switch {
	case !some:
		return nil // the decoder of the record says what is missing
	case sum == 0:
		return &apperr.Detail{Field: r.heads[r.at[0]], Code: RowNotCounted, Message: "The row has 0 on each day. Delete it from the file."}
	case r.typ == "catering":
		row.put("meals", sum)
	case r.guest:
		row.put("nights", sum)
	default:
		row.put("rooms", sum)
		row.put("nights", 1)
	}
	return r.total(row, sum)
}

// amountsByDay are the fields that the days come to, by type.
var amountsByDay = map[string][]string{"accommodation": {"rooms", "nights"}, "catering": {"meals"}}

// total returns the fault of a row whose total is not the sum of its days.
func (r *dayColumns) total(row *row, sum int64) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		n, err := strconv.ParseInt(oneCell(row.cells, at), 10, 64)
		if err != nil || n == sum || !r.free(at) || !isWhole(head) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: amountsByDay[r.typ],
			Message: fmt.Sprintf("%s is %d, and the days come to %d. Correct one of them, or leave the column %s out.", head, n, sum, head)}
	}
	return nil
}
