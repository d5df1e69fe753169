package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

var (
	// roomHeads are heads of how many rooms there are, or, in a list of guests, of which one
	// it is, as plain writes them; roomNumberHeads are those of which one it is anywhere.
	roomHeads       = []string{"room", "zimmer", "chambre", "habitación"}                                                                                                                                     //nolint:misspell // French
	roomNumberHeads = []string{"roomno", "roomnr", "roomnumber", "room#", "rm#", "rmno", "zimmernr", "zimmernummer", "zinr", "ndechambre", "numérodechambre", "n°chambre", "chambren°", "númerodehabitación"} //nolint:misspell // French
	// guestHeads are heads of names of guests.
	guestHeads = []string{"guest", "guestname", "nameofguest", "guest1", "guestname1", "guest1name", "occupant", "occupants", "sharingwith", "sharer", "lastname", "surname", "familyname", "firstname", "givenname", "forename", "traveller", "traveler", "travellername", "travelername", "delegate", "delegatename", "attendee", "attendeename", "gast", "gastname", "namedesgastes", "nachname", "vorname", "familienname", "reisender", "teilnehmername", "nom", "prénom", "apellido", "apellidos", "huésped"}
	// namesRoom is where a number below a head in the singular is rather that of a room.
	namesRoom = 100
)

// isRoomNumber reports whether a column of a list of stays has numbers of rooms, and not how
// many there are: Room 214 of a rooming list.
func (r *Reader) isRoomNumber(at int) bool {
	if r.typ != "accommodation" || r.o.Rules == 0 {
		return false
	}
	head := plain(r.heads[at])
	return slices.Contains(roomNumberHeads, head) || slices.Contains(roomHeads, head) &&
		slices.ContainsFunc(r.heads, func(other string) bool { return slices.Contains(guestHeads, plain(other)) })
}

// room makes one room of a row that has the number of one, and returns the fault of a row
// that has the same room for the same nights as an earlier one: those who share it.
func (r *Reader) room(b *body, cells []string) *apperr.Detail {
	if r.typ != "accommodation" || r.o.Rules == 0 {
		return nil
	}
	if r.roomAt < 0 {
		return r.doubtfulRooms(b)
	}
	if r.roomAt >= len(cells) || strings.TrimSpace(cells[r.roomAt]) == "" {
		return nil
	}
	number := strings.TrimSpace(cells[r.roomAt])
	if b.values["rooms"] == nil {
		b.set("rooms", json.RawMessage("1"))
	}
	same := []string{"room", number, string(b.values["description"]), string(b.values["city"]), string(b.values["nights"]), string(b.values["date"])}
	for _, at := range r.stay {
		if at < len(cells) {
			same = append(same, cells[at])
		}
	}
	if string(b.values["rooms"]) != "1" || len(r.stay) == 0 && b.values["date"] == nil {
		return nil // several rooms, or it is not known on which days
	}
	if row, ok := r.earlier(same...); ok {
		return &apperr.Detail{Field: r.heads[r.roomAt], Code: RowNotCounted,
			Message: fmt.Sprintf("Row %d has the room %.40s for the same nights. Who shares a room is no further room; delete the row from the file.", row, number)}
	}
	return nil
}

// doubtfulRooms returns the fault of a number below a head in the singular that is rather that
// of a room than how many there are.
func (r *Reader) doubtfulRooms(b *body) *apperr.Detail {
	at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "rooms" })
	if at < 0 || plain(r.heads[at]) != "room" {
		return nil
	}
	n, err := strconv.Atoi(string(b.values["rooms"]))
	if err != nil || n < namesRoom {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: "NOT_ALLOWED", Suggestions: []string{"rooms"},
		Message: fmt.Sprintf("%s %d may be the number of a room, or how many there are. Head the column rooms, with how many rooms each row has, or Room number.", r.heads[at], n)}
}
