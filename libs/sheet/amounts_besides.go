package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// besides are the columns with other numbers of what a field counts, which may be more of it, less of it, or in it: Extra kWh,
// Complimentary rooms, Rejected (kg). The record would count none of them.
type besides struct {
	*table
	readings  *readings
	distances *distances
	lodging   *lodging
	marks     *marks
	of        []besideColumn
	found     bool
	// derived are the places of columns that are no fields, and of which what counts is made.
	derived []int
}

// besideColumn is such a column, and the place of the one that it is about, of a field or of what one is derived from.
type besideColumn struct {
	at, field int
	takenBack bool
}

const (
	// takenBackWords are words of headings of what was returned, rejected or deducted of an amount.
	takenBackWords wordlist.List = "takenBackWords"
	// undeliveredWords are words of the state of goods that came back.
	undeliveredWords wordlist.List = "undeliveredWords"
	// additionWords are words of headings of more of an amount than another column has.
	additionWords wordlist.List = "additionWords"
	// negations are words that begin headings of what was not done.
	negations wordlist.List = "negations"
	// onDemandWords are words of headings of those who watched what was recorded.
	onDemandWords wordlist.List = "onDemandWords"
	// privateWords are those of a part of a distance that was driven privately.
	privateWords wordlist.List = "privateWords"
	// changeNothing are words of headings of numbers about an amount that are no part of it: plans, limits, readings, prices,
	// emissions.
	changeNothing wordlist.List = "changeNothing"
	// bringNumbers are words at the end of headings of what things are known by.
	bringNumbers wordlist.List = "bringNumbers"
)

// find finds the columns of numbers about a field that another column has. It is called for the first row: no rule for heads needs
// them, and while the head of a file is looked for, any row is read as one.
func (r *besides) find() {
	if r.found || r.typ == footprint.OriginRows || r.typ == Mixed {
		return
	}
	if r.found = true; r.typ == "purchases" {
		r.findMoney()
		return
	}
	r.findDerived()
	if slices.ContainsFunc(r.columns, func(c Column) bool { return c.number() && drivenWords.HasAny(wordsOf(r.headingOf(c.Name))) }) {
		return // all that was driven
	}
	less := r.isLess()
	for at, head := range r.heads {
		if head == "" || !r.free(at) || r.counts[at] == ofTrip || r.isClaimed(at, anything) || r.marks.of[at] == absent ||
			r.distances.of[at] != 0 || r.typ == "water" && isSewerage(head) || r.isBareReading(at) || r.readings.isFirst(head) || r.readings.isLast(head) || slices.Contains(r.lodging.stayBeside, at) {
			continue
		}
		words := wordsOf(head)
		takenBack := takenBackWords.HasAny(words) || takenBackWords.Has(plain(head)) || absentWords.HasAny(words) || denies(words) || r.typ == "ground-transport" && privateWords.HasAny(words)
		added := additionWords.HasAny(words)
		if less && !added {
			continue
		}
		field := r.fieldAbout(head, takenBack || added)
		if field < 0 && (takenBack || r.namesGroup(head) || additionWords.Has(plain(head)) && r.typ == "accommodation" || r.marks.of[at] == happened) {
			field = r.principal()
		}
		if field >= 0 {
			r.of = append(r.of, besideColumn{at, field, takenBack})
		}
	}
}

// isBareReading reports whether a column of a bill is one of the two readings whose difference was used: Previous (m3) beside Current
// (m3) and Consumption (m3).
func (r *besides) isBareReading(at int) bool {
	only := func(head string, list wordlist.List) bool {
		stem, _, _ := unitOfHead(head)
		words := wordsOf(stem)
		return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !list.Has(word) && !readingWords.Has(word) })
	}
	has := func(list wordlist.List) bool {
		return slices.ContainsFunc(r.heads, func(head string) bool { return only(head, list) })
	}
	return (r.typ == "water" || r.typ == "energy") && (only(r.heads[at], firstReadingWords) || only(r.heads[at], lastReadingWords)) && has(firstReadingWords) && has(lastReadingWords)
}

// findMoney finds the columns of amounts of money to be added to the one that counts, or deducted from it.
func (r *besides) findMoney() {
	amount := r.placeOf(moneyField)
	for at, head := range r.heads {
		words := wordsOf(head)
		takenBack := takenBackWords.HasAny(words)
		_, unit, ok := unitOfHead(head)
		_, currency := currencyWritten(unit)
		if amount < 0 || !r.free(at) || r.marks.of[at] != noMark || !takenBack && !additionWords.HasAny(words) || (!ok || !currency) && (!takenBack || len(words) > 1) || taxLines.HasAny(words) {
			continue
		}
		r.of = append(r.of, besideColumn{at, amount, takenBack})
	}
}

