package total

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"unique"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// Deviation is the uncertainty of the lines of one factor, or of one use of it, or of the activity of records.
type Deviation struct {
	Factor string
	// Down and Up are the distances to the ends of the interval, by engine 1.2.0.
	Down, Up footprint.Mass
	// Use, Basic and Fit are those of footprint.Doubt, Mass is that of the lines,
	// from engine 2.0.0 on.
	Use        string
	Basic, Fit int64
	Mass       footprint.Mass
	// Own and OwnThird are the second and third central moment by the activity of
	// records, which have no factor here.
	Own, OwnThird *big.Int
	// Wide are the widest of the records, from engine 2.3.0 on.
	Wide []wide
}

// Deviations returns the deviations of all lines, one for each factor and use,
// ordered. By engine 1.2.0 lines of one factor err together, so theirs are added
// plainly.
func (c Contribution) Deviations() []Deviation {
	out := make([]Deviation, 0, len(c.cells)+1)
	if c.second() {
		for _, u := range uses(c.cells) {
			out = append(out, Deviation{Factor: u.row, Use: u.use, Basic: u.basic, Fit: u.fit, Mass: u.mass})
		}
		if o := c.own(); o.Variance != nil {
			out = append(out, Deviation{Own: o.Variance, OwnThird: o.Third, Wide: o.Wide})
		}
		return addUp(out)
	}
	for i := range c.cells {
		out = append(out, Deviation{Factor: c.cells[i].Factor, Down: c.cells[i].Down, Up: c.cells[i].Up})
	}
	return addUp(out)
}

// DeviationsOf returns the deviations of the lines of a record by an engine; they
// are those of its Contribution.
func DeviationsOf(lines []footprint.Line, engine string) []Deviation {
	c := Contribution{engine: engine, cells: make([]cell, 0, len(lines))}
	for i := range lines {
		c.cells = append(c.cells, cellOf("", &lines[i]))
	}
	c.counts = []count{{Own: ownMoments(lines, engine)}}
	return c.Deviations()
}

// own returns the addition of the activity of all records to the moments.
func (c *Contribution) own() own {
	var o own
	for i := range c.counts {
		o = o.add(c.counts[i].Own)
	}
	return o
}

// addUp orders deviations and adds those of one factor and use, in place. The
// names of factors are shared by all that have them.
func addUp(all []Deviation) []Deviation {
	slices.SortFunc(all, func(a, b Deviation) int {
		return cmp.Or(strings.Compare(a.Factor, b.Factor), strings.Compare(a.Use, b.Use))
	})
	out := all[:0]
	for _, d := range all {
		if last := len(out) - 1; last >= 0 && out[last].Factor == d.Factor && out[last].Use == d.Use {
			out[last].Down, out[last].Up = out[last].Down.Add(d.Down), out[last].Up.Add(d.Up)
			out[last].Mass = out[last].Mass.Add(d.Mass)
			out[last].Own, out[last].OwnThird = addOwn(out[last].Own, d.Own), addOwn(out[last].OwnThird, d.OwnThird)
			out[last].Wide = addWide(out[last].Wide, d.Wide)
			continue
		}
		d.Factor, d.Use = unique.Make(d.Factor).Value(), unique.Make(d.Use).Value()
		out = append(out, d)
	}
	return out
}

// ofSecond reports whether deviations are of engine 2.0.0 or later.
func ofSecond(deviations []Deviation) bool {
	return slices.ContainsFunc(deviations, func(d Deviation) bool { return d.Own != nil || d.Basic != 0 || d.Fit != 0 })
}

// IntervalOf returns the interval of a mass with such deviations.
func IntervalOf(m footprint.Mass, deviations []Deviation) Interval {
	if ofSecond(deviations) {
		var o own
		list := make([]rowUse, 0, len(deviations))
		for _, d := range deviations {
			if d.Own != nil {
				o = o.add(own{d.Own, d.OwnThird, d.Wide})
			} else {
				list = append(list, rowUse{d.Factor, d.Use, d.Basic, d.Fit, d.Mass})
			}
		}
		slices.SortFunc(list, compareUses)
		return o.add(rowMoments(list)).interval(m)
	}
	cells := make([]cell, len(deviations))
	for i, d := range deviations {
		cells[i] = cell{cellKey: cellKey{Factor: d.Factor}, Down: d.Down, Up: d.Up}
	}
	i := interval(cells)
	return Interval{KgCO2e: m, Low: m.Add(i.Low), High: m.Add(i.High)}
}

// Variance is the variance of a total, to be attributed to its parts: a part has its covariance with the whole. The
// shares of parts that make up the total add up to 1. By engine 1.2.0, with U the upper deviation of all lines of a
// factor and u that of the part, the share is Σ u·U of Σ U². The zero value is a variance of zero.
type Variance struct {
	up   map[string]*big.Int
	uses map[[2]string]*big.Int // masses by row and use
	rows map[string]*big.Int    // masses by row
	// weights are the contributions of a microgram of a factor and use to the covariance.
	weights map[weightOf]*big.Int
	whole   *big.Int
}

// weightOf is the key of the weight of a mass.
type weightOf struct {
	factor, use string
	basic, fit  int64
}

// Variance returns that of the sum of all records in c.
func (c Contribution) Variance() Variance { return VarianceOf(c.Deviations()) }

