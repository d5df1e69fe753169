package sheet

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// roomNightHeads are headings of rooms times nights in lists of hotels, normalized by plain.
const roomNightHeads wordlist.List = "roomNightHeads"

// guestNightHeads are those of guests times nights, and overnightHeads those of either, or of nights, normalized by plain.
const (
	guestNightHeads wordlist.List = "guestNightHeads"
	overnightHeads  wordlist.List = "overnightHeads"
)

// findRoomNights finds the column of rooms or guests times nights in a table of stays.
func (r *lodging) findRoomNights() {
	if r.typ != "accommodation" {
		return
	}
	r.roomNights, r.nightsOf = r.beside(roomNightHeads), "rooms"
	if at := r.roomNights; at.found() && r.heading("guests") && !r.heading("rooms") && overnightHeads.Has(plain(r.heads[at.index()])) {
		r.nightsOf = "" // Nuitées beside Personnes are not of rooms
	}
	if !r.roomNights.found() {
		r.roomNights, r.nightsOf = r.beside(guestNightHeads), "guests"
	}
	if !r.roomNights.found() && !r.heading("nights") && len(r.stay) == 0 {
		r.roomNights, r.nightsOf = r.beside(overnightHeads), ""
	}
	r.claim(r.roomNights, "", derives|shown)
	if !r.heading("nights") && len(r.stay) == 0 {
		r.use(r.roomNights.index())
	}
}

// takeRoomNights sets rooms or guests, and nights, of a row that only has their product, and returns the fault of a row in
// which they come to another one.
func (r *lodging) takeRoomNights(row *row) *apperr.Detail {
	cell := oneCell(row.cells, max(r.roomNights.index(), 0))
	if !r.roomNights.found() || cell == "" {
		return nil
	}
	if r.nightsOf == "" {
		_ = r.guestByName(row) // which has no faults
		return r.overnights(&row.body, cell)
	}
	if !row.has("nights") && len(r.stay) == 0 {
		return r.nightsOfAll(&row.body, cell)
	}
	number, ok := r.asNumber(cell)
	count, none := strconv.Atoi(string(row.values[r.nightsOf]))
	nights, noNights := strconv.Atoi(string(row.values["nights"]))
	if all, err := strconv.Atoi(cell); err == nil && noNights == nil && nights > 0 && !row.has("rooms") && !row.has("guests") && all > 0 && all%nights == 0 {
		row.set(r.nightsOf, json.RawMessage(strconv.Itoa(all/nights)))
		r.use(r.roomNights.index())
		return nil
	}
	if !ok || none != nil || noNights != nil || float64(count*nights) == number {
		return nil
	}
	return &apperr.Detail{Field: r.heads[r.roomNights.index()], Code: fields.NotAllowed, Suggestions: []string{r.nightsOf, "nights"},
		Message: fmt.Sprintf("%s is %.12g, and %d %s for %d nights are %d. Write %.12g %s for 1 night, or correct %s and nights, and leave the column out.", r.heads[r.roomNights.index()], number, count, r.nightsOf, nights, count*nights, number, r.nightsOf, r.nightsOf)}
}

// nightsOfAll sets rooms or guests, and nights, of a row that only has their product and, perhaps, how many there are.
func (r *lodging) nightsOfAll(b *body, cell string) *apperr.Detail {
	number, err := strconv.Atoi(cell)
	switch {
	case err != nil || number < 0:
		return &apperr.Detail{Field: r.heads[r.roomNights.index()], Code: fields.BadFormat, Suggestions: []string{r.nightsOf, "nights"},
			Message: fmt.Sprintf("%s is a whole number; got %.40q. Or head two columns %s and nights.", r.heads[r.roomNights.index()], cell, r.nightsOf)}
	case number == 0:
		return &apperr.Detail{Field: r.heads[r.roomNights.index()], Code: RowNotCounted, Message: fmt.Sprintf("%s is 0: nobody stayed. Delete the row from the file.", r.heads[r.roomNights.index()])}
	}
	count, nights := number, 1
	if stated := b.number(r.nightsOf); stated > float64(number) {
		return &apperr.Detail{Field: r.heads[r.roomNights.index()], Code: AmbiguousCount, Suggestions: []string{"nights"},
			Message: fmt.Sprintf("%s is %d for %.12g %s, of which each stays for a night at least. Head the column nights if it is the nights of each, or correct it.", r.heads[r.roomNights.index()], number, stated, r.nightsOf)}
	}
	if stated, err := strconv.Atoi(string(b.values[r.nightsOf])); err == nil && stated > 0 && number%stated == 0 {
		count, nights = stated, number/stated
	}
	b.put(r.nightsOf, count)
	b.put("nights", nights)
	return nil
}

// overnights sets the nights of a row whose stays may be counted for each room or guest, or for all of them: of one room,
// or of one guest, they are the same.
func (r *lodging) overnights(b *body, cell string) *apperr.Detail {
	one := func(name string) bool { return string(b.values[name]) == "1" }
	number, err := strconv.Atoi(cell)
	switch {
	case b.has("nights"):
		return nil
	case err == nil && number > 0 && (one("rooms") && !b.has("guests") || one("guests") && (one("rooms") || !b.has("rooms"))):
		b.set("nights", json.RawMessage(strconv.Itoa(number)))
		return nil
	}
	return &apperr.Detail{Field: r.heads[r.roomNights.index()], Code: AmbiguousCount, Suggestions: []string{"nights"},
		Message: fmt.Sprintf("%s is %.40q, which may be the nights of each room or guest, or those of all of them. Head the column nights if it is those of each, or Room nights or Guest nights if it is those of all.", r.heads[r.roomNights.index()], cell)}
}
