package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// reading is how much the columns of a file may mean beside the fields that they name.
type reading uint8

const (
	// interpreted is a table of anybody: its headings and rows mean what people mean by such words.
	interpreted reading = iota
	// byName is an export of the service. Its columns are fields by their names alone, and a column that somebody added
	// is ignored: what guesses at words would take a description or a state for what a supplier means by it.
	byName
	// asBefore is a file accepted by a release without [Rules], with the few headings that it knew.
	asBefore
)

// idColumn is the column of the ids that the service gives records; tables that it wrote have it.
const idColumn = "_id"

// readingOf returns how a file with a head is read. It is the only place that decides it: what is guessed at belongs into
// [Reader.interpretHead] and [Reader.interpretRow].
func readingOf(head []string, o Options) reading {
	own := func(text string) bool { return strings.TrimSpace(text) == idColumn }
	switch {
	case slices.ContainsFunc(head, own):
		return byName
	case o.Rules == 0:
		return asBefore
	}
	return interpreted
}

// interpretHead finds what the columns whose headings are not names of fields mean, and reports whether the file has a column
// that records can be made of.
func (r *Reader) interpretHead(unknown []int, known []Column) (found bool) {
	r.counts, r.marks = make([]counting, len(r.heads)), make([]mark, len(r.heads))
	named := func() bool {
		return slices.ContainsFunc(r.columns, func(c Column) bool { return c.Name != "" && c.Name != "type" })
	}
	switch r.reading {
	case byName:
		r.ignored = unknown
		return named()
	case asBefore:
		r.takeHeadings(unknown, known)
		found = named()
		r.findStay()
		r.findRoute()
		return found || len(r.stay) > 0 || r.route >= 0
	case interpreted:
	}
	r.takeHeadings(unknown, known)
	for _, at := range unknown {
		if slices.Contains(r.ignored, at) && r.isTotal(at, known) {
			r.use(at)
		}
	}
	r.findAddress(known)
	r.findVAT(known)
	found = named() || len(r.quantity) > 0
	r.leaveOutContainers()
	r.findRoomKinds()
	r.findMeals()
	r.findDrinks()
	r.findEach()
	r.findCopies()
	r.findSides()
	r.findDuration()
	r.findUnits()
	r.findStay()
	r.findLegs()
	r.findRoute()
	r.findPeople()
	r.findSeats()
	r.findTickets()
	r.findTraveller()
	r.findMode()
	r.findBeside()
	r.findSubjects()
	r.findParts()
	r.findLeftOut()
	r.findRoomNights()
	r.findGuestName()
	r.findMeters()
	r.findModeDistances()
	r.findDistances()
	r.findAreaWeight()
	r.findTreatments()
	r.findReadings()
	r.findTonneKm()
	r.findWasteCode()
	r.findWasteNames()
	r.findMarks()
	return found || r.derived() > 0 || len(r.legColumns)+len(r.parts)+len(r.sides)+len(r.modeDistances) > 0 || r.wholeAt >= 0 || r.readings.found
}

// derived returns how many columns are no fields and have what fields are derived from.
func (r *Reader) derived() int {
	n := len(r.stay) + len(r.each) + len(r.roomKindsAt) + len(r.meals) + len(r.seats)
	for _, at := range [...]int{r.drinks.name, r.route, r.roomNightsAt, r.tonneKmAt, r.wasteCodeAt, r.durationAt} {
		if at >= 0 {
			n++
		}
	}
	return n
}

// takeHeadings makes each of some columns the field that its heading means. A field is in the column with its name, else in
// the first one with one of its usual headings: a column of notes after a description is ignored.
func (r *Reader) takeHeadings(unknown []int, known []Column) {
	for _, at := range r.grossFirst(unknown) {
		i := r.fieldHeaded(at, known)
		switch {
		case i < 0 && r.reading == interpreted && r.headsQuantity(r.heads[at]):
			r.columns[at].Type = "number"
			r.quantity = append(r.quantity, at)
		case i >= 0 && (r.isBetterCode(at, known[i], unknown) || r.isBetterAmount(at, known[i])):
			before := r.placeOf(known[i].Name)
			if code := moneyHead(known, r.heads[at]); code != "" {
				r.currency = code
				r.noteThousands(at)
			}
			r.columns[at], r.columns[before] = known[i], Column{}
			r.ignored = append(r.ignored, before)
		case i < 0 || r.heading(known[i].Name):
			r.ignored = append(r.ignored, at)
		default:
			r.columns[at] = known[i]
		}
	}
}

