package total

import (
	"math/big"
	"slices"
	"strings"
	"unique"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// Deviation is how far the lines of one factor lie below and above their figure
// at the ends of their interval.
type Deviation struct {
	Factor   string
	Down, Up footprint.Mass
}

// Deviations gives the deviations of all lines, one for each factor, ordered by
// it. Lines of one factor err together, so theirs are added plainly.
func (c Contribution) Deviations() []Deviation {
	out := make([]Deviation, 0, len(c.cells))
	for i := range c.cells {
		out = append(out, Deviation{c.cells[i].Factor, c.cells[i].Down, c.cells[i].Up})
	}
	return addUp(out)
}

// DeviationsOf gives the deviations of the lines of a record; they are those of
// its Contribution.
func DeviationsOf(lines []footprint.Line) []Deviation {
	out := make([]Deviation, 0, len(lines))
	for i := range lines {
		out = append(out, Deviation{lines[i].FactorID, lines[i].Mass.Sub(lines[i].Low), lines[i].High.Sub(lines[i].Mass)})
	}
	return addUp(out)
}

// addUp orders deviations and adds those of one factor, in place. The names of
// factors are shared by all that have them.
func addUp(all []Deviation) []Deviation {
	slices.SortFunc(all, func(a, b Deviation) int { return strings.Compare(a.Factor, b.Factor) })
	out := all[:0]
	for _, d := range all {
		if last := len(out) - 1; last >= 0 && out[last].Factor == d.Factor {
			out[last].Down, out[last].Up = out[last].Down.Add(d.Down), out[last].Up.Add(d.Up)
			continue
		}
		d.Factor = unique.Make(d.Factor).Value()
		out = append(out, d)
	}
	return out
}

// IntervalOf gives the interval of a mass with such deviations.
func IntervalOf(m footprint.Mass, deviations []Deviation) Interval {
	cells := make([]cell, len(deviations))
	for i, d := range deviations {
		cells[i] = cell{cellKey: cellKey{Factor: d.Factor}, Down: d.Down, Up: d.Up}
	}
	i := interval(cells)
	return Interval{KgCO2e: m, Low: m.Add(i.Low), High: m.Add(i.High)}
}

// Variance is the spread of a total, to be shared out to its parts. With U the
// upper deviation of all lines of a factor, the upper half of the total's
// interval is √Σ U²; a part whose own deviations are u has Σ u·U of the sum
// below the root. The shares of parts that make up the total add up to 1. The
// zero value is the variance of nothing.
type Variance struct {
	up    map[string]*big.Int
	whole *big.Int
}

// Variance gives that of the sum of all records in c.
func (c Contribution) Variance() Variance { return VarianceOf(c.Deviations()) }

// VarianceOf gives the variance of a total with such deviations; a factor may be
// named more than once.
func VarianceOf(total []Deviation) Variance {
	sums := make(map[string]footprint.Mass)
	for _, d := range total {
		sums[d.Factor] = sums[d.Factor].Add(d.Up)
	}
	v := Variance{up: make(map[string]*big.Int, len(sums)), whole: new(big.Int)}
	for factor, up := range sums {
		v.up[factor] = up.Big()
	}
	for _, u := range v.up {
		v.whole.Add(v.whole, new(big.Int).Mul(u, u))
	}
	return v
}

// Share gives the share of a part.
func (v Variance) Share(part []Deviation) VarianceShare {
	s := VarianceShare{part: new(big.Int), whole: new(big.Int)}
	if v.whole != nil {
		s.whole = v.whole
	}
	for _, d := range part {
		if u := v.up[d.Factor]; u != nil {
			s.part.Add(s.part, new(big.Int).Mul(d.Up.Big(), u))
		}
	}
	// What has come since the total was made may exceed it.
	if s.part.Cmp(s.whole) > 0 {
		s.part = s.whole
	}
	return s
}

// VarianceShare is a part's exact share of a variance, from 0 to 1. Only shares
// of one Variance can be compared.
type VarianceShare struct{ part, whole *big.Int }

// Cmp is -1, 0 or 1 as s is below, equal to or above o.
func (s VarianceShare) Cmp(o VarianceShare) int { return s.part.Cmp(o.part) }

// Millionths gives the share, rounded down, so that shares never add up to more
// than 1; 0 where nothing is uncertain.
func (s VarianceShare) Millionths() int64 {
	if s.whole.Sign() == 0 {
		return 0
	}
	n := new(big.Int).Mul(s.part, big.NewInt(1_000_000))
	return n.Div(n, s.whole).Int64()
}

// MarshalJSON writes the share as a number with up to six decimals, rounded down.
func (s VarianceShare) MarshalJSON() ([]byte, error) {
	return decimal.New(s.Millionths(), 6).MarshalJSON()
}
