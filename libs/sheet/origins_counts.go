package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

const (
	// companionHeads are headings of how many people come with the one of a row, normalized by plain.
	companionHeads wordlist.List = "companionHeads"
	// absentWords are words of headings of how many of the people do not come, besides those of people online.
	absentWords wordlist.List = "absentWords"
	// presentHeads are those of the people who come, normalized by plain.
	presentHeads wordlist.List = "presentHeads"
	// personHeads are headings of one person for each row, normalized by plain, besides names.
	personHeads wordlist.List = "personHeads"
	// visitHeads are headings of how often people come, normalized by plain.
	visitHeads wordlist.List = "visitHeads"
	// otherNumbers are words of headings of numbers that are no people.
	otherNumbers wordlist.List = "otherNumbers"
)

// countedThings are the fields of a type that are numbers of people and things, some of which may not have come about.
var countedThings = map[string][]string{"accommodation": {"rooms", "guests"}, "flights": {"passengers"}, "ground-transport": {"passengers"}, "catering": {"meals"}, "digital": {"participants"}}

// peopleMark returns what a column states about the number of people, or of things, that come about; noMark: nothing.
func (r *marks) peopleMark(at int) mark {
	head := r.heads[at]
	words := wordsOf(head)
	has := func(list wordlist.List) bool { return list.HasAny(words) }
	fewer := has(absentWords) || strings.Contains(strings.Join(words, " "), "no show")
	if r.typ != footprint.OriginRows {
		others := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "no" })
		if fewer && !otherNumbers.HasAny(others) && !everyCharge.HasAny(others) && !besideStates.HasAny(others) && r.heading(countedThings[r.typ]...) {
			return absent
		}
		return noMark
	}
	people := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "people" })
	person := slices.ContainsFunc(r.heads, func(other string) bool {
		name := plain(other)
		return personHeads.Has(name) || travellerHeads.Has(name) || oneTravellerHeads.Has(name) || guestHeads.Has(name)
	})
	switch {
	case people >= 0 && !r.heading("mode") && answeredMode(r.typ, head, columnOf(r.typ, "mode").values) != "":
		return byMode
	case people >= 0 && (countOf(head) == ofTrip || visitHeads.Has(plain(head))):
		return journeys
	case people >= 0:
		if !presentHeads.Has(plain(r.heads[people])) && (onlineHead(head) || fewer) {
			return absent
		}
		if !r.hasWhole(people) {
			return noMark
		}
		if isCompanion(head) {
			return companions
		}
		if isWhole(head) {
			return reverse // the heading is needed to read the file again
		}
	case isCompanion(head):
		return companions
	case !person && (countsThoseComing(words) || countsByYear(headWords(head)) || !has(otherNumbers) && !otherNumbers.HasAny(headWords(head))): // eventId
		return counts
	}
	return noMark
}

const (
	// countFirst are words that begin headings of numbers of people; behind another word they are those of numbers by which
	// something is known: No. in party, Booking no.
	countFirst wordlist.List = "countFirst"
	// comingWords are words of such headings for those who come.
	comingWords wordlist.List = "comingWords"
)

// countsThoseComing reports whether a heading with some words is that of a number of people: Number in party, No. of seats booked,
// Tickets (number). Behind a word in the singular a number is one by which something is known.
func countsThoseComing(words []string) bool {
	last := len(words) - 1
	return last > 0 && (countFirst.Has(words[0]) && comingWords.HasAny(words[1:]) ||
		countFirst.Has(words[last]) && (manyTickets.HasAny(words[:last]) || wordlist.OfType("several", string(ofPerson)).HasAny(words[:last])))
}

// countsByYear reports whether a heading has a year and says otherwise only that something is counted: 2026 number.
func countsByYear(words []string) bool {
	years := 0
	for _, word := range words {
		if year, err := strconv.Atoi(word); err == nil && year > 1999 && year < 2100 {
			years++
		} else if !countFirst.Has(word) {
			return false
		}
	}
	return years > 0
}

// countsPeopleIn reports whether a cell of such a column has people that the row would omit, or count more than once.
func countsPeopleIn(kind mark, cell string) bool {
	cell = Unguard(cell)
	if isShare(cell) && (kind == counts || kind == attendance) {
		return true
	}
	if kind == companions {
		if yes, known := fields.Truth(cell); known {
			return yes
		}
		cell = strings.TrimPrefix(cell, "+")
	}
	if kind == byMode && isShare(cell) {
		return cell != "0%"
	}
	return bareNumber(cell) && !units.IsDate(cell) && strings.ContainsAny(cell, "123456789") && (kind != counts && kind != attendance && kind != journeys || cell != "1")
}