// codeHeadWords are words of headings of codes.
const codeHeadWords wordList = "codeHeadWords"

// isBetterCode reports whether a column has the code of the airport whose city is the field so far, by its heading: a city may
// have several airports.
func (r *Reader) isBetterCode(at int, field Column, unknown []int) bool {
	before := r.placeOf(field.Name)
	return r.typ == "flights" && r.reading == interpreted && (field.Name == "from" || field.Name == "to") && slices.Contains(unknown, before) &&
		codeHeadWords.hasAny(headWords(r.heads[at])) && !codeHeadWords.hasAny(headWords(r.heads[before]))
}

// interpretRow completes the object of a row by what its cells mean together, and returns the faults of a row that would
// count otherwise than it says.
func (r *Reader) interpretRow(b *body, typ string, cells []string) (faults []apperr.Detail) {
	take := func(found ...*apperr.Detail) {
		for _, fault := range found {
			if fault != nil {
				faults = append(faults, *fault)
			}
		}
	}
	if r.reading != interpreted {
		take(r.takeCurrency(b), r.nights(b, cells), r.itinerary(b, cells))
		return faults
	}
	take(r.takeSeconds(b, typ, cells), r.takeEach(b, cells), r.takeSides(b, cells), r.duration(b, cells))
	r.leaveOutAlone(b, typ)
	take(r.lacksUnit(b, typ))
	take(r.byModes(b, cells), r.areaWeight(b, cells), r.treated(b, cells))
	take(r.shared(b), r.takeDrink(b, cells), r.copies(b, cells), r.takeSeats(b, cells))
	r.ticket(b, cells)
	take(r.wayOfTrip(b, cells))
	r.bookingClass(b, cells)
	r.traveller(b, cells)
	r.mode(b, cells)
	r.driver(b, cells)
	r.oneHired(b, cells)
	r.wasteCode(b, cells)
	r.wasteNamed(b, typ, cells)
	r.hiredNamed(b, typ, cells)
	if typ == "freight" {
		byRoad(b)
	}
	take(r.takeVAT(b, cells), r.takeCurrency(b), r.nights(b, cells), r.takeRoomKinds(b, cells), r.takeMeals(b, cells), r.sharedRoom(b, cells), r.room(b, cells), r.roomNights(b, cells))
	r.guestByName(b, cells)
	r.nightOfLine(b, cells)
	take(r.itinerary(b, cells), r.severalLegs(b, typ, cells), r.takeParts(b, cells), r.legs(b, cells))
	r.dietServed(b, typ, cells)
	take(r.usedBetween(b, cells), r.besideUnit(b, cells), r.severalOfEach(cells), r.tonneKm(b, cells), r.unweighed(b, typ, cells), r.ratedInKilowatts(b, typ, cells), r.meterFactor(b, typ, cells), r.perhapsEachOf(b, typ, cells))
	take(r.serial(b), r.servesSeveral(b, typ, cells), r.otherSubject(b, typ, cells), r.ways(b, cells), r.bothWays(b, typ, cells), r.whole(b, cells), r.leavesOut(cells), r.partOf(typ, cells), r.severalClasses(b, typ, cells))
	take(r.codeshare(b, cells), r.emptyReturn(b, cells), r.segments(b, cells), r.otherGroups(b, cells), r.partlyFull(b, typ, cells))
	take(r.partInColumn(cells), r.submeter(cells), r.seasonTicket(b, cells), r.sharesOfValues(b, cells))
	r.noteUnread(b.unread) // at the end: each of them may leave a cell out
	return faults
}
