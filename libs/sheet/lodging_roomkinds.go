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

// Words of headings of numbers of rooms of a kind, such as EZ, Doubles and Number of twin rooms: the kinds, and the words
// that occur with them.
const (
	roomKinds       wordlist.List = "roomKinds"
	besideRoomKinds wordlist.List = "besideRoomKinds"
)

// leastPrice is the lowest price of a room: smaller numbers are numbers of rooms.
const leastPrice = 40

// findRoomKinds finds the columns with the number of rooms of each kind, in a table of stays that has neither a total number
// of rooms nor the kind of room of a row.
func (r *lodging) findRoomKinds() {
	if r.typ != "accommodation" || r.heading("rooms") || r.room.found() {
		return
	}
	for at, head := range r.heads {
		if r.free(at) && roomKinds.Has(strings.Join(slices.DeleteFunc(wordsOf(head), besideRoomKinds.Has), "")) {
			r.roomKinds = append(r.roomKinds, at)
			r.claim(placeAt(at), "rooms", derives|shown|rates)
			r.addCounts(at)
		}
	}
}

// takeRoomKinds makes the rooms of all kinds those of the record: every kind counts the same.
func (r *lodging) takeRoomKinds(row *row) *apperr.Detail {
	rooms, least, filled := int64(0), int64(0), -1
	for _, at := range r.roomKinds {
		n, said, err := countIn(row.cells, at)
		if !said {
			continue
		}
		if err != nil {
			return &apperr.Detail{Field: r.heads[at], Code: fields.BadFormat, Suggestions: []string{"rooms"},
				Message: fmt.Sprintf("%s has how many rooms of this kind there are; got %.40q. Or write how many rooms there are altogether into a column rooms, and leave this one out.", r.heads[at], oneCell(row.cells, at))}
		}
		if filled < 0 || n < least {
			least = n
		}
		rooms, filled = rooms+n, at
	}
	guests := int64(row.number("guests"))
	switch {
	case filled < 0:
		return nil // the decoder of the record asks for rooms or guests
	case rooms == 0:
		return &apperr.Detail{Field: r.heads[filled], Code: RowNotCounted, Message: fmt.Sprintf("There are 0 rooms of every kind (%s is the last one): nobody stayed. Delete the row from the file.", r.heads[filled])}
	case guests > 0 && rooms > guests:
		return &apperr.Detail{Field: r.heads[filled], Code: fields.NotAllowed, Suggestions: []string{"rooms"},
			Message: fmt.Sprintf("The rooms of all kinds, of which %s is the last one, come to %d for %d guests. If the columns are prices, leave them out and write how many rooms there are into a column rooms.", r.heads[filled], rooms, guests)}
	case guests == 0 && least >= leastPrice && !slices.ContainsFunc(r.roomKinds, func(at int) bool { return numberWords.HasAny(wordsOf(r.heads[at])) }):
		return &apperr.Detail{Field: r.heads[filled], Code: fields.NotAllowed, Suggestions: []string{"rooms"},
			Message: fmt.Sprintf("%s %.40s may be the price of a room, or how many there are. Write how many there are into a column rooms, or head this one Number of %s.", r.heads[filled], oneCell(row.cells, filled), r.heads[filled])}
	}
	row.set("rooms", json.RawMessage(strconv.FormatInt(rooms, 10)))
	return nil
}
