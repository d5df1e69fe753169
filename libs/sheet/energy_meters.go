package sheet

import (
	"fmt"
	"math"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// meters are what a table has of its meters.
type meters struct {
	*table
	of meterColumns
	// said is the first meter of a kind, of those behind the main one if saidSub; empty: none so far.
	said    string
	saidSub bool
}

// Headings, as plain writes them: the factor of a meter behind transformers, and the difference of its readings.
const (
	factorHeads     wordlist.List = "factorHeads"
	differenceHeads wordlist.List = "differenceHeads"
)

// meterColumns are the places of what a table has of its meters: their factors, the difference of their readings, and the first
// and the last one.
type meterColumns struct {
	factors                 []int
	difference, first, last place
}

// findMeters finds the columns of meters.
func (r *meters) findMeters() {
	if r.typ != "energy" && r.typ != "water" {
		return
	}
	for at, head := range r.heads {
		switch {
		case r.columns[at].Name == "" && factorHeads.Has(plain(head)):
			r.of.factors = append(r.of.factors, at)
		case !r.of.difference.found() && differenceHeads.Has(plain(head)):
			r.of.difference = placeAt(at)
		case !r.of.first.found() && isReading(head, firstReadingWords):
			r.of.first = placeAt(at)
		case !r.of.last.found() && isReading(head, lastReadingWords):
			r.of.last = placeAt(at)
		}
	}
}

// meterFactor returns the fault of a row of energy or water with a factor of its meter that the record would not count, unless
// the difference of the readings shows that it is in the amount.
func (r *meters) meterFactor(row *row) *apperr.Detail {
	field := map[string]string{"energy": "energyKWh", "water": "supplyM3"}[row.typ]
	if field == "" || r.typ != row.typ || !row.has(field) {
		return nil
	}
	for _, at := range r.of.factors {
		n, number := r.asNumber(oneCell(row.cells, at))
		if !number || n < 2 || n != float64(int64(n)) || r.includesFactor(field, row.cells, n) {
			continue
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{field},
			Message: fmt.Sprintf("%s is %s, which the record would not count. Write what was used, times the factor of the meter, into a column %s, and leave the factor out.", r.heads[at], strings.TrimSpace(row.cells[at]), field)}
	}
	return nil
}

// includesFactor reports whether the amount of a row is the difference of the readings, of which it has a column or both, times a
// factor.
func (r *meters) includesFactor(field string, cells []string, factor float64) bool {
	amount, ok := r.asNumber(oneCell(cells, r.placeOf(field)))
	if !ok {
		return false
	}
	if d, also := r.asNumber(oneCell(cells, r.of.difference.index())); also {
		return isProduct(amount, d, factor)
	}
	before, one := r.asNumber(oneCell(cells, r.of.first.index()))
	after, both := r.asNumber(oneCell(cells, r.of.last.index()))
	return one && both && isProduct(amount, after-before, factor)
}

// isProduct reports whether an amount, which may be rounded, is a difference times a factor.
func isProduct(amount, difference, factor float64) bool {
	return amount > 0 && math.Abs(amount-difference*factor) <= amount/100
}

// joinedMeters makes one word of the names of meters.
var joinedMeters = strings.NewReplacer("sub-meter", "submeter", "sub meter", "submeter", "sous-compteur", "souscompteur", "main meter", "mainmeter")

// submeter returns the fault of a row of a meter behind the main one, or of that before it, where rows of both would count.
func (r *meters) submeter(row *row) *apperr.Detail {
	if r.typ != "energy" && r.typ != "water" {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		name := r.columns[at].Name
		cell := Unguard(oneCell(row.cells, at))
		if head == "" || name != "" && name != "description" && name != "site" || len(cell) > longestMark {
			continue
		}
		words := wordsOf(joinedMeters.Replace(strings.ToLower(cell)))
		sub := subMeters.HasAny(words)
		if !sub && !mainMeters.HasAny(words) {
			continue
		}
		if r.said == "" || r.saidSub == sub {
			r.said, r.saidSub = strings.Clone(cell), sub
			return nil
		}
		return &apperr.Detail{Field: head, Code: RowNotCounted,
			Message: fmt.Sprintf("%s is %.40q, and %.40q has a row, too: the main meter has what those behind it have. Delete the rows of one kind, or rename the meter where it is not behind the main one.", head, cell, r.said)}
	}
	return nil
}
