package sheet

import (
	"encoding/json"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// guestByName counts a row of a guest list as one guest if it has a name, but no number of guests or rooms.
func (r *lodging) guestByName(row *row) *apperr.Detail {
	if r.typ != "accommodation" || !r.guest.found() || row.has("rooms") || row.has("guests") {
		return nil
	}
	if cell := Unguard(oneCell(row.cells, r.guest.index())); cell == "" || r.guestID && !onePersonID(cell) {
		return nil
	}
	// Any part of the name may state that the guest does not come.
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if head = plain(head); !guestHeads.Has(head) && !personNames.Has(head) {
			continue
		}
		if name := Unguard(oneCell(row.cells, at)); name != "" && (!oneName(name) || stopped(name)) {
			return nil
		}
	}
	row.set("guests", json.RawMessage("1"))
	return nil
}

// sharingWords are words of headings of whether a guest shares the room.
const sharingWords wordlist.List = "sharingWords"

// sharesRoom returns the fault of a row of a guest who shares a room, if it does not say with whom: both would count a room each.
func (r *lodging) sharesRoom(row *row) *apperr.Detail {
	if r.typ != "accommodation" || !r.guest.found() || row.number("guests") != 1 || row.has("rooms") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if !r.free(at) || !saysYes(Unguard(oneCell(row.cells, at))) || !sharingWords.HasAny(wordsOf(head)) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"rooms", "guests"},
			Message: fmt.Sprintf("%s is %.40q, and each of those who share a room would count as one who has it alone. Write a row for each room, with how many are in it in a column guests and 1 in a column rooms; or with whom it is shared into a column Sharing with.", head, oneCell(row.cells, at))}
	}
	return nil
}

// personNames are headings of the names of guests in a list with the days of their stays, normalized by plain.
const personNames wordlist.List = "personNames"

// namedTravellerHeads are headings of the names of people who travel for somebody, normalized by plain.
const namedTravellerHeads wordlist.List = "namedTravellerHeads"

// findGuestName finds the names of guests in a list that counts neither rooms nor guests.
func (r *lodging) findGuestName() {
	if r.typ != "accommodation" || r.guest.found() || r.heading("rooms", "guests") || r.room.found() || len(r.roomKinds) > 0 || r.roomNights.found() && r.nightsOf != "" {
		return
	}
	if r.guest = r.beside(guestHeads); !r.guest.found() && (len(r.stay) > 0 || r.byDay) {
		r.guest = r.beside(personNames)
	}
	if !r.guest.found() && (r.heading("nights") || r.roomNights.found()) {
		r.guest = r.beside(namedTravellerHeads) // beside nights, Name may be that of a hotel
	}
	if !r.guest.found() {
		r.guest = r.beside(personIDHeads)
		r.guestID = r.guest.found()
	}
	r.claim(r.guest, "", tells)
}
