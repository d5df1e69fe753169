package sheet

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// readings are those of meters and odometers.
type readings struct {
	*table
	distances  *distances
	parts      *parts
	perItem    *perItem
	travellers *travellers
	of         readingColumns
}

// Words of the headings of the readings of a meter, of which a row has the first and the last.
const (
	readingWords      wordlist.List = "readingWords"
	firstReadingWords wordlist.List = "firstReadingWords"
	lastReadingWords  wordlist.List = "lastReadingWords"
)

// readingColumns are the columns of the first and the last reading of a meter, and their unit if the headings have one. The
// zero value is that of a file without them.
type readingColumns struct {
	found       bool
	first, last int
	unit        string
}

// metered are the fields that the difference of the readings is, by type and the dimension of their unit.
var metered = map[string]map[string]string{
	"ground-transport": {"length": distanceField},
	"water":            {"volume": "supplyM3"},
	"energy":           {"energy": "energyKWh", "volume": "volumeM3"},
}

// inParentheses is a unit behind a heading: Start reading (m³), Anfangsstand [kWh].
var inParentheses = regexp.MustCompile(`[(\[]\s*([^()\[\]]+?)\s*[)\]]\s*$`)

// isReading reports whether a heading is that of a reading of a meter, the first one or the last one by the words of it.
func isReading(head string, which wordlist.List) bool {
	words := wordsOf(inParentheses.ReplaceAllString(head, ""))
	return readingWords.HasAny(words) && which.HasAny(words)
}

// Words of the headings of the odometer of a vehicle when it was taken, and when it was brought back.
const (
	odometerWords wordlist.List = "odometerWords"
	takenWords    wordlist.List = "takenWords"
	broughtWords  wordlist.List = "broughtWords"
)

// isFirst and isLast report whether a heading is that of the first, or of the last, reading of a meter or an odometer.
func (r *readings) isFirst(head string) bool {
	return r.isReadingOf(head, firstReadingWords, takenWords)
}
func (r *readings) isLast(head string) bool {
	return r.isReadingOf(head, lastReadingWords, broughtWords)
}

func (r *readings) isReadingOf(head string, meter, odometer wordlist.List) bool {
	if r.typ != "ground-transport" {
		return isReading(head, meter)
	}
	words := wordsOf(head)
	return odometerWords.HasAny(words) && (meter.HasAny(words) || odometer.HasAny(words))
}

// findReadings finds the readings of meters in a table that does not say what was used.
func (r *readings) findReadings() {
	if metered[r.typ] == nil || len(r.quantity)+len(r.parts.of)+len(r.perItem.of) > 0 || r.heading("supplyM3", "energyKWh", "volumeM3", "volumeLitres", "weightKg") || r.perItem.amountAt(distanceField) >= 0 {
		return
	}
	first, last := -1, -1
	for at, head := range r.heads {
		if !r.free(at) {
			continue
		}
		switch one, other := r.isFirst(head), r.isLast(head); {
		case one == other:
		case one && first < 0:
			first = at
		case other && last < 0:
			last = at
		default:
			return // there are several
		}
	}
	if first < 0 || last < 0 {
		return
	}
	unit := func(at int) string {
		if m := inParentheses.FindStringSubmatch(r.heads[at]); m != nil {
			return m[1]
		}
		if u := unitAmong(wordsOf(r.heads[at])); u != nil && r.typ == "ground-transport" {
			return u.Symbol
		}
		if _, word, ok := unitOfHead(r.heads[at]); ok && isUnit(word) && r.typ != "ground-transport" {
			return word
		}
		return ""
	}
	if unit(first) != unit(last) {
		return
	}
	r.of = readingColumns{found: true, first: first, last: last, unit: unit(first)}
	field := ""
	if r.typ == "water" {
		field = metered[r.typ]["volume"]
	}
	r.claim(placeAt(first), field, suffices)
	r.claim(placeAt(last), field, suffices)
	r.use(first)
	r.use(last)
	if r.typ == "ground-transport" {
		r.distances.whole = placeAt(last)
		delete(r.distances.of, first)
		delete(r.distances.of, last)
	}
}

// usedBetween sets what was used between two readings, and returns the fault of a row whose readings do not tell it.
func (r *readings) usedBetween(row *row) *apperr.Detail {
	if !r.of.found {
		return nil
	}
	first, before, fault := r.partNumber(r.of.first, oneCell(row.cells, r.of.first))
	if fault != nil {
		return fault
	}
	last, after, fault := r.partNumber(r.of.last, oneCell(row.cells, r.of.last))
	if fault != nil || !before || !after {
		return fault // the decoder of the record says what is missing
	}
	head, unit := r.heads[r.of.last], r.of.unit
	for at, other := range r.heads[:min(len(r.heads), len(row.cells))] {
		if cell := oneCell(row.cells, at); unit == "" && besideHeads.Has(plain(other)) && isUnit(cell) {
			unit = cell
			r.use(at)
		}
	}
	difference := new(big.Rat).Sub(units.Rat(last), units.Rat(first))
	if difference.Sign() < 0 {
		return &apperr.Detail{Field: head, Code: fields.OutOfRange,
			Message: fmt.Sprintf("%s, %s, is less than %s, %s. Was the meter changed, or did it begin at 0 again? Write what was used into a column of its own.", head, last, r.heads[r.of.first], first)}
	}
	for dimension, field := range metered[r.typ] {
		u, err := units.ByName(unit, dimension)
		target, ok := units.OfField(field)
		if err != nil || !ok {
			continue
		}
		fault := row.setRounded(field, target.Convert(difference, u))
		_ = r.travellers.oneHired(row)
		return fault
	}
	return &apperr.Detail{Field: head, Code: fields.Required,
		Message: fmt.Sprintf("%s has no unit that is known here. Write it behind the headings of both readings, such as %s (%s).", head, strings.TrimSpace(head), map[string]string{"water": "m3", "energy": "kWh", "ground-transport": "km"}[r.typ])}
}
