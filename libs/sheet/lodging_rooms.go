package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

var (
	// roomHeads are heads of how many rooms there are, or, in a list of guests, of which one
	// it is, as plain writes them; roomNumberHeads are those of which one it is anywhere.
	roomHeads       = wordlist.List("roomHeads")
	roomNumberHeads = wordlist.List("roomNumberHeads")
	// guestHeads are heads of names of guests.
	guestHeads = wordlist.List("guestHeads")
	// namesRoom is where a number below a head in the singular is rather that of a room.
	namesRoom = 100
)

// isRoomNumber reports whether a column of a list of stays has numbers of rooms, and not how
// many there are: Room 214 of a rooming list.
func (in *interpreter) isRoomNumber(at int) bool {
	if in.typ != "accommodation" || in.reading != interpreted {
		return false
	}
	head := plain(in.heads[at])
	return roomNumberHeads.Has(head) || roomHeads.Has(head) &&
		slices.ContainsFunc(in.heads, func(other string) bool { return guestHeads.Has(plain(other)) })
}

// roomsAre is what the column of rooms in a guest list contains.
type roomsAre uint8

const (
	unknownRooms roomsAre = iota
	countedRooms          // how many
	namedRooms            // which one
)

// fewRooms is the limit below which a number in the column of rooms of a guest list is a number of rooms.
const fewRooms = 10

// kindOfRoom returns what a cell of a guest list contains, as the rows before it: 3 is a number of
// rooms, 214 or 12a identifies a room, and 12 may be either.
func (r *lodging) kindOfRoom(cell string) (kind roomsAre, sure bool) {
	n, err := strconv.Atoi(cell)
	switch {
	case roomNumberHeads.Has(plain(r.heads[r.room.index()])):
		return namedRooms, true
	case err != nil, strings.HasPrefix(cell, "0"), n >= namesRoom:
		kind = namedRooms
	case n == 1 && r.roomsAre == unknownRooms:
		return countedRooms, true // one, either way
	case n < fewRooms && r.roomsAre == unknownRooms:
		kind = countedRooms
	default:
		kind = r.roomsAre
	}
	sure = kind != unknownRooms && (r.roomsAre == unknownRooms || r.roomsAre == kind)
	if r.roomsAre == unknownRooms {
		r.roomsAre = kind
	}
	return kind, sure
}

// sameRoom counts a row that identifies a room as one room, and returns the fault of a row with the
// same room and nights as an earlier one, whose guests share the room.
func (r *lodging) sameRoom(row *row) *apperr.Detail {
	if r.typ != "accommodation" {
		return nil
	}
	if !r.room.found() {
		return r.doubtfulRooms(&row.body)
	}
	if r.room.index() >= len(row.cells) || strings.TrimSpace(row.cells[r.room.index()]) == "" {
		return nil
	}
	number := strings.TrimSpace(row.cells[r.room.index()])
	if roomKinds.Has(plain(number)) {
		return nil // EZ: a kind of room, and not which one it is
	}
	kind, sure := r.kindOfRoom(number)
	switch {
	case row.values["rooms"] != nil && kind == countedRooms:
		return nil
	case !sure && row.values["rooms"] == nil:
		return r.eitherRoom(r.room.index(), number)
	case kind == countedRooms:
		row.set("rooms", json.RawMessage(number))
		return nil
	case row.values["rooms"] == nil:
		row.set("rooms", json.RawMessage("1"))
	}
	same := []string{"room", number, string(row.values["description"]), string(row.values["city"]), string(row.values["nights"]), string(row.values["date"])}
	for _, at := range r.stay {
		if at < len(row.cells) {
			same = append(same, row.cells[at])
		}
	}
	arrival := ""
	if r.arrival.found() {
		arrival = oneCell(row.cells, r.arrival.index())
	}
	same = append(same, arrival)
	if string(row.values["rooms"]) != "1" || len(r.stay) == 0 && row.values["date"] == nil && arrival == "" {
		return nil // several rooms, or it is not known on which days
	}
	if first, ok := r.earlier(same...); ok {
		return &apperr.Detail{Field: r.heads[r.room.index()], Code: RowNotCounted,
			Message: fmt.Sprintf("Row %d has the room %.40s for the same nights. Who shares a room is no further room; delete the row from the file.", first, number)}
	}
	return nil
}

// eitherRoom is the fault of a number that may identify a room, or be a number of rooms.
func (r *lodging) eitherRoom(at int, number string) *apperr.Detail {
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"rooms"},
		Message: fmt.Sprintf("%s %.40s may be the number of a room, or how many there are. Head the column rooms, with how many rooms each row has, or Room number.", r.heads[at], number)}
}

// doubtfulRooms returns the fault of a number below a heading in the singular that is more likely
// to identify a room than to be a number of rooms.
func (r *lodging) doubtfulRooms(b *body) *apperr.Detail {
	at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "rooms" })
	if at < 0 || plain(r.heads[at]) != "room" {
		return nil
	}
	n, err := strconv.Atoi(string(b.values["rooms"]))
	if err != nil || n < namesRoom {
		return nil
	}
	return r.eitherRoom(at, strconv.Itoa(n))
}
