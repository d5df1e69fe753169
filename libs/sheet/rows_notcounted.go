package sheet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// marks are what the columns of a table that are not fields state about its rows.
type marks struct {
	*table
	subjects *subjects
	// of are those of the columns, by index.
	of []mark
	// firstSide is the side of the ledger of the first row, with its word.
	firstSide int
	firstSaid string
}

const (
	// RowNotCounted is the code of a row that the file itself marks as not to be counted:
	// what was cancelled, refunded or credited, whom the event reaches online, a second
	// mention of what another row has.
	RowNotCounted = "ROW_NOT_COUNTED"
	// RepeatedHead is the code of a row that is the head once more, as printed pages have it.
	RepeatedHead = "REPEATED_HEAD"
)

// mark is what a column that is not a field states about a row.
type mark uint8

const (
	noMark     mark = iota
	states          // words: cancelled, refund, no-show
	flags           // yes, or the day on which it was cancelled
	attends         // whether a person comes
	happened        // whether it took place
	presence        // in person or online
	reverse         // an amount or a number, negative where it is taken back
	sides           // debit or credit
	refunds         // an amount that was paid back
	credits         // an amount beside one of debits
	services        // what was booked: a flight, a hotel
	flows           // which way energy goes
	movements       // whether goods were received, used or taken back
	counts          // a number that may be one of people
	companions      // how many come with a person
	absent          // how many of the people do not come
	attendance      // whether a person came, or how many did
	byMode          // how many of the people come by one mode
	journeys        // how often the people come
)

// Heads of such columns, as plain writes them. A head with one of the words of stateParts is
// one of a state too.
const (
	stateParts   wordlist.List = "stateParts"
	stateHeads   wordlist.List = "stateHeads"
	flagHeads    wordlist.List = "flagHeads"
	attendsHeads wordlist.List = "attendsHeads"
	// happenedHeads are those of whether a journey, a stay or a delivery took place.
	happenedHeads wordlist.List = "happenedHeads"
	reverseHeads  wordlist.List = "reverseHeads"
	sideHeads     wordlist.List = "sideHeads"
	onlineHeads   wordlist.List = "onlineHeads"
)

// Words of a state in which nothing took place, or was taken back; with one of the words of
// besideStates it did, or it is not known.
const (
	stopWords    wordlist.List = "stopWords"
	stopPhrases  wordlist.List = "stopPhrases"
	stopWhole    wordlist.List = "stopWhole"   // of segments, too
	besideStops  wordlist.List = "besideStops" // when, and by whom
	besideStates wordlist.List = "besideStates"
	offerWords   wordlist.List = "offerWords" // nothing was ordered yet
	// passedOnWords are states of tickets that somebody else has now.
	passedOnWords wordlist.List = "passedOnWords"
	onlineWords   wordlist.List = "onlineWords"
	onlinePhrases wordlist.List = "onlinePhrases" // of several words, which besideOnline has one by one
	besideOnline  wordlist.List = "besideOnline"
)

// longestMark is the maximum length, in bytes, of a cell that states whether its row counts; longer
// ones are remarks.
const longestMark = 60

// findMarks finds the columns that state whether a row counts.
func (r *marks) findMarks() {
	people := r.typ == footprint.OriginRows
	for at, head := range r.heads {
		if at == r.typeAt.index() && r.typ != Mixed {
			if r.of[at] = states; hasServices(r.typ) {
				r.of[at] = services
			}
			continue
		}
		if head == "" || !r.free(at) {
			if people && r.columns[at].Name == "mode" {
				r.of[at] = presence
			}
			continue
		}
		name := plain(head)
		stem := name
		if text, _, ok := unitOfHead(head); ok {
			stem = plain(text)
		}
		has := func(heads wordlist.List) bool { return heads.Has(name) }
		switch {
		case hasServices(r.typ) && r.headsService(name):
			r.of[at] = services
		case (r.typ == "energy" || r.typ == "venue") && has(flowHeads):
			r.of[at] = flows
		case r.typ == "purchases" && creditHeads.Has(stem):
			r.of[at] = credits
		case refundHeads.Has(stem) && !r.reimburses(stem):
			r.of[at] = refunds
		case people && has(attendsHeads):
			r.of[at] = attends
		case !people && r.typ != "purchases" && r.typ != "materials" && (has(happenedHeads) || has(attendsHeads)):
			r.of[at] = happened
		case people && has(onlineHeads):
			r.of[at] = presence
		case has(stateHeads) || slices.ContainsFunc(stateParts.All(), func(part string) bool { return strings.Contains(name, part) }):
			r.of[at] = states
		case has(flagHeads):
			r.of[at] = flags
		case has(movementHeads):
			r.of[at] = movements
		case has(sideHeads):
			r.of[at] = sides
		case has(reverseHeads) || reverseHeads.Has(stem):
			r.of[at] = reverse
		}
		if of := r.peopleMark(at); of == companions || of == absent && people || of == counts && r.of[at] == reverse || r.of[at] == noMark {
			r.of[at] = of
		} else if of == counts && r.of[at] == attends {
			r.of[at] = attendance
		}
	}
	r.claimMarks()
}

