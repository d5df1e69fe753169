package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

var (
	// roomHeads are heads of how many rooms there are, or, in a list of guests, of which one
	// it is, as plain writes them; roomNumberHeads are those of which one it is anywhere.
	roomHeads       = wordList("roomHeads")
	roomNumberHeads = wordList("roomNumberHeads")
	// guestHeads are heads of names of guests.
	guestHeads = wordList("guestHeads")
	// namesRoom is where a number below a head in the singular is rather that of a room.
	namesRoom = 100
)

// isRoomNumber reports whether a column of a list of stays has numbers of rooms, and not how
// many there are: Room 214 of a rooming list.
func (r *Reader) isRoomNumber(at int) bool {
	if r.typ != "accommodation" || r.reading != interpreted {
		return false
	}
	head := plain(r.heads[at])
	return roomNumberHeads.has(head) || roomHeads.has(head) &&
		slices.ContainsFunc(r.heads, func(other string) bool { return guestHeads.has(plain(other)) })
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
func (r *Reader) kindOfRoom(cell string) (kind roomsAre, sure bool) {
	n, err := strconv.Atoi(cell)
	switch {
	case roomNumberHeads.has(plain(r.heads[r.roomAt])):
		return namedRooms, true
	case err != nil, strings.HasPrefix(cell, "0"), n >= namesRoom:
		kind = namedRooms
	case n == 1 && r.rooms == unknownRooms:
		return countedRooms, true // one, either way
	case n < fewRooms && r.rooms == unknownRooms:
		kind = countedRooms
	default:
		kind = r.rooms
	}
	sure = kind != unknownRooms && (r.rooms == unknownRooms || r.rooms == kind)
	if r.rooms == unknownRooms {
		r.rooms = kind
	}
	return kind, sure
}

// room counts a row that identifies a room as one room, and returns the fault of a row with the
// same room and nights as an earlier one, whose guests share the room.
func (r *Reader) room(b *body, cells []string) *apperr.Detail {
	if r.typ != "accommodation" {
		return nil
	}
	if r.roomAt < 0 {
		return r.doubtfulRooms(b)
	}
	if r.roomAt >= len(cells) || strings.TrimSpace(cells[r.roomAt]) == "" {
		return nil
	}
	number := strings.TrimSpace(cells[r.roomAt])
	if roomKinds.has(plain(number)) {
		return nil // EZ: a kind of room, and not which one it is
	}
	kind, sure := r.kindOfRoom(number)
	switch {
	case b.values["rooms"] != nil && kind == countedRooms:
		return nil
	case !sure && b.values["rooms"] == nil:
		return r.eitherRoom(r.roomAt, number)
	case kind == countedRooms:
		b.set("rooms", json.RawMessage(number))
		return nil
	case b.values["rooms"] == nil:
		b.set("rooms", json.RawMessage("1"))
	}
	same := []string{"room", number, string(b.values["description"]), string(b.values["city"]), string(b.values["nights"]), string(b.values["date"])}
	for _, at := range r.stay {
		if at < len(cells) {
			same = append(same, cells[at])
		}
	}
	arrival := ""
	if r.arrivalAt >= 0 {
		arrival = oneCell(cells, r.arrivalAt)
	}
	same = append(same, arrival)
	if string(b.values["rooms"]) != "1" || len(r.stay) == 0 && b.values["date"] == nil && arrival == "" {
		return nil // several rooms, or it is not known on which days
	}
	if row, ok := r.earlier(same...); ok {
		return &apperr.Detail{Field: r.heads[r.roomAt], Code: RowNotCounted,
			Message: fmt.Sprintf("Row %d has the room %.40s for the same nights. Who shares a room is no further room; delete the row from the file.", row, number)}
	}
	return nil
}

// eitherRoom is the fault of a number that may identify a room, or be a number of rooms.
func (r *Reader) eitherRoom(at int, number string) *apperr.Detail {
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"rooms"},
		Message: fmt.Sprintf("%s %.40s may be the number of a room, or how many there are. Head the column rooms, with how many rooms each row has, or Room number.", r.heads[at], number)}
}

// doubtfulRooms returns the fault of a number below a heading in the singular that is more likely
// to identify a room than to be a number of rooms.
func (r *Reader) doubtfulRooms(b *body) *apperr.Detail {
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
