package footprint

import (
	"math/big"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// assumption replaces a value that a record does not state.
type assumption struct {
	// code of the notice, and field to state instead
	code, field string
	// variance is the square of the logarithm of its 95 % factor.
	variance *big.Int
}

// Narrowing is the interval that a record would have with one more field.
type Narrowing struct {
	// Field is the field that would narrow the interval most.
	Field string `json:"field" bson:"field"`
	// Low and High are the bounds with it, in kg CO2e, around the same figure.
	Low  Mass `json:"low" bson:"low"`
	High Mass `json:"high" bson:"high"`
}

// spread returns the 95 % factor of a value with a range: the larger of the ratios to its ends. It is at least 1.
func spread(value, low, high *big.Rat) *big.Rat {
	out := big.NewRat(1, 1)
	if low.Sign() > 0 {
		if down := new(big.Rat).Quo(value, low); down.Cmp(out) > 0 {
			out = down
		}
	}
	if value.Sign() > 0 {
		if up := new(big.Rat).Quo(high, value); up.Cmp(out) > 0 {
			out = up
		}
	}
	return out
}

// spreadOf returns the spread of a default with a published range, 1 for one
// without.
func spreadOf(d factors.Default) *big.Rat {
	if !d.Low.Published || !d.High.Published {
		return big.NewRat(1, 1)
	}
	return spread(decimalRat(d.Value), decimalRat(d.Low.Decimal), decimalRat(d.High.Decimal))
}

// spreadOfFactor is spreadOf of a factor.
func spreadOfFactor(f *factors.Factor) *big.Rat {
	if f == nil || !f.Low.Published || !f.High.Published {
		return big.NewRat(1, 1)
	}
	return spread(decimalRat(f.KgCO2e), decimalRat(f.Low.Decimal), decimalRat(f.High.Decimal))
}

// assume widens the interval of all following lines by the 95 % factor of a value that the record does not state, and
// remembers the field for it.
func (c *calculation) assume(code, field string, factor *big.Rat) {
	if factor.Cmp(big.NewRat(1, 1)) < 0 {
		factor = new(big.Rat).Inv(factor)
	}
	v := fixed.Square(fixed.Log(factor))
	c.assumed = sum(c.assumed, v)
	c.assumptions = append(c.assumptions, assumption{code, field, v})
}

// varianceOf is the variance that a 95 % factor adds to a line; nil for 1.
func varianceOf(factor *big.Rat) *big.Int {
	if factor.Cmp(big.NewRat(1, 1)) <= 0 {
		return nil
	}
	return fixed.Square(fixed.Log(factor))
}

// supplement returns a row of the supplement; nil after reporting a fault.
func (c *calculation) supplement(series, field string) *factors.Factor {
	f := factors.Supplement().Ref(series)
	if f == nil {
		c.unavailable(missingRow(series, field))
	}
	return f
}

// stand returns a default of the supplement; false after reporting a fault.
func (c *calculation) stand(id, field string) (factors.Default, bool) {
	d, ok := factors.Supplement().Default(id)
	if !ok {
		c.unavailable(missingRow(id, field))
	}
	return d, ok
}

// without returns a line without an assumption.
func (c *calculation) without(l *Line, a assumption) Line {
	out := *l
	if l.Doubt != nil {
		d := *l.Doubt
		d.Activity = max(d.Activity-ofFactor(a.variance), 0)
		out.Doubt = &d
		c.spreadOut(&out)
		return out
	}
	if l.variance == nil {
		return out
	}
	if rest := new(big.Int).Sub(l.variance, a.variance); rest.Sign() >= 0 {
		out.variance = rest
		out.GSD2 = c.engine.pedigree.gsd2(l.quality, rest)
		down, up := half(l.Mass, out.GSD2)
		out.Low, out.High = l.Mass.Sub(down), l.Mass.Add(up)
	}
	return out
}

// narrow adds to the notice of the widest assumption which field would narrow the interval most. All lines share
// their assumptions, so removing the widest narrows most. Quality scores are unchanged, so the result is a lower
// bound of the effect.
func (c *calculation) narrow() {
	best := -1
	for i, a := range c.assumptions {
		if a.variance.Sign() > 0 && (best < 0 || a.variance.Cmp(c.assumptions[best].variance) > 0) {
			best = i
		}
	}
	if best < 0 || c.quiet {
		return
	}
	a := c.assumptions[best]
	for i := range c.notices {
		if c.notices[i].Code != a.code {
			continue
		}
		c.notices[i].WouldNarrowTo = &Narrowing{Field: a.field}
		c.out.narrowed = make([]Line, 0, len(c.out.Lines))
		for k := range c.out.Lines {
			c.out.narrowed = append(c.out.narrowed, c.without(&c.out.Lines[k], a))
		}
		return
	}
}

// Narrowed returns the evaluation with the field of its notice's WouldNarrowTo stated, around the same figure; nil if
// there is none.
func (e *Evaluation) Narrowed() *Evaluation {
	if e.narrowed == nil {
		return nil
	}
	out := *e
	out.Lines, out.narrowed = e.narrowed, nil
	return &out
}
