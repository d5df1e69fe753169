package total

import (
	"math/big"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// The intervals of engine 2.0.0. Each line is lognormal with its mass as the
// expected value. The logarithms of two lines have as their covariance the sum
// of the doubts that the lines share: the activity of a record (lines of unequal
// activity: the root of the product), the row and stage of a factor, the use of
// the row. With x for masses and c for the covariance of logarithms, the variance
// of a sum is exactly
//
//	V = Σ x x' (exp(c) - 1)
//
// over all pairs of lines. Leaving the activity out of c, the pairs that remain
// are those of one row, so their part of V follows from the masses of each row
// and use; what the activity adds, x x' exp(c without it) (exp(activity) - 1),
// is between lines of one record and so a number of each record that is added.
// That is all a Contribution keeps, and merging two of them costs as much as
// their cells.

func addOwn(a, b *big.Int) *big.Int {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(big.Int).Add(a, b)
}

func ownOf(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// ownVariance returns what the activity of a record adds to the variance, in
// µg²; nil by engine 1.2.0.
func ownVariance(lines []footprint.Line) *big.Int {
	sum := new(big.Int)
	for i := range lines {
		for k := range lines[:i+1] {
			a, b := lines[i].Doubt, lines[k].Doubt
			if a == nil || b == nil {
				return nil
			}
			activity := a.Activity
			if b.Activity != activity {
				n := new(big.Int).Mul(big.NewInt(activity), big.NewInt(b.Activity))
				activity = n.Sqrt(n).Int64()
			}
			var shared int64
			if sameRow(&lines[i], &lines[k]) {
				shared = a.Basic
				if a.Use == b.Use {
					shared += a.Fit
				}
			}
			n := new(big.Int).Sub(exponential(shared+activity), exponential(shared))
			n.Mul(n, new(big.Int).Mul(lines[i].Mass.Big(), lines[k].Mass.Big()))
			n = fixed.Quo(n, fixed.One)
			if k != i {
				n.Lsh(n, 1)
			}
			sum.Add(sum, n)
		}
	}
	if sum.Sign() == 0 {
		return nil
	}
	return sum
}

func sameRow(a, b *footprint.Line) bool {
	return a.FactorID == b.FactorID && (a.Stage == footprint.Upstream) == (b.Stage == footprint.Upstream)
}

// exponentials remembers exp(v) for variances in billionths. Scores make a few
// thousand combinations; surveys make any, so the memory is bounded.
var (
	exponentials     sync.Map
	exponentialsHeld atomic.Int64
)

const maxExponentials = 10_000

func exponential(billionths int64) *big.Int {
	if n, ok := exponentials.Load(billionths); ok {
		if n, ok := n.(*big.Int); ok {
			return n
		}
	}
	n := fixed.Exp(new(big.Int).Mul(big.NewInt(billionths), fixed.Pow10(15)))
	if exponentialsHeld.Add(1) <= maxExponentials {
		exponentials.Store(billionths, n)
	}
	return n
}

// rowUse are the masses of one use of a row.
type rowUse struct {
	row        string
	use        string
	basic, fit int64
	mass       footprint.Mass
}

func compareUses(a, b rowUse) int {
	if c := strings.Compare(a.row, b.row); c != 0 {
		return c
	}
	return strings.Compare(a.use, b.use)
}

func rowOf(factor, stage string) string {
	if stage == footprint.Upstream {
		return factor + "+"
	}
	return factor
}

// uses adds up cells by row and use, in order. Figures that came with records
// have no doubt of a row.
func uses(cells []cell) []rowUse {
	list := make([]rowUse, 0, len(cells))
	for i := range cells {
		n := &cells[i]
		if n.Basic != 0 || n.Fit != 0 {
			list = append(list, rowUse{rowOf(n.Factor, n.Stage), n.Use, n.Basic, n.Fit, n.Mass})
		}
	}
	slices.SortFunc(list, compareUses)
	out := list[:0]
	for _, u := range list {
		if last := len(out) - 1; last >= 0 && compareUses(out[last], u) == 0 {
			out[last].mass = out[last].mass.Add(u.mass)
		} else {
			out = append(out, u)
		}
	}
	return out
}

// rowVariance returns the part of V that rows and their uses have.
func rowVariance(list []rowUse) *big.Int {
	sum := new(big.Int)
	for len(list) > 0 {
		n := 1
		row := list[0].mass.Big()
		for n < len(list) && list[n].row == list[0].row {
			row.Add(row, list[n].mass.Big())
			n++
		}
		basic := exponential(list[0].basic)
		sum.Add(sum, new(big.Int).Mul(new(big.Int).Sub(basic, fixed.One), row.Mul(row, row)))
		for _, u := range list[:n] {
			m := u.mass.Big()
			sum.Add(sum, new(big.Int).Mul(new(big.Int).Sub(exponential(u.basic+u.fit), basic), m.Mul(m, m)))
		}
		list = list[n:]
	}
	return fixed.Quo(sum, fixed.One)
}

// matched returns the interval of a sum with the expected value m and the
// variance v: that of the lognormal distribution of the same two, whose σ² is
// ln(1 + v/m²).
func matched(m footprint.Mass, v *big.Int) Interval {
	i := Interval{KgCO2e: m, Low: m, High: m}
	if m.Sign() <= 0 || v.Sign() <= 0 {
		return i
	}
	square := m.Big()
	square.Mul(square, square)
	i.Low, i.High, _ = footprint.Lognormal(m, fixed.Log(new(big.Rat).SetFrac(new(big.Int).Add(square, v), square)))
	return i
}