// uncounted is the fault of a row that has a number of people in addition to the one that counts.
func (r *marks) uncounted(at int, kind mark, cell string) *apperr.Detail {
	message := "%s is %.40q, and the row would count as one person. Head the column people if it is how many come, or leave it out."
	switch kind {
	case companions:
		message = "%s is %.40q, and the row would count as one person. Write into a column people how many come altogether, and leave this one out."
	case byMode:
		return &apperr.Detail{Field: r.heads[at], Code: SeveralRecords, Suggestions: []string{"people", "mode"},
			Message: fmt.Sprintf("%s is %.40q, and the row would count its people without it. Write a row for each way of travelling, with how many travel so in the column people and the way in a column mode.", r.heads[at], cell)}
	case journeys:
		message = "%s is %.40q, and the row would count one journey of each of its people. Write into the column of people how many journeys there and back they make altogether, and leave this one out."
	case absent:
		if of := countedThings[r.typ]; of != nil {
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: of,
				Message: fmt.Sprintf("%s is %.40q, and the record would count them, too. Write into a column %s how many there were without them, and leave this one out.", r.heads[at], cell, strings.Join(of, " or "))}
		}
		message = "%s is %.40q: who does not come does not travel, and the row would count all of its people. Write into the column of people how many come, and leave this one out."
	default:
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"people"}, Message: fmt.Sprintf(message, r.heads[at], cell)}
}

// isShare reports whether a cell is a share of people: 85%, 12,5 %.
func isShare(cell string) bool {
	share, ok := strings.CutSuffix(cell, "%")
	return ok && bareNumber(share)
}

func isCompanion(head string) bool {
	return companionHeads.Has(plain(strings.ReplaceAll(head, "-", " ")))
}

// isWhole reports whether a heading is no more than a word for totals.
func isWhole(head string) bool {
	whole, ok := totalLabel(head)
	return ok && whole
}

// hasWhole reports whether a table has a total beside its number of people, and others that are in it: tickets sold, invited, and
// Total.
func (r *marks) hasWhole(people int) bool {
	return !isWhole(r.heads[people]) && slices.ContainsFunc(r.heads, isWhole) && slices.ContainsFunc(r.heads, isCompanion)
}

// onlineHead reports whether a heading of a list of people is of those who take part online.
func onlineHead(head string) bool {
	words := wordsOf(head)
	text := strings.Join(words, " ")
	return onlineWords.HasAny(words) || slices.ContainsFunc(onlinePhrases.All(), func(phrase string) bool { return strings.Contains(text, phrase) })
}

// otherGroups returns the fault of a row with people of other groups beside those that it counts, unless they are all of them.
func (r *origins) otherGroups(row *row) *apperr.Detail {
	if r.typ != footprint.OriginRows || !row.has("people") {
		return nil
	}
	first, sum := -1, 0.0
	for _, at := range r.others {
		head, cell := r.heads[at], Unguard(oneCell(row.cells, at))
		if n, ok := r.asNumber(cell); (groupHeads.Has(plain(head)) || isCompanion(head) && peopleHeads.Has(plain(r.headingOf("people")))) && ok && n > 0 && bareNumber(cell) {
			if sum += n; first < 0 {
				first = at
			}
		}
	}
	if first < 0 || sum == row.number("people") {
		return nil
	}
	return &apperr.Detail{Field: r.heads[first], Code: fields.NotAllowed, Suggestions: []string{"people"},
		Message: fmt.Sprintf("%s is %.40q, and the row would count %s people. Write into the column people how many of all groups come, and leave the others out; or import each group by itself.", r.heads[first], oneCell(row.cells, first), row.values["people"])}
}

// origins are what a list of where people come from says of them.
type origins struct {
	*table
	// people is the column that may have numbers of people, or names.
	people place
	// serials is how many of the rows had their own row number in that column.
	serials, rows int
	// fromHome is the column of whether people came from home.
	fromHome place
	// others are the columns of numbers of other people, and byMode those of people who come by a mode of their own.
	others, byMode []int
	// starts are the columns of where journeys begin, beside the place that counts.
	starts []int
	// address is the heading of the address that the towns of people are taken from.
	address string
}

// peopleHeads are heads of how many people come, or of their names, as plain writes them.
const peopleHeads wordlist.List = "peopleHeads"