// VarianceOf returns the variance of a total with such deviations; a factor may
// be named more than once, in one part or several.
func VarianceOf(parts ...[]Deviation) Variance {
	if slices.ContainsFunc(parts, ofSecond) {
		v := Variance{uses: map[[2]string]*big.Int{}, rows: map[string]*big.Int{}, whole: new(big.Int)}
		// Most lines share factor and use with many others: the covariances of all of them
		// together are one product.
		v.weights = map[weightOf]*big.Int{}
		masses, rows, uses := map[weightOf]footprint.Mass{}, map[string]footprint.Mass{}, map[[2]string]footprint.Mass{}
		for _, all := range parts {
			for i := range all {
				if d := &all[i]; d.Own != nil {
					v.whole.Add(v.whole, new(big.Int).Mul(d.Own, fixed.One))
				} else {
					of := weightOf{d.Factor, d.Use, d.Basic, d.Fit}
					masses[of] = masses[of].Add(d.Mass)
				}
			}
		}
		for of, mass := range masses {
			use := [2]string{of.factor, of.use}
			rows[of.factor], uses[use] = rows[of.factor].Add(mass), uses[use].Add(mass)
		}
		for row, mass := range rows {
			v.rows[row] = mass.Big()
		}
		for use, mass := range uses {
			v.uses[use] = mass.Big()
		}
		for of, mass := range masses {
			v.weights[of] = v.weight(of)
			v.whole.Add(v.whole, new(big.Int).Mul(v.weights[of], mass.Big()))
		}
		return v
	}
	sums := make(map[string]footprint.Mass)
	for _, all := range parts {
		for i := range all {
			sums[all[i].Factor] = sums[all[i].Factor].Add(all[i].Up)
		}
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

// weight returns the covariance of a microgram with the total.
func (v Variance) weight(of weightOf) *big.Int {
	row, use := v.rows[of.factor], v.uses[[2]string{of.factor, of.use}]
	if row == nil || use == nil {
		return new(big.Int)
	}
	basic := exponential(of.basic)
	n := new(big.Int).Mul(new(big.Int).Sub(basic, fixed.One), row)
	return n.Add(n, new(big.Int).Mul(new(big.Int).Sub(exponential(of.basic+of.fit), basic), use))
}

// Share returns the share of a part.
func (v Variance) Share(part []Deviation) VarianceShare {
	share, _ := v.Shares().Of(part)
	return share
}

// Shares computes the shares of many parts of a variance, reusing memory.
type Shares struct {
	Variance
	part, term, mass, millionth *big.Int
}

// Shares returns a calculator of shares.
func (v Variance) Shares() *Shares {
	s := &Shares{Variance: v, part: new(big.Int), term: new(big.Int), mass: new(big.Int), millionth: new(big.Int)}
	if s.whole == nil {
		s.whole = new(big.Int)
	}
	// The least of which Millionths has one.
	s.millionth.Add(s.whole, big.NewInt(millionths-1))
	s.millionth.Div(s.millionth, big.NewInt(millionths))
	return s
}

// Of returns the share of a part, which is valid until the next call, and whether it is at least a millionth.
func (s *Shares) Of(part []Deviation) (share VarianceShare, counts bool) {
	s.part.SetInt64(0)
	for i := range part {
		d := &part[i]
		switch {
		case s.uses != nil && d.Own != nil:
			s.term.Mul(d.Own, fixed.One)
		case s.uses != nil:
			of := weightOf{d.Factor, d.Use, d.Basic, d.Fit}
			weight := s.weights[of]
			if weight == nil {
				weight = s.weight(of)
			}
			s.term.Mul(d.Mass.SetBig(s.mass), weight)
		default:
			u := s.up[d.Factor]
			if u == nil {
				continue
			}
			s.term.Mul(d.Up.SetBig(s.mass), u)
		}
		s.part.Add(s.part, s.term)
	}
	// A part that is newer than the total may exceed it.
	if s.part.Cmp(s.whole) > 0 {
		s.part.Set(s.whole)
	}
	return VarianceShare{part: s.part, whole: s.whole}, s.whole.Sign() != 0 && s.part.Cmp(s.millionth) >= 0
}

// VarianceShare is a part's exact share of a variance, from 0 to 1. Only shares
// of one Variance can be compared.
type VarianceShare struct{ part, whole *big.Int }

// Clone returns a copy that remains valid when the memory of Shares is reused.
func (s VarianceShare) Clone() VarianceShare {
	return VarianceShare{part: new(big.Int).Set(s.part), whole: s.whole}
}

// Cmp is -1, 0 or 1 as s is below, equal to or above o.
func (s VarianceShare) Cmp(o VarianceShare) int { return s.part.Cmp(o.part) }

// millionths make a whole.
const millionths = 1_000_000

// Millionths returns the share, rounded down, so that shares never add up to more than 1; 0 if the variance is zero.
func (s VarianceShare) Millionths() int64 {
	if s.whole.Sign() == 0 {
		return 0
	}
	n := new(big.Int).Mul(s.part, big.NewInt(millionths))
	return n.Div(n, s.whole).Int64()
}

// MarshalJSON writes the share as a number with up to six decimals, rounded down.
func (s VarianceShare) MarshalJSON() ([]byte, error) {
	return decimal.New(s.Millionths(), 6).MarshalJSON()
}