// findDerived finds the columns that are no fields, and of which what counts is made, with those that count what amounts of each
// are multiplied by.
func (r *besides) findDerived() {
	multiplies := slices.ContainsFunc(r.claims, func(c claim) bool { return c.is&rates != 0 && c.field != "" })
	for at := range r.heads {
		if r.columns[at].Name == "" && (r.isClaimed(at, derives|suffices) || multiplies && r.counts[at] != "") {
			r.derived = append(r.derived, at)
		}
	}
}

// isLess reports whether the table counts an amount that is without what was taken back: Net litres, Used, Actual kg.
func (r *besides) isLess() bool {
	for at, head := range r.heads {
		if _, actual := withoutActual(r.typ, head); (actual || isNet(head) && r.typ != "freight") && r.columns[at].number() {
			return true
		}
	}
	return false
}

// longestField is how many words of a heading may name a field.
const longestField = 3

// fieldAbout returns the place of the column of the field that a heading is about by some of its words; -1 if it is about none, or,
// unless it is qualified as what changes an amount, about two, whose product it may be, or if its other words say that it changes
// no amount.
func (r *besides) fieldAbout(head string, qualified bool) int {
	words := strings.FieldsFunc(strings.ToLower(head), func(c rune) bool { return !unicode.In(c, unicode.L, unicode.N) })
	_, _, each := eachOf(head)
	_, _, part, ofEnergy := partOfEnergy(r.typ, head)
	if len(plain(head)) < 2 || len(words) == 0 || each || ofEnergy && (part.tariff || part.month) || isPart(head) ||
		strings.ContainsAny(head, "%·×") || tonneKmHeads.Has(plain(head)) || perHead.MatchString(head) && !qualified ||
		changeNothing.HasAny(words) || changeNothing.HasAny(wordsOf(head)) || bringNumbers.Has(words[len(words)-1]) {
		return -1
	}
	about := -1
	for n := min(longestField, len(words)); n > 0; n-- {
		for i := range len(words) - n + 1 {
			at := r.placeNamed(strings.Join(words[i:i+n], " "))
			switch {
			case at < 0 || at == about:
			case about < 0:
				about = at
			case !qualified && n == 1:
				return -1
			}
		}
	}
	if about < 0 {
		return r.derivedAbout(words)
	}
	return about
}

// derivedAbout returns the place of the column that is no field, and of which what counts is made, if a heading has its words and
// others: Room nights cancelled beside Room nights.
func (r *besides) derivedAbout(words []string) int {
	i := slices.IndexFunc(r.derived, func(at int) bool {
		own := wordsOf(r.heads[at])
		if many := slices.DeleteFunc(slices.Clone(own), numberWords.Has); len(many) > 0 {
			own = many
		}
		return len(own) > 0 && len(words) > len(own) && !slices.ContainsFunc(own, func(word string) bool { return !slices.Contains(words, word) })
	})
	if i < 0 {
		return -1
	}
	return r.derived[i]
}

// placeNamed returns the place of the column of numbers whose field, or the kind of whose unit, words of a heading name; -1 if there is none.
func (r *besides) placeNamed(words string) int {
	for at, c := range r.columns {
		if c.number() && isUnitOf(c.Name, words) {
			return at
		}
	}
	for _, c := range r.claims {
		if c.is&(derives|suffices) != 0 && isUnitOf(c.field, words) {
			return c.at
		}
	}
	if field, _ := r.fieldCalled(words); field.number() {
		if field.Name == "nights" && len(r.lodging.stay) > 0 {
			return r.lodging.stay[len(r.lodging.stay)-1]
		}
		return r.placeOf(field.Name)
	}
	for at, c := range r.columns {
		own := slices.DeleteFunc(wordsOf(r.heads[at]), numberWords.Has)
		if c.number() && len(own) > 0 && strings.Join(own, " ") == words {
			return at // rum of Antal rum
		}
		if c.number() && (isCompound(words, plain(r.heads[at])) || slices.ContainsFunc(c.headings, func(heading string) bool { return isCompound(words, heading) })) {
			return at
		}
	}
	return -1
}

// isUnitOf reports whether a word is a unit of a field.
func isUnitOf(field, word string) bool {
	target, measured := units.OfField(field)
	_, err := units.ByName(word, target.Dimension)
	return measured && err == nil
}

// leastPart is how many letters the parts of a compound have at least.
const leastPart = 4

// isCompound reports whether a word is a compound, as German and Dutch have them, of something and a heading: Reserveportionen,
// Aufbautage.
func isCompound(word, heading string) bool {
	before, ok := strings.CutSuffix(word, heading)
	return ok && len(heading) >= leastPart && len(before) >= leastPart && !strings.Contains(before, " ") && !changeNothing.Has(before)
}

// namesGroup reports whether a heading is that of people, meals or views that may not be among those that the table counts: Crew,
// Children, Replays.
func (r *besides) namesGroup(head string) bool {
	words := wordsOf(head)
	switch {
	case !r.heading("passengers", "meals", "participants") && len(r.derived) == 0:
		return false
	case additionWords.Has(plain(head)): // Second helpings
		return true
	case changeNothing.HasAny(words), slices.ContainsFunc(words, func(word string) bool { return countNamed(word, true) == ofHour }):
		return false // Staff hours
	}
	groups := groupHeads.HasAny(words) || companionHeads.HasAny(words) || companionHeads.Has(plain(head))
	return groups && r.typ != "accommodation" || r.typ == "digital" && onDemandWords.HasAny(words) ||
		additionWords.HasAny(words) && !slices.ContainsFunc(words, func(word string) bool { return !additionWords.Has(word) && !numberWords.Has(word) })
}