// findPeople finds the numbers of people in a list of where they come from, where no column is
// certainly one of them.
func (r *origins) findPeople() {
	if r.typ != footprint.OriginRows || r.heading("people") {
		return
	}
	if r.people = r.aside(peopleHeads); !r.people.found() {
		return
	}
	r.columns[r.people.index()] = columnOf(r.typ, "people")
	r.claimCells(r.people.index(), keeps, func(cell string) string {
		if isName(strings.TrimSpace(cell)) {
			return ""
		}
		return cell
	})
}

// findOthers notes that the cells may stay by which a row is asked about: other numbers of people, and another mode.
func (r *origins) findOthers() {
	for at := range r.heads {
		switch {
		case r.countsOthers(at), r.partByMode(at):
			if r.countsOthers(at) {
				r.others = append(r.others, at)
			} else {
				r.byMode = append(r.byMode, at)
			}
			r.claimCells(at, keeps, func(cell string) string {
				if bareNumber(cell) {
					return cell
				}
				return ""
			})
		case r.asksMode(at):
			r.claimCells(at, keeps, func(cell string) string {
				if modeOf(r.typ, Unguard(strings.TrimSpace(cell)), columnOf(r.typ, "mode").values) != "" {
					return cell
				}
				return ""
			})
		}
	}
}

// countsOthers reports whether a column may have numbers of other people than those that count.
func (r *origins) countsOthers(at int) bool {
	head := plain(r.heads[at])
	return r.typ == footprint.OriginRows && r.reading == interpreted && r.free(at) && (groupHeads.Has(head) || peopleHeads.Has(head) || isCompanion(r.heads[at]))
}

// partByMode reports whether a column has how many of the people of a row come by a mode of their own: of whom by train.
func (r *origins) partByMode(at int) bool {
	values := columnOf(r.typ, "mode").values
	return r.typ == footprint.OriginRows && r.reading == interpreted && r.free(at) && isPart(r.heads[at]) && r.heading("mode") && slices.ContainsFunc(wordsOf(r.heads[at]), func(word string) bool { return values[word] != "" })
}

// otherWays returns the fault of a row of which some people come by another mode than the one that counts.
func (r *origins) otherWays(row *row) *apperr.Detail {
	if r.typ != footprint.OriginRows || !row.has("mode") {
		return nil
	}
	for _, at := range r.byMode {
		head, cell := r.heads[at], Unguard(oneCell(row.cells, at))
		if n, ok := r.asNumber(cell); !ok || n <= 0 || !bareNumber(cell) {
			continue
		}
		return &apperr.Detail{Field: head, Code: SeveralRecords, Suggestions: []string{"people", "mode"},
			Message: fmt.Sprintf("%s is %.40q, and the row would count all of its people by %s. Write a row for each mode, with its people.", head, cell, row.text("mode"))}
	}
	return nil
}

// otherPeople returns the fault of a row with another number of people than the one that counts: of registrations and of attendees.
func (r *origins) otherPeople(row *row) *apperr.Detail {
	if r.typ != footprint.OriginRows || !row.has("people") {
		return nil
	}
	for _, at := range r.others {
		head, cell := r.heads[at], Unguard(oneCell(row.cells, at))
		if n, ok := r.asNumber(cell); peopleHeads.Has(plain(head)) && ok && bareNumber(cell) && n != row.number("people") {
			return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"people"},
				Message: fmt.Sprintf("%s is %.40q, and the row would count %s people. Head the column people that has those who come, and leave the other one out.", head, cell, row.values["people"])}
		}
	}
	return nil
}

// serialHeads are heads of how many people come, or of the numbers of rows, as plain writes them.
const serialHeads wordlist.List = "serialHeads"

// serialRows is how many consecutive rows must have their own number before it is not a number of people.
const serialRows = 3

// serial returns the fault of a row whose number of people is its own row number, as in all rows
// before it.
func (r *origins) serial(row *row) *apperr.Detail {
	if r.typ != footprint.OriginRows {
		return nil
	}
	at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "people" })
	if at < 0 || !serialHeads.Has(plain(r.heads[at])) {
		return nil
	}
	r.rows++
	if string(row.values["people"]) == strconv.Itoa(r.rows) && r.serials == r.rows-1 {
		r.serials++
	}
	if r.serials < serialRows || r.serials != r.rows {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"people"},
		Message: fmt.Sprintf("%s counts the rows from 1 to %d; as numbers of people they would come to %d. Delete the column, or head it people if that is what it is.", r.heads[at], r.serials, r.serials*(r.serials+1)/2)}
}

// groupHeads are headings of how many people of a group come, besides those who attend, normalized by plain.
const groupHeads wordlist.List = "groupHeads"
