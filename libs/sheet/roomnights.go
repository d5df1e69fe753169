package sheet

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// roomNightHeads are headings of rooms times nights in lists of hotels, normalized by plain.
var roomNightHeads = []string{"roomnights", "roomnight", "totalroomnights", "numberofroomnights", "noofroomnights", "rns", "zimmernächte", "anzahlzimmernächte", "logisnächte", "nuitées", "roomnightspickedup", "roomnightsoccupied"}

// findRoomNights finds the column of rooms times nights in a table of stays.
func (r *Reader) findRoomNights() {
	if r.typ == "accommodation" && r.o.Rules > 0 {
		r.roomNightsAt = r.beside(roomNightHeads)
	}
	if !r.staysOtherwise() {
		r.use(r.roomNightsAt)
	}
}

// staysOtherwise reports whether a table has rooms, guests or nights in other columns.
func (r *Reader) staysOtherwise() bool {
	return r.heading("rooms", "guests", "nights") || len(r.stay) > 0 || r.roomAt >= 0
}

// roomNights sets rooms and nights of a row that only has their product, and returns the fault of a row whose rooms
// and nights come to another one.
func (r *Reader) roomNights(b *body, cells []string) *apperr.Detail {
	if r.roomNightsAt < 0 || oneCell(cells, r.roomNightsAt) == "" {
		return nil
	}
	if !r.staysOtherwise() {
		number, err := strconv.Atoi(oneCell(cells, r.roomNightsAt))
		switch {
		case err != nil:
			return &apperr.Detail{Field: r.heads[r.roomNightsAt], Code: fields.BadFormat, Suggestions: []string{"rooms", "nights"},
				Message: fmt.Sprintf("%s is a whole number; got %.40q. Or head two columns rooms and nights.", r.heads[r.roomNightsAt], oneCell(cells, r.roomNightsAt))}
		case number == 0:
			return &apperr.Detail{Field: r.heads[r.roomNightsAt], Code: RowNotCounted, Message: fmt.Sprintf("%s is 0: nobody stayed. Delete the row from the file.", r.heads[r.roomNightsAt])}
		}
		b.set("rooms", json.RawMessage(strconv.Itoa(number)))
		b.set("nights", json.RawMessage("1"))
		return nil
	}
	number, ok := r.asNumber(oneCell(cells, r.roomNightsAt))
	rooms, noRooms := strconv.Atoi(string(b.values["rooms"]))
	nights, noNights := strconv.Atoi(string(b.values["nights"]))
	if !ok || noRooms != nil || noNights != nil || float64(rooms*nights) == number {
		return nil
	}
	return &apperr.Detail{Field: r.heads[r.roomNightsAt], Code: fields.NotAllowed, Suggestions: []string{"rooms", "nights"},
		Message: fmt.Sprintf("%s is %.12g, and %d rooms for %d nights are %d. Write %.12g rooms for 1 night, or correct rooms and nights, and leave the column out.", r.heads[r.roomNightsAt], number, rooms, nights, rooms*nights, number)}
}
