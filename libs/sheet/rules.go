package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
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
// [interpreter.interpretHead] and [interpreter.interpretRow].
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
func (in *interpreter) interpretHead(unknown []int) (found bool) {
	in.counts, in.marks.of = make([]counting, len(in.heads)), make([]mark, len(in.heads))
	switch in.reading {
	case byName:
		in.ignored = unknown
		return in.namesFields()
	case asBefore:
		in.takeHeadings(unknown)
		found = in.namesFields()
		in.lodging.findStay()
		in.routes.findRoute()
		return found || in.claimedAs(derives) > 0
	case interpreted:
	}
	in.takeHeadings(unknown)
	in.takeTotals(unknown)
	in.origins.findAddress()
	in.prices.findVAT()
	found = in.namesFields() || len(in.quantity) > 0
	in.findColumns()
	return found || in.claimedAs(derives|suffices) > 0
}

// namesFields reports whether a column is a field.
func (in *interpreter) namesFields() bool {
	return slices.ContainsFunc(in.columns, func(c Column) bool { return c.Name != "" && c.Name != "type" })
}

// findColumns has each rule find its columns in the head. The order matters: a rule takes only columns that are free, and looks
// for its own where no rule before it has found what makes them needless. It is not the order for rows, in which amounts of each
// come before all others, and a rule may have several places: see [interpreter.interpretRow].
func (in *interpreter) findColumns() {
	for _, find := range [...]func(){
		in.leaveOutContainers,
		in.lodging.findRoomKinds,
		in.meals.findMeals,
		in.drinks.findDrinks,
		in.perItem.findEach,
		in.prints.findCopies,
		in.dimensions.findSides,
		in.durations.findDuration,
		in.unitsBeside.findUnits,
		in.lodging.findStay,
		in.legs.findLegs,
		in.routes.findRoute,
		in.origins.findPeople,
		in.seats.findSeats,
		in.tickets.findTickets,
		in.travellers.findTraveller,
		in.travellers.findMode,
		in.travellers.findTicketCount,
		in.unitsBeside.findBeside,
		in.subjects.findSubjects,
		in.parts.findParts,
		in.byKind.find,
		in.countColumns.find,
		in.leftOut.findLeftOut,
		in.lodging.findRoomNights,
		in.dayColumns.find,
		in.lodging.findGuestName,
		in.meters.findMeters,
		in.modeDistances.findModeDistances,
		in.distances.findDistances,
		in.materials.findAreaWeight,
		in.treatments.findTreatments,
		in.readings.findReadings,
		in.tonneKms.findTonneKm,
		in.wasteTypes.findWasteCode,
		in.wasteTypes.findWasteNames,
		in.ticks.findTicks,
		in.sources.findTexts,
		in.origins.findOthers,
		in.origins.findHome,
		in.origins.findStarts,
		in.marks.findMarks,
	} {
		find()
	}
}

// derived returns how many columns are no fields and have what fields are derived from.
func (in *interpreter) derived() int {
	n := in.claimedAs(derives)
	if in.reading != interpreted {
		n++ // the ids of an export
	}
	return n
}

// takeHeadings makes each of some columns the field that its heading means. A field is in the column with its name, else in
// the first one with one of its usual headings: a column of notes after a description is ignored.
func (in *interpreter) takeHeadings(unknown []int) {
	for _, at := range in.grossFirst(unknown) {
		i := in.fieldHeaded(at)
		switch {
		case i < 0 && in.reading == interpreted && in.headsQuantity(in.heads[at]):
			in.columns[at].Type = "number"
			in.quantity = append(in.quantity, at)
		case i >= 0 && (in.isBetterCode(at, in.known[i], unknown) || in.isBetterAmount(at, in.known[i]) || in.isBetterCount(at, in.known[i])):
			before := in.placeOf(in.known[i].Name)
			if code := moneyHead(in.known, in.heads[at]); code != "" {
				in.currency = code
				in.prices.noteThousands(at)
			}
			in.columns[at], in.columns[before] = in.known[i], Column{}
			in.ignored = append(in.ignored, before)
		case i < 0 || in.heading(in.known[i].Name):
			in.ignored = append(in.ignored, at)
		default:
			in.columns[at] = in.known[i]
		}
	}
}

// codeHeadWords are words of headings of codes.
const codeHeadWords wordlist.List = "codeHeadWords"

// isBetterCode reports whether a column has the code of the airport whose city is the field so far, by its heading: a city may
// have several airports.
func (in *interpreter) isBetterCode(at int, field Column, unknown []int) bool {
	before := in.placeOf(field.Name)
	return in.typ == "flights" && in.reading == interpreted && (field.Name == "from" || field.Name == "to") && slices.Contains(unknown, before) &&
		codeHeadWords.HasAny(headWords(in.heads[at])) && !codeHeadWords.HasAny(headWords(in.heads[before]))
}

