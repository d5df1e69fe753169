package sheet

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// partnerHeads are headings of with whom a guest shares a room, and secondGuestHeads those of the second guest of a room that
// has one row, normalized by plain.
const (
	partnerHeads     wordlist.List = "partnerHeads"
	secondGuestHeads wordlist.List = "secondGuestHeads"
)

// maxSharers bounds the guests among whom the one is looked for who shares a room: lists have them near each other.
const maxSharers = 1000

// sharer is a guest of an earlier row.
type sharer struct {
	row           int64
	name, partner []string
	stay          string
	double        bool // the room is for several
}

// withPartner is what a kind of room says of who shares it: DZ (mit Schmidt), Twin partagée avec Roux.
var withPartner = regexp.MustCompile(`(?i)^(.*?)[\s(]+(?:(?:shar|partag|compart|condivi|gedeel|geteil|delt|delad|partilh|dziel)\p{L}* )?(?:with|mit|avec|con|met|med|com|z)\s+([^()]+)\)?$`)

// sharedRoom makes one room of a row of a list of guests that says who shares it, and returns the fault of a later row of whom it
// is shared with: two guests in a room are one room.
func (r *lodging) sharedRoom(row *row) *apperr.Detail {
	if r.typ != "accommodation" || row.has("rooms") || row.has("guests") || len(r.stay) == 0 && !row.has("nights") {
		return nil
	}
	if r.has(secondGuestHeads) {
		switch first := r.filledGuest(row.cells, guestHeads); {
		case first && r.filledGuest(row.cells, secondGuestHeads):
			r.oneRoom(&row.body, 2)
		case first:
			r.oneRoom(&row.body, 1)
		}
		return nil
	}
	s, at := sharer{row: r.number, name: r.guestWords(row.cells)}, r.beside(partnerHeads).index()
	said := max(at, r.guest.index(), 0)
	if len(s.name) == 0 {
		return nil
	}
	partner := ""
	if at >= 0 {
		partner = Unguard(oneCell(row.cells, at))
	}
	if yes, known := fields.Truth(partner); known {
		if partner = ""; yes {
			return &apperr.Detail{Field: r.heads[at], Code: fields.BadFormat, Suggestions: []string{"rooms"},
				Message: fmt.Sprintf("%s says that the room is shared, but not with whom, so that it may count twice. Write the name of the other guest, or one row for each room with a column rooms.", r.heads[at])}
		}
	}
	for i := range row.cells[:min(len(row.cells), len(r.heads))] {
		if at >= 0 || !r.free(i) {
			continue
		}
		if m := withPartner.FindStringSubmatch(strings.TrimSpace(oneCell(row.cells, i))); m != nil && (roomKinds.HasAny(wordsOf(m[1])) || doubleRooms.HasAny(wordsOf(m[1]))) {
			partner, said = m[2], i
		}
	}
	s.partner = nameWords(partner)
	for _, i := range r.stay {
		s.stay += oneCell(row.cells, i) + "\x00"
	}
	s.stay += string(row.values["nights"])
	double := r.doubleAt(row.cells)
	for _, e := range r.sharers {
		if double >= 0 && e.double && partner == "" && e.stay == s.stay && len(e.name) == len(s.name) && sameName(e.name, s.name) {
			return &apperr.Detail{Field: r.heads[double], Code: fields.NotAllowed, Suggestions: []string{"rooms"},
				Message: fmt.Sprintf("Row %d has the same name for the same nights, in a room for several too: this may be the second guest of that room, or a second room. Write the names of both guests, or one row for each room with a column rooms.", e.row)}
		}
		if !sameName(s.partner, e.name) && !sameName(e.partner, s.name) {
			continue
		}
		if e.stay != s.stay {
			return &apperr.Detail{Field: r.heads[said], Code: fields.NotAllowed, Suggestions: []string{"rooms"},
				Message: fmt.Sprintf("The room is shared with the guest of row %d, who stays for other nights. Write one row for the room with all of its nights, and the column rooms.", e.row)}
		}
		return &apperr.Detail{Field: r.heads[said], Code: RowNotCounted,
			Message: fmt.Sprintf("The room is shared with the guest of row %d, which counts it. Who shares a room is no further room; delete the row from the file.", e.row)}
	}
	s.double = double >= 0
	if len(r.sharers) == maxSharers {
		r.sharers = slices.Delete(r.sharers, 0, 1)
	}
	r.sharers = append(r.sharers, s)
	switch {
	case len(s.partner) > 0:
		r.oneRoom(&row.body, 2+strings.Count(partner, ",")+strings.Count(partner, "&"))
	case at >= 0:
		r.oneRoom(&row.body, 1)
	}
	return nil
}

// doubleRooms are kinds of rooms for several guests.
const doubleRooms wordlist.List = "doubleRooms"

// doubleAt returns the place of the cell that says that the room of a row is for several guests; -1 if there is none.
func (r *lodging) doubleAt(cells []string) int {
	for at := range cells[:min(len(cells), len(r.heads))] {
		if r.free(at) && doubleRooms.Has(plain(oneCell(cells, at))) {
			return at
		}
	}
	return -1
}

// oneRoom sets one room of a number of guests.
func (r *lodging) oneRoom(b *body, guests int) {
	b.set("rooms", json.RawMessage("1"))
	b.set("guests", json.RawMessage(strconv.Itoa(guests)))
}

// filledGuest reports whether a row has a name, of one who comes, below one of the headings.
func (r *lodging) filledGuest(cells []string, heads wordlist.List) bool {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if name := Unguard(oneCell(cells, at)); heads.Has(plain(head)) && oneName(name) && !stopped(name) {
			return true
		}
	}
	return false
}

// guestWords returns the words of the name of the guest of a row; none where it has no such name.
func (r *lodging) guestWords(cells []string) (words []string) {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if head = plain(head); (guestHeads.Has(head) || personNames.Has(head)) && !partnerHeads.Has(head) {
			name := Unguard(oneCell(cells, at))
			if name != "" && (!oneName(name) || stopped(name)) {
				return nil
			}
			words = append(words, nameWords(name)...)
		}
	}
	return words
}

// nameWords returns the words of a name without titles.
func nameWords(name string) []string {
	return slices.DeleteFunc(wordsOf(name), func(word string) bool { return nameTitles.Has(word) })
}

// nameTitles are words before names.
const nameTitles wordlist.List = "nameTitles"

// sameName reports whether two names are of one person: one has all words of the other.
func sameName(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && !slices.ContainsFunc(a, func(word string) bool { return !slices.Contains(b, word) })
}