// denies reports whether a heading with some words is that of what was not done: Niet afgehaald, No embarcados. No in English begins
// the heading of a number.
func denies(words []string) bool {
	return len(words) > 1 && (negations.Has(words[0]) || words[0] == "no" && slices.ContainsFunc(spanishParticiples[:], func(ending string) bool { return strings.HasSuffix(words[1], ending) }))
}

// spanishParticiples are the endings of what Spanish headings say was not done.
var spanishParticiples = [...]string{"ado", "ados", "ada", "adas", "ido", "idos", "ida", "idas"}

// principal returns the place of the column of what records of the type count; -1 if the table has none.
func (r *besides) principal() int {
	if at := r.placeOf(cmp.Or(plannedField[r.typ], "passengers")); at >= 0 {
		return at
	}
	if len(r.derived) > 0 {
		return r.derived[0]
	}
	return slices.IndexFunc(r.columns, func(c Column) bool {
		_, measured := units.OfField(c.Name)
		return c.number() && measured
	})
}

// notCounted returns the fault of a row with another number of what it counts, unless all of them come to what it counts.
func (r *besides) notCounted(row *row) *apperr.Detail {
	r.find()
	if len(r.of) == 0 {
		return nil
	}
	first, sums := -1, make([]float64, len(r.columns))
	for i, column := range r.of {
		n, ok := r.numberBeside(row, column)
		if !ok {
			continue
		}
		if sums[column.field] += n; first < 0 {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	column := r.of[first]
	if i := slices.IndexFunc(r.derived, func(at int) bool { return oneCell(row.cells, at) != "" }); i >= 0 && oneCell(row.cells, column.field) == "" {
		column.field = r.derived[i]
	}
	head, cell := r.heads[column.at], oneCell(row.cells, column.at)
	field, counted := r.columns[column.field].Name, oneCell(row.cells, column.field)
	if slices.Contains(r.lodging.stay, column.field) {
		if field = "nights"; sums[column.field] == row.number(field) {
			return nil // the nights between the days
		}
	}
	if n, ok := r.asNumber(counted); ok && n == sums[column.field] {
		return nil
	}
	message := "%[1]s is %.40[2]s, and the record would count %[3]s, %.40[4]s, alone. If it is more, write all of it into one column, %[5]s, or into a row of its own; if it is to be deducted, write what is left; leave the column %[1]s out if neither is so."
	if column.takenBack {
		message = "%[1]s is %.40[2]s, and the record would count it, too, with %[3]s, %.40[4]s. Write into a column %[5]s what is left without it, and leave the column %[1]s out; or leave it out if the amount is without it already."
	}
	d := &apperr.Detail{Field: head, Code: fields.NotAllowed, Message: fmt.Sprintf(message, head, cell, r.heads[column.field], counted, cmp.Or(field, r.heads[column.field]))}
	if field != "" {
		d.Suggestions = []string{field}
	}
	return d
}

// undelivered returns the fault of a row of freight that was carried back: it went both ways, and the record would count one.
func (r *besides) undelivered(row *row) *apperr.Detail {
	if row.typ != "freight" || row.has("roundTrip") {
		return nil
	}
	for at, kind := range r.marks.of[:min(len(r.marks.of), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if words := wordsOf(cell); kind == states && len(cell) <= longestMark && undeliveredWords.HasAny(words) && !besideStates.HasAny(words) {
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"roundTrip"},
				Message: fmt.Sprintf("%s is %.60q, and the record would count one way. Write into a column roundTrip whether the goods were carried back, true or false.", r.heads[at], cell)}
		}
	}
	return nil
}

// numberBeside returns the number of such a column, if a row has one that is not that of the field.
func (r *besides) numberBeside(row *row, column besideColumn) (n float64, ok bool) {
	cell := Unguard(oneCell(row.cells, column.at))
	n, ok = r.asNumber(strings.TrimSpace(strings.TrimSuffix(cell, "%")))
	if !ok || n == 0 || units.IsDate(cell) || cell == oneCell(row.cells, column.field) {
		return 0, false
	}
	if r.columns[column.field].Name == "" {
		return n, slices.ContainsFunc(r.derived, func(at int) bool { return strings.ContainsAny(oneCell(row.cells, at), "123456789") })
	}
	if _, number := r.asNumber(oneCell(row.cells, column.field)); !number && oneCell(row.cells, column.field) != "" {
		return 0, false // which the decoder of the record refuses
	}
	return n, row.has(r.columns[column.field].Name) || column.takenBack && row.measures(row.typ, true)
}
