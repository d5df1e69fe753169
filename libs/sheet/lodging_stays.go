package sheet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// lodging is what tables of stays say of rooms, guests and nights.
type lodging struct {
	*table
	subjects *subjects
	// stay are the places of the days of arrival and departure where nights are counted by them, and stayBeside those in a
	// table of stays with their nights.
	stay, stayBeside []int
	arrival          place
	// room is the column of the numbers of rooms in a rooming list, and roomsAre what it was found to have.
	room     place
	roomsAre roomsAre
	// roomKinds are the places of how many rooms of each kind there are.
	roomKinds []int
	// roomNights is the column of rooms or guests times nights, and nightsOf which of the two it counts.
	roomNights place
	nightsOf   string
	// guest is the column of the names of guests in a list that counts neither guests nor rooms.
	guest place
	// guestID: the column of guests has what they are known by in a program, such as Employee ID.
	guestID bool
	// byDay: the nights have columns of their own.
	byDay bool
	// sharers are the guests of earlier rows.
	sharers []sharer
}

// Heads of the days of a stay in lists of hotels, as plain writes them.
const (
	arrivalHeads   wordlist.List = "arrivalHeads"
	departureHeads wordlist.List = "departureHeads"
)

// findStay finds the days of arrival and departure in a table of stays that does not count the
// nights.
func (r *lodging) findStay() {
	has := func(heads wordlist.List) bool {
		return slices.ContainsFunc(r.heads, func(head string) bool { return heads.Has(plain(head)) })
	}
	if r.typ == "accommodation" {
		r.arrival = r.beside(arrivalHeads)
		r.claim(r.arrival, "", tells)
		r.claim(r.room, "rooms", shown)
	}
	if r.typ != "accommodation" || !has(arrivalHeads) || !has(departureHeads) {
		return
	}
	if from, to := r.beside(arrivalHeads), r.beside(departureHeads); from.found() && to.found() && r.heading("nights") && r.reading == interpreted {
		r.stayBeside = []int{from.index(), to.index()}
	}
	if !r.heading("nights") {
		if from, to := r.dayOf(arrivalHeads), r.dayOf(departureHeads); from.found() && to.found() {
			r.stay = []int{from.index(), to.index()}
			r.claim(from, "nights", derives|shown|rates)
			r.claim(to, "nights", derives|shown|rates)
		}
	}
}

// dayOf returns the place of the column of a day of the stay, and removes it from the ignored ones: the actual one before the
// planned one.
func (r *lodging) dayOf(heads wordlist.List) place {
	for at, head := range r.heads {
		if rest, ok := withoutActual(r.typ, head); ok && r.free(at) && r.reading == interpreted && heads.Has(plain(rest)) {
			r.use(at)
			return placeAt(at)
		}
	}
	return r.aside(heads)
}

// nights sets the nights of a row between its days of arrival and departure.
func (r *lodging) nights(row *row) *apperr.Detail {
	if len(r.stay) == 0 {
		return r.nightsBeside(&row.body, row.cells)
	}
	n, fault := r.nightsBetween(r.stay, row.cells)
	if n > 0 {
		row.set("nights", json.RawMessage(strconv.Itoa(n)))
	}
	return fault
}

// nightsBetween returns the nights between the days of two columns; 0 where one of them is empty, or there is a fault.
func (r *lodging) nightsBetween(columns []int, cells []string) (int, *apperr.Detail) {
	var days [2]time.Time
	for i, at := range columns {
		if at >= len(cells) || strings.TrimSpace(cells[at]) == "" {
			return 0, nil // the decoder of the record reports missing nights
		}
		if units.IsRange(cells[at]) {
			return 0, &apperr.Detail{Field: r.heads[at], Code: fields.BadFormat, Message: fmt.Sprintf("%s has one day; got %.40q. Write the first and the last day into their own columns, or the number of nights into a column nights.", r.heads[at], cells[at])}
		}
		day, err := r.day(cells[at])
		if e, ok := errors.AsType[*units.AmbiguousDateError](err); ok {
			return 0, r.ambiguousDate(at, e)
		}
		if days[i], _ = time.Parse(time.DateOnly, day); err != nil {
			return 0, &apperr.Detail{Field: r.heads[at], Code: fields.BadFormat, Message: err.Error() + "."}
		}
	}
	n := int(days[1].Sub(days[0]).Hours() / 24)
	if n < 1 {
		return 0, &apperr.Detail{Field: r.heads[columns[1]], Code: fields.OutOfRange, Message: fmt.Sprintf("%s is a day after that of %s, so that there is a night between them.", r.heads[columns[1]], r.heads[columns[0]])}
	}
	return n, nil
}

// nightsBeside sets the nights of a row that has none below their heading, but days of arrival and departure, and returns the fault
// of a row in which they differ.
func (r *lodging) nightsBeside(b *body, cells []string) *apperr.Detail {
	if len(r.stayBeside) == 0 {
		return nil
	}
	n, fault := r.nightsBetween(r.stayBeside, cells)
	between := strconv.Itoa(n)
	switch {
	case !b.has("nights") && n > 0:
		b.set("nights", json.RawMessage(between))
		r.use(r.stayBeside[0])
		r.use(r.stayBeside[1])
		return nil
	case !b.has("nights"):
		return fault
	case n == 0 || between == string(b.values["nights"]):
		return nil // what is below nights decides
	}
	return &apperr.Detail{Field: r.headingOf("nights"), Code: fields.NotAllowed, Suggestions: []string{"nights"},
		Message: fmt.Sprintf("%s is %s, and there are %s between %s and %s. Correct one of them, or leave the days out if the others do not count.", r.headingOf("nights"), b.values["nights"], between, r.heads[r.stayBeside[0]], r.heads[r.stayBeside[1]])}
}

// nightOfLine sets the night of a line of a hotel's bill for a room, which has one for each night: Room charge, Übernachtung. A
// quantity is the number of nights.
func (r *lodging) nightOfLine(row *row) *apperr.Detail {
	if r.typ != "accommodation" || r.heading("nights") || len(r.stay) > 0 || r.roomNights.found() || !row.has("date") || string(row.values["rooms"]) != "1" {
		return nil
	}
	for _, at := range r.subjects.at {
		if text := oneCell(row.cells, at); isCharge(r.typ, text) || strings.ContainsAny(text, "0123456789") || !roomLines.HasAny(wordsOf(text)) {
			continue
		}
		nights := 1
		for at := range r.heads[:min(len(r.heads), len(row.cells))] {
			if n, err := strconv.Atoi(oneCell(row.cells, at)); r.counts[at] == ofPiece && err == nil {
				nights = n
			}
		}
		if nights > 0 {
			row.set("nights", json.RawMessage(strconv.Itoa(nights)))
		}
		return nil
	}
	return nil
}

// roomLines are words of such lines.
const roomLines wordlist.List = "roomLines"