// claimMarks notes that the cells by which a row does not count may stay, and of those that state it beside something else, such
// as a name, that part.
func (r *marks) claimMarks() {
	stop := func(cell string) string { return stopPart(Unguard(strings.TrimSpace(cell))) }
	for at, kind := range r.of {
		switch {
		case at == r.typeAt.index() && kind != noMark:
			r.claimCells(at, keeps, whole)
		case columnOf(r.typ, r.columns[at].Name).Name != "":
		case kind != noMark:
			r.claimCells(at, keeps, func(cell string) string {
				if r.marked(at, kind, strings.TrimSpace(cell)) {
					return cell
				}
				return ""
			})
			r.claimCells(at, keeps, stop)
		case r.heads[at] != "" && r.free(at):
			r.claimCells(at, mayKeep, stop)
		}
	}
}

// notCounted returns the fault of a row that is marked as not to be counted, or repeats the
// headings.
func (r *marks) notCounted(cells []string) *apperr.Detail {
	if r.o.Rules > 0 && r.isHead(cells) {
		return &apperr.Detail{Code: RepeatedHead, Message: "The row is the head once more; delete it from the file."}
	}
	for at, kind := range r.of {
		if at >= len(cells) {
			continue
		}
		cell := strings.TrimSpace(cells[at])
		if (kind == noMark || kind == counts) && r.stopsAlone(at, cell) {
			kind = states // the column says nothing else of this row
		} else if kind != flows && r.reading == interpreted && r.heads[at] != "" && r.isFlow(at, Unguard(cell)) {
			kind = flows
		}
		if kind == noMark || kind == reverse && r.sold(cells) {
			continue
		}
		if kind == flags && countsPeopleIn(counts, cell) && r.heading(countedThings[r.typ]...) {
			kind = absent // how many were cancelled
		}
		if kind >= counts && countsPeopleIn(kind, cell) {
			return r.uncounted(at, kind, cell)
		}
		if kind == sides || kind == movements {
			book := r.side
			if kind == movements {
				book = r.movement
			}
			if fault := book(at, cell); fault != nil {
				return fault
			}
		} else if r.marked(at, kind, cell) && (kind != credits || !r.debited(cells)) {
			what := "what was cancelled, refunded or credited does not count"
			switch kind {
			case states:
				if passedOnWords.HasAny(wordsOf(cell)) {
					what = "whoever has the ticket now has a row, too"
				} else if r.unsettled(at, wordsOf(cell)) && !stopped(cell) {
					what = "it does not say that the person came"
				} else if !stopped(cell) {
					what = "what was only offered or reserved does not count"
				}
			case presence, attends, absent, attendance:
				if r.typ == footprint.OriginRows {
					what = "who does not come does not travel"
				}
			case happened:
				what = "what did not take place does not count"
			case services:
				switch {
				case stopped(cell):
				case r.otherService(at, cell):
					what = "that is no record of " + r.typ
				default:
					what = "what was only offered or reserved does not count"
				}
			case flows:
				what = "what is fed in, or reactive, is no consumption"
			case noMark, flags, reverse, sides, movements, refunds, credits, counts, companions, byMode, journeys:
			}
			return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
				Message: fmt.Sprintf("%s is %.60q: %s. Delete the row from the file, or empty the cell where the row counts all the same.", r.heads[at], cell, what)}
		}
	}
	return nil
}

// isHead reports whether every nonempty cell is the heading of its column.
func (r *marks) isHead(cells []string) bool {
	found := 0
	for i, cell := range cells {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		if i >= len(r.heads) || !strings.EqualFold(oneLine(cell), r.heads[i]) {
			return false
		}
		found++
	}
	return found > 0
}

// marked reports whether a cell of a column of a kind states that its row does not count.
func (r *marks) marked(at int, kind mark, cell string) bool {
	if cell == "" || len(cell) > longestMark {
		return false
	}
	switch kind {
	case states:
		words := wordsOf(cell)
		return stopped(cell) || r.unsettled(at, words) || (offerWords.HasAny(words) || r.typ == footprint.OriginRows && passedOnWords.HasAny(words)) && !besideStates.HasAny(words)
	case flags:
		yes, _ := fields.Truth(cell)
		day, _, _ := strings.Cut(cell, "T")
		day, _, _ = strings.Cut(day, " ")
		return yes || units.IsDate(day) || stopped(cell)
	case attendance:
		return countsPeopleIn(kind, cell) || r.marked(at, attends, cell)
	case attends, happened:
		yes, known := fields.Truth(cell)
		return known && !yes || stopped(cell)
	case reverse:
		return negative(cell)
	case presence:
		return online(cell) || stopped(cell)
	case refunds, credits:
		return !negative(cell) && strings.ContainsAny(cell, "123456789")
	case services:
		return stopped(cell) || r.otherService(at, cell) || at == r.typeAt.index() && r.marked(at, states, cell)
	case flows:
		return flowWords.HasAny(wordsOf(cell))
	case counts, companions, byMode, journeys:
		return countsPeopleIn(kind, cell)
	case absent:
		return countsPeopleIn(kind, cell) || r.marked(at, flags, cell)
	case noMark, sides, movements:
	}
	return false
}

