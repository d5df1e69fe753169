package sheet

import (
	"fmt"
	"math"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
)

// Headings, as plain writes them: the factor of a meter behind transformers, and the difference of its readings.
const (
	factorHeads     wordList = "factorHeads"
	differenceHeads wordList = "differenceHeads"
)

// meterColumns are the places of what a table has of its meters: their factors, the difference of their readings, and the first
// and the last one; -1: the table has none.
type meterColumns struct {
	factors                 []int
	difference, first, last int
}

// findMeters finds the columns of meters.
func (r *Reader) findMeters() {
	r.meters = meterColumns{difference: -1, first: -1, last: -1}
	if r.typ != "energy" && r.typ != "water" {
		return
	}
	for at, head := range r.heads {
		switch {
		case r.columns[at].Name == "" && factorHeads.has(plain(head)):
			r.meters.factors = append(r.meters.factors, at)
		case r.meters.difference < 0 && differenceHeads.has(plain(head)):
			r.meters.difference = at
		case r.meters.first < 0 && isReading(head, firstReadingWords):
			r.meters.first = at
		case r.meters.last < 0 && isReading(head, lastReadingWords):
			r.meters.last = at
		}
	}
}

// meterFactor returns the fault of a row of energy or water with a factor of its meter that the record would not count, unless
// the difference of the readings shows that it is in the amount.
func (r *Reader) meterFactor(b *body, typ string, cells []string) *apperr.Detail {
	field := map[string]string{"energy": "energyKWh", "water": "supplyM3"}[typ]
	if field == "" || r.typ != typ || !b.has(field) {
		return nil
	}
	for _, at := range r.meters.factors {
		n, number := r.asNumber(oneCell(cells, at))
		if !number || n < 2 || n != float64(int64(n)) || r.includesFactor(field, cells, n) {
			continue
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{field},
			Message: fmt.Sprintf("%s is %s, which the record would not count. Write what was used, times the factor of the meter, into a column %s, and leave the factor out.", r.heads[at], strings.TrimSpace(cells[at]), field)}
	}
	return nil
}

// includesFactor reports whether the amount of a row is the difference of the readings, of which it has a column or both, times a
// factor.
func (r *Reader) includesFactor(field string, cells []string, factor float64) bool {
	amount, ok := r.asNumber(oneCell(cells, r.placeOf(field)))
	if !ok {
		return false
	}
	if d, also := r.asNumber(oneCell(cells, r.meters.difference)); also {
		return isProduct(amount, d, factor)
	}
	before, one := r.asNumber(oneCell(cells, r.meters.first))
	after, both := r.asNumber(oneCell(cells, r.meters.last))
	return one && both && isProduct(amount, after-before, factor)
}

// isProduct reports whether an amount, which may be rounded, is a difference times a factor.
func isProduct(amount, difference, factor float64) bool {
	return amount > 0 && math.Abs(amount-difference*factor) <= amount/100
}
