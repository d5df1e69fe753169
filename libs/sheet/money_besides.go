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
		if r.differsBy(row, at, i, func(whole float64) float64 {
			if percent {
				return whole * (1 - discount/100)
			}
			return whole - discount
		}) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{moneyField},
			Message: fmt.Sprintf("%s is %.40q, and %s, %.40q, may be with or without it. Write what was paid into a column amount, and leave %s out.", head, cell, r.heads[at], oneCell(row.cells, at), head)}
	}
	return nil
}

// differsBy reports whether the amount of a row is what becomes of another number of it, or of the product of two, with that of a
// column beside it.
func (r *prices) differsBy(row *row, amount, beside int, with func(whole float64) float64) bool {
	paid, ok := r.moneyIn(row, amount)
	if !ok {
		return false
	}
	var others []float64
	for at := range r.heads[:min(len(r.heads), len(row.cells))] {
		if n, ok := r.moneyIn(row, at); ok && at != amount && at != beside && n > 0 {
			others = append(others, n)
		}
	}
	is := func(whole float64) bool { return math.Abs(with(whole)-paid) < 0.01+paid/1000 }
	return slices.ContainsFunc(others, func(one float64) bool {
		return is(one) || slices.ContainsFunc(others, func(other float64) bool { return is(one * other) })
	})
}

// moneyIn returns the number of a cell with or without a currency.
func (r *prices) moneyIn(row *row, at int) (float64, bool) {
	number, _, _ := money(Unguard(oneCell(row.cells, at)))
	return r.asNumber(number)
}

// carriageHeads are headings of what the delivery of goods cost, without its currency, normalized by plain.
const carriageHeads wordlist.List = "carriageHeads"

// carriage returns the fault of a purchase with the cost of its delivery beside the amount, which may contain it or not.
func (r *prices) carriage(row *row) *apperr.Detail {
	at := r.placeOf(moneyField)
	if r.typ != "purchases" || at < 0 || !row.has(moneyField) {
		return nil
	}
	for i, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if !r.free(i) || !carriageHeads.Has(plain(costOf(head))) {
			continue
		}
		cost, ok := r.moneyIn(row, i)
		if !ok || cost == 0 || r.differsBy(row, at, i, func(whole float64) float64 { return whole + cost }) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{moneyField},
			Message: fmt.Sprintf("%s is %.40q, and the record would count %s, %.40q, alone. Write it into a row of its own, or leave the column %s out if it is in the amount.", head, oneCell(row.cells, i), r.heads[at], oneCell(row.cells, at), head)}
	}
	return nil
}

// mostTax is how many times an amount of money is with its tax, at most.
const mostTax = 1.3

// countOrCost returns the fault of a purchase whose Amount, a whole number without a currency, may be how many were bought: beside
// it is what they cost.
func (r *prices) countOrCost(row *row) *apperr.Detail {
	at := r.placeOf(moneyField)
	if r.typ != "purchases" || at < 0 || !row.has(moneyField) || plain(r.heads[at]) != amountWord || slices.Contains(r.counts, ofPiece) {
		return nil
	}
	amount, ok := r.asNumber(oneCell(row.cells, at))
	if !ok || amount < 2 || amount != math.Trunc(amount) || strings.ContainsAny(oneCell(row.cells, at), ".,") {
		return nil
	}
	for i, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if !r.free(i) || !priceHeads.Has(plain(costOf(head))) && !costHeads.Has(plain(costOf(head))) && !isWhole(costOf(head)) {
			continue
		}
		cost, ok := r.moneyIn(row, i)
		if !ok || cost <= 0 || amount/cost < mostTax && cost/amount < mostTax {
			continue
		}
		return &apperr.Detail{Field: r.heads[at], Code: AmbiguousCount, Suggestions: []string{moneyField},
			Message: fmt.Sprintf("%s is %.40s beside %s, %.40s: it may be how many were bought. Write what they cost altogether into a column amount, and leave the other one out.", r.heads[at], oneCell(row.cells, at), head, oneCell(row.cells, i))}
	}
	return nil
}
