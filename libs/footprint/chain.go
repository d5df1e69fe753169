package footprint

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
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
	// rest describes the first term if it is not an input; empty if all terms are inputs. It has at most restDigits
	// decimals.
	rest       string
	restDigits int
	// ev is the context of the record, and set its factor set.
	ev  EventContext
	set *factors.Set
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

// measure adds an amount whose unit is a word with a plural.
func (q *Chain) measure(d *decimal.Decimal, one, many string) {
	unit := many
	if d != nil && d.Cmp(decimal.FromInt(1)) == 0 {
		unit = one
	}
	q.amount(d, unit)
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

// ratio adds a share, such as the days of a year.
func (q *Chain) ratio(num, den int64, word string) {
	q.terms = append(q.terms, Term{big.NewRat(num, den), decimal.FromInt(num).String() + "/" + decimal.FromInt(den).String(), word})
}

// percent adds a share in percent.
func (q *Chain) percent(d *decimal.Decimal, of string) {
	if d != nil {
		q.terms = append(q.terms, Term{new(big.Rat).Quo(decimalRat(*d), big.NewRat(100, 1)), d.String(), "% " + of})
	}
}

// remainder makes the first term the quantity divided by the other terms.
func (q *Chain) remainder(unit string) { q.rest, q.restDigits = unit, 3 }

func (q *Chain) survey(c *common) {
	if c.surveyed() {
		q.ratio(c.Population, c.Respondents, "of the survey")
	}
}

// Products finds the inputs of one record that multiply to the quantities of its lines. The zero value finds none.
type Products struct {
	t   *recordType
	in  any
	ev  EventContext
	set *factors.Set
}

// ProductsOf reads the fields of a record of an event.
func ProductsOf(typ string, fields json.RawMessage, ev EventContext) Products {
	t, ok := find(typ)
	if !ok {
		return Products{}
	}
	in, err := t.read(fields)
	if err != nil {
		return Products{}
	}
	set, err := ev.Set()
	if err != nil {
		return Products{}
	}
	return Products{t: t, in: in, ev: ev, set: set}
}

// Terms returns the inputs that multiply to the quantity of a line, and nil if they do not: the quantity then explains
// itself. A quantity that does not end is that of its twelve decimals.
func (p Products) Terms(l Line) []Term {
	if p.t == nil {
		return nil
	}
	quantity, ok := new(big.Rat).SetString(l.Quantity)
	if !ok {
		return nil
	}
	q := Chain{ev: p.ev, set: p.set}
	p.t.chain(p.in, &l, &q)
	product := q.product()
	if q.rest == "" {
		if len(q.terms) == 0 || !isQuantity(product, l.Quantity) {
			return nil
		}
		return q.terms
	}
	if product.Sign() <= 0 {
		return nil
	}
	first := new(big.Rat).Quo(quantity, product)
	for digits := 0; digits <= q.restDigits; digits++ {
		text := first.FloatString(digits)
		value, _ := new(big.Rat).SetString(text) // digits are a number
		if isQuantity(new(big.Rat).Mul(value, product), l.Quantity) {
			return slices.Insert(q.terms, 0, Term{value, text, q.rest})
		}
	}
	return nil
}

// is reports whether the terms, and the survey of the record, multiply to the quantity of a line.
func (q *Chain) is(l *Line, c *common) bool {
	with := Chain{terms: slices.Clone(q.terms)}
	with.survey(c)
	return isQuantity(with.product(), l.Quantity)
}

// product multiplies the terms.
func (q *Chain) product() *big.Rat {
	product := big.NewRat(1, 1)
	for _, t := range q.terms {
		product.Mul(product, t.Value)
	}
	return product
}

// isQuantity reports whether a line with an exact amount has a quantity.
func isQuantity(amount *big.Rat, text string) bool {
	stated, ok := new(big.Rat).SetString(text)
	return ok && (stated.Cmp(amount) == 0 || quantity{ratio: amount}.String() == text)
}
