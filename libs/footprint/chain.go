package footprint

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// Term is one factor of the product that a line's quantity is.
type Term struct {
	Value *big.Rat
	// Number is the value in plain digits, or a ratio such as "1/1000".
	Number string
	// Word names the counted unit; it may be empty.
	Word string
}

// Chain collects the terms of a quantity.
type Chain struct {
	terms []Term
	// rest describes the first term if it is not an input; empty if all terms are inputs.
	rest string
}

func (q *Chain) count(n int64, one, many string) {
	if n <= 0 {
		return
	}
	word := many
	if n == 1 {
		word = one
	}
	q.terms = append(q.terms, Term{big.NewRat(n, 1), decimal.FromInt(n).String(), word})
}

func (q *Chain) amount(d *decimal.Decimal, unit string) {
	if d != nil {
		q.terms = append(q.terms, Term{decimalRat(*d), d.String(), unit})
	}
}

// weight adds kilograms, and their conversion for a line that is per tonne.
func (q *Chain) weight(kg *decimal.Decimal, l *Line) {
	q.amount(kg, "kg")
	if l.Unit == "tonne" || l.Unit == "tonne.km" {
		q.terms = append(q.terms, Term{big.NewRat(1, 1000), "1/1000", ""})
	}
}

func (q *Chain) journeys(trips int64, roundTrip *bool) {
	if trips > 1 {
		q.count(trips, "trip", "trips")
	}
	if roundTrip != nil && *roundTrip {
		q.terms = append(q.terms, Term{big.NewRat(2, 1), "2", "(return)"})
	}
}

// remainder makes the first term the quantity divided by the other terms.
func (q *Chain) remainder(unit string) { q.rest = unit }

func (q *Chain) survey(c *common) {
	if c.surveyed() {
		q.terms = append(q.terms, Term{big.NewRat(c.Population, c.Respondents),
			decimal.FromInt(c.Population).String() + "/" + decimal.FromInt(c.Respondents).String(), "of the survey"})
	}
}

// Terms returns the inputs of a record that multiply to the quantity of one of
// its lines exactly, and nil when they do not: the quantity then explains itself.
func Terms(typ string, fields json.RawMessage, l Line) []Term {
	t, ok := find(typ)
	if !ok {
		return nil
	}
	in, err := t.read(fields)
	if err != nil {
		return nil
	}
	quantity, ok := new(big.Rat).SetString(l.Quantity)
	if !ok {
		return nil
	}
	var q Chain
	t.chain(in, &l, &q)
	product := big.NewRat(1, 1)
	for _, term := range q.terms {
		product.Mul(product, term.Value)
	}
	if q.rest != "" && product.Sign() > 0 {
		first := new(big.Rat).Quo(quantity, product)
		digits, exact := first.FloatPrec()
		if !exact || digits > 3 {
			return nil
		}
		return slices.Insert(q.terms, 0, Term{first, first.FloatString(digits), q.rest})
	}
	if product.Cmp(quantity) != 0 {
		return nil
	}
	return q.terms
}