// side returns the fault of a row on the other side of the ledger than the first one of the file.
func (r *marks) side(at int, cell string) *apperr.Detail {
	which := 0
	switch strings.ToLower(cell) {
	case "s", "soll", "d", "dr", "debit", "debet":
		which = 1
	case "h", "haben", "c", "cr", "k", "credit":
		which = 2
	}
	if r.firstSide == 0 {
		r.firstSide, r.firstSaid = which, cell
	}
	if which == 0 || which == r.firstSide {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
		Message: fmt.Sprintf("%s is %q, and %q in the first row that has it: one of them is a credit, which does not count. Delete such rows from the file.", r.heads[at], cell, r.firstSaid)}
}

// wordsOf returns the words of a text in small letters.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) })
}

// stopped reports whether a state is one in which nothing took place, or was taken back.
func stopped(cell string) bool {
	words := wordsOf(cell)
	if text := strings.Join(words, " "); slices.ContainsFunc(stopPhrases.All(), func(phrase string) bool { return strings.Contains(text, phrase) }) || stopWhole.Has(text) {
		return true
	}
	has := func(list wordlist.List) bool { return list.HasAny(words) }
	return has(stopWords) && !has(besideStates)
}

// stopsAlone reports whether a cell states that its row does not count, in a column whose heading does not say what it is about.
func (r *marks) stopsAlone(at int, cell string) bool {
	return r.reading == interpreted && r.heads[at] != "" && (r.free(at) || at == r.typeAt.index() || r.columns[at].Name == "description") && onlyStops(Unguard(cell))
}

// onlyStops reports whether a text, or its part in brackets or beside a dash or a colon, says no more than that nothing took place,
// or that it was taken back, and perhaps when and by whom: cancelled by guest, storniert am 05.05., Ada Webb (no-show).
func onlyStops(text string) bool {
	return stopPart(text) != ""
}

// stopPart returns the text, or its part, that says so; empty if none does.
func stopPart(text string) string {
	if len(text) > longestMark || !noShow.MatchString(text) && !stopWords.HasAny(wordsOf(text)) {
		return "" // as most cells
	}
	parts := stopParts.Split(strings.TrimRight(text, ")] "), -1)
	for _, part := range [...]string{text, parts[0], parts[len(parts)-1]} {
		words := wordsOf(noShow.ReplaceAllString(part, "noshow"))
		if stopWords.HasAny(words) && !slices.ContainsFunc(words, func(word string) bool { return !stopWords.Has(word) && !besideStops.Has(word) }) {
			return strings.TrimSpace(part)
		}
	}
	return ""
}

var (
	// stopParts is what separates the parts of a text: brackets, and dashes and colons between spaces.
	stopParts = regexp.MustCompile(`\s+[-–—]\s+|:\s+|\s*[(\[]\s*`)
	noShow    = regexp.MustCompile(`(?i)\bno[ -]show\b`)
)

// online reports whether a kind of ticket or attendance involves no travel.
func online(cell string) bool {
	found := false
	words := wordsOf(cell)
	for _, word := range words {
		switch {
		case onlineWords.Has(word):
			found = true
		case !besideOnline.Has(word):
			return false
		}
	}
	text := strings.Join(words, " ")
	return found || slices.ContainsFunc(onlinePhrases.All(), func(phrase string) bool { return strings.Contains(text, phrase) })
}

// negative reports whether an amount is below zero, as accounts write it: -5, 5-, (5), 5 CR.
func negative(cell string) bool {
	cell = Unguard(cell)
	first, last := strings.IndexAny(cell, "0123456789"), strings.LastIndexAny(cell, "0123456789")
	if first < 0 || !strings.ContainsAny(cell, "123456789") {
		return false
	}
	before, after := strings.TrimSpace(cell[:first]), strings.TrimSpace(cell[last+1:])
	for _, text := range [...]string{before, after} {
		text = strings.Trim(text, "-−–.,() ")
		if _, sign := signs[text]; text != "" && text != "CR" && !sign && (len(text) != 3 || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "") {
			return false // no amount, or one of something else than money
		}
	}
	signed := func(text string) bool { return strings.ContainsAny(text, "-−–") }
	return signed(before) || strings.HasPrefix(before, "(") && strings.HasSuffix(after, ")") || after == "CR" ||
		signed(after) && !strings.HasPrefix(after, ".") && !strings.HasPrefix(after, ",")
}
