package sheet

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// paidWords are words of headings of an amount of money from which discounts are deducted already: Total due, Paid.
const paidWords wordlist.List = "paidWords"

// discounted returns the fault of a purchase with a discount beside its amount, which may be deducted from it already or not. The
// heading of the amount may say that it is, and so may the other numbers of the row.
func (r *prices) discounted(row *row) *apperr.Detail {
	at := r.placeOf(moneyField)
	if r.typ != "purchases" || at < 0 || !row.has(moneyField) {
		return nil
	}
	if words := wordsOf(r.heads[at]); paidWords.HasAny(words) || totalWords.HasAny(words) || netWords.HasAny(words) {
		return nil
	}
	for i, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if !r.free(i) || !discountWords.HasAny(wordsOf(head)) {
			continue
		}
		cell := Unguard(oneCell(row.cells, i))
		number, percent := strings.CutSuffix(cell, "%")
		number, _, _ = money(strings.TrimSpace(number))
		discount, ok := r.asNumber(strings.TrimPrefix(number, "-"))
		if !ok || discount == 0 {
			continue
		}
		percent = percent || strings.Contains(head, "%") || percentWords.HasAny(wordsOf(head))
		if r.isDeducted(row, at, i, discount, percent) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{moneyField},
			Message: fmt.Sprintf("%s is %.40q, and %s, %.40q, may be with or without it. Write what was paid into a column amount, and leave %s out.", head, cell, r.heads[at], oneCell(row.cells, at), head)}
	}
	return nil
}

// isDeducted reports whether another number of a row, or the product of two, less the discount is the amount.
func (r *prices) isDeducted(row *row, amount, discount int, off float64, percent bool) bool {
	paid, ok := r.moneyIn(row, amount)
	if !ok {
		return false
	}
	var others []float64
	for at := range r.heads[:min(len(r.heads), len(row.cells))] {
		if n, ok := r.moneyIn(row, at); ok && at != amount && at != discount && n > 0 {
			others = append(others, n)
		}
	}
	less := func(whole float64) bool {
		left := whole - off
		if percent {
			left = whole * (1 - off/100)
		}
		return math.Abs(left-paid) < 0.01+paid/1000
	}
	return slices.ContainsFunc(others, func(one float64) bool {
		return less(one) || slices.ContainsFunc(others, func(other float64) bool { return less(one * other) })
	})
}

// moneyIn returns the number of a cell with or without a currency.
func (r *prices) moneyIn(row *row, at int) (float64, bool) {
	number, _, _ := money(Unguard(oneCell(row.cells, at)))
	return r.asNumber(number)
}
