package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

const (
	// actualWords are words of headings of what was in fact, beside what was planned.
	actualWords wordlist.List = "actualWords"
	// actualUses are words of headings of what was used or done of it. Of materials they say that they are not new.
	actualUses wordlist.List = "actualUses"
	// attendedHeads are headings of how many of those who were registered took part, normalized by plain.
	attendedHeads wordlist.List = "attendedHeads"
)

// plannedField is the field that a number below Actual alone is, by type.
var plannedField = map[string]string{
	"accommodation": "rooms", "catering": "meals", "digital": "participants", "flights": "passengers",
	"freight": "weightKg", "purchases": moneyField, "waste": "weightKg",
}

// isActual makes a column of what was in fact, such as Actual kg and Rooms used, the field of it. Beside another column of the
// field, which may be what was planned, it is the second one.
func (in *interpreter) isActual(at int) bool {
	rest, ok := withoutActual(in.typ, in.heads[at])
	if !ok {
		return false
	}
	column, unit := in.fieldCalled(rest)
	first := in.placeOf(column.Name)
	if rest == "" && in.typ == "digital" && !in.heading("participants") {
		column = columnOf(in.typ, "participants") // Registered and Attended
	} else if rest == "" {
		if first = in.placeOf(plannedField[in.typ]); first < 0 || slices.ContainsFunc(in.heads, isPrevious) {
			return false
		}
		column, unit = in.columns[first], in.inUnit[first]
	}
	switch {
	case !column.number():
		return in.isActualMoney(at, rest)
	case column.Name == distanceField && in.typ == "flights":
		return false // Miles used are those of a programme that paid for the flight
	case first < 0 && in.typ == "catering":
		return false // what was cooked may be the number that was guaranteed
	case first >= 0 && !in.second(at, first):
		return false
	}
	in.columns[at], in.inUnit[at] = column, unit
	return true
}

// isActualMoney makes a column of what was in fact paid the amount of a table of purchases that has no other: Actual GBP beside Budget
// GBP.
func (in *interpreter) isActualMoney(at int, rest string) bool {
	if _, currency := currencyWritten(rest); currency {
		rest = amountWord + " (" + rest + ")"
	}
	code := moneyHead(in.known, rest)
	if in.typ != "purchases" || code == "" || in.heading(moneyField) {
		return false
	}
	in.columns[at], in.currency = columnOf(in.typ, moneyField), code
	return true
}

// isPrevious reports whether a heading is of a first reading, beside which Actual is the last one in Spanish.
func isPrevious(head string) bool { return firstReadingWords.HasAny(wordsOf(head)) }

// withoutActual returns a heading without its words for what was in fact; false if it has none.
func withoutActual(typ, head string) (rest string, ok bool) {
	if typ == "digital" && attendedHeads.Has(plain(head)) {
		return "", true
	}
	var words []string
	for word := range strings.FieldsSeq(head) {
		lower := strings.Trim(strings.ToLower(word), ".:()[]")
		if actualWords.Has(lower) || typ != "materials" && actualUses.Has(lower) {
			ok = true
			continue
		}
		words = append(words, word)
	}
	return strings.Join(words, " "), ok
}

// fieldCalled returns the field that a text means as a heading, with its unit; its name is empty where it means none.
func (t *table) fieldCalled(text string) (field Column, unit string) {
	if word := strings.Trim(text, "()[] "); isUnit(word) {
		text = amountWord + " (" + word + ")"
	}
	if field, unit = meant(text, t.known); field.Name != "" {
		return field, unit
	}
	if i := slices.IndexFunc(t.known, func(c Column) bool { return plain(c.Name) == plain(text) }); i >= 0 {
		return t.known[i], ""
	}
	if i := headed(t.known, text); i >= 0 {
		return t.known[i], ""
	}
	if i := counted(t.known, text); i >= 0 {
		return t.known[i], ""
	}
	field, unit, _ = inUnits(t.typ, text)
	return field, unit
}