// isBetterCount reports whether a column says that it has the number of what the field so far may have by its name: Nombre de
// couverts beside Repas.
func (in *interpreter) isBetterCount(at int, field Column) bool {
	before := in.placeOf(field.Name)
	return in.reading == interpreted && in.typ == "catering" && field.Name == "meals" && before >= 0 && counted(in.known, in.heads[before]) < 0 && counted(in.known, in.heads[at]) >= 0
}

// interpretRow completes the object of a row by what its cells mean together, and returns the faults of a row that would
// count otherwise than it says. The order matters: a rule knows the fields that those before it have set. What would count
// otherwise than the row says is asked about behind what sets fields.
func (in *interpreter) interpretRow(row *row) (faults []apperr.Detail) {
	if in.reading != interpreted {
		return in.apply(row, in.prices.takeCurrency, in.lodging.nights, in.routes.itinerary)
	}
	faults = in.apply(row,
		in.takeSeconds,
		in.perItem.takeEach,
		in.dimensions.takeSides,
		in.durations.duration,
		in.perItem.binsCounted,
		in.perItem.leaveOutAlone,
		in.perItem.lacksUnit,
		in.modeDistances.byModes,
		in.materials.areaWeight,
		in.treatments.treated,
		in.travellers.shared,
		in.drinks.takeDrink,
		in.prints.take,
		in.seats.takeSeats,
		in.tickets.ticket,
		in.tickets.wayOfTrip,
		in.tickets.bookingClass,
		in.tickets.wayClasses,
		in.ticks.ways,
		in.ticks.ticked,
		in.travellers.traveller,
		in.travellers.severalTravellers,
		in.travellers.mode,
		in.travellers.ticketCount,
		in.travellers.drivenBy,
		in.travellers.oneHired,
		in.wasteTypes.wasteCode,
		in.wasteTypes.wasteNamed,
		in.materials.hiredNamed,
		in.sources.named,
		byRoad,
		in.prices.takeVAT,
		in.prices.takeCurrency,
		in.lodging.nights,
		in.lodging.takeRoomKinds,
		in.meals.takeMeals,
		in.lodging.sharedRoom,
		in.lodging.sameRoom,
		in.lodging.takeRoomNights,
		in.dayColumns.take,
		in.lodging.guestByName,
		in.lodging.sharesRoom,
		in.lodging.nightOfLine,
		in.routes.itinerary,
		in.legs.severalLegs,
		in.parts.takeParts,
		in.byKind.take,
		in.countColumns.take,
		in.tickets.legs,
		in.subjects.lightServed,
		in.subjects.dietServed,
		in.readings.usedBetween,
		in.unitsBeside.besideUnit,
		in.perItem.severalOfEach,
		in.tonneKms.tonneKm,
		in.tonneKms.unweighed,
		in.meters.ratedInKilowatts,
		in.meters.meterFactor,
		in.perItem.perhapsEachOf,
		in.origins.serial,
		in.subjects.servesSeveral,
		in.subjects.otherSubject,
		in.distances.ways,
		in.distances.bothWays,
		in.distances.takeWhole,
		in.leftOut.leavesOut,
		in.besides.notCounted,
		in.asides.ask,
		in.besides.undelivered,
		in.prices.discounted,
		in.prices.carriage,
		in.prices.countOrCost,
		in.meters.greenTariff,
		in.shares.partOf,
		in.shares.uplift,
		in.shares.prorated,
		in.shares.sourcesCounted,
		in.shares.severalClasses,
		in.shares.upgraded,
		in.tickets.codeshare,
		in.tickets.emptyReturn,
		in.tickets.returnLoad,
		in.tickets.returnUnused,
		in.tickets.segments,
		in.tickets.privateFlight,
		in.origins.otherGroups,
		in.origins.otherPeople,
		in.origins.otherMode,
		in.origins.otherWays,
		in.origins.otherStart,
		in.origins.startsElsewhere,
		in.wasteTypes.partlyFull,
		in.shares.partInColumn,
		in.meters.submeter,
		in.tickets.seasonTicket,
		in.shares.sharesOfValues,
		in.unheaded.valueElsewhere,
	)
	in.noteUnread(row.unread) // at the end: each of them may leave a cell out
	return faults
}

// apply applies rules to a row, and returns its faults.
func (in *interpreter) apply(row *row, rules ...func(*row) *apperr.Detail) (faults []apperr.Detail) {
	for _, rule := range rules {
		if fault := rule(row); fault != nil {
			faults = append(faults, *fault)
		}
	}
	return faults
}
