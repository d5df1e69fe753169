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
//
// The third central moment is Σ x x' x" (exp(c+c'+c") - exp(c) - exp(c') - exp(c") + 2)
// over all triples, and is kept in the same two parts: that of rows, and what the
// activity adds within a record. It leaves out triples of which two lines are of one
// record and the third is of another record and of a row of theirs.

// own is what the activity of a record adds to the second and third central
// moment, in µg² and µg³; nil is 0. It never changes. From engine 2.3.0 on it
// names the widest records.
type own struct {
	Variance, Third *big.Int
	Wide            []wide
}

func (o own) add(p own) own {
	return own{addOwn(o.Variance, p.Variance), addOwn(o.Third, p.Third), addWide(o.Wide, p.Wide)}
}

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

// ownMoments returns what the activity of a record adds to the moments; nothing
// by engine 1.2.0.
func ownMoments(lines []footprint.Line, engine string) own {
	return ownOfLines(alike(lines)).widened(lines, engine)
}

func ownOfLines(lines []footprint.Line) own {
	n := len(lines)
	shared := make([]sharedDoubt, n*n)
	for i := range lines {
		for k := range lines[:i+1] {
			if lines[i].Doubt == nil || lines[k].Doubt == nil {
				return own{}
			}
			shared[i*n+k] = sharedBy(&lines[i], &lines[k])
		}
	}
	masses := make([]*big.Int, n)
	for i := range lines {
		masses[i] = lines[i].Mass.Big()
	}
	second, third, pair := new(big.Int), new(big.Int), new(big.Int)
	for i := range lines {
		for k := range lines[:i+1] {
			ik := shared[i*n+k]
			pair.Mul(masses[i], masses[k])
			v := new(big.Int).Sub(exponential(ik.row+ik.activity), exponential(ik.row))
			v = fixed.Quo(v.Mul(v, pair), fixed.One)
			if k != i {
				v.Lsh(v, 1)
			}
			second.Add(second, v)
			for j := range lines[:k+1] {
				ij, kj := shared[i*n+j], shared[k*n+j]
				m := skew(ik.row+ik.activity, ij.row+ij.activity, kj.row+kj.activity)
				m.Sub(m, skew(ik.row, ij.row, kj.row))
				m = fixed.Quo(m.Mul(m, pair).Mul(m, masses[j]), fixed.One)
				third.Add(third, m.Mul(m, big.NewInt(orders(i, k, j))))
			}
		}
	}
	return own{Variance: positive(second), Third: positive(third)}
}

// manyLines is the number of lines from which those that are alike are added up:
// the moments take time by its third power.
const manyLines = 24

// alike adds up the lines of one row with one doubt. Both moments are linear in
// the mass of each, so that they stay what they are.
func alike(lines []footprint.Line) []footprint.Line {
	if len(lines) <= manyLines {
		return lines
	}
	type key struct {
		factor, stage string
		doubt         footprint.Doubt
	}
	at := map[key]int{}
	var out []footprint.Line
	for i := range lines {
		l := &lines[i]
		if l.Doubt == nil {
			return lines[:1] // there are no moments by engine 1.2.0
		}
		k := key{l.FactorID, l.Stage, *l.Doubt}
		if n, ok := at[k]; ok {
			out[n].Mass = out[n].Mass.Add(l.Mass)
			continue
		}
		at[k] = len(out)
		out = append(out, *l)
	}
	return out
}

func positive(n *big.Int) *big.Int {
	if n.Sign() <= 0 {
		return nil
	}
	return n
}

// orders returns in how many orders three lines can stand.
func orders(i, k, j int) int64 {
	switch {
	case i == k && k == j:
		return 1
	case i == k || k == j:
		return 3
	}
	return 6
}

// skew returns exp(a+b+c) - exp(a) - exp(b) - exp(c) + 2, for covariances in
// billionths.
func skew(a, b, c int64) *big.Int {
	n := new(big.Int).Lsh(fixed.One, 1)
	n.Add(n, exponential(a+b+c))
	return n.Sub(n, exponential(a)).Sub(n, exponential(b)).Sub(n, exponential(c))
}

// sharedDoubt is what two lines of a record have in common, in billionths.
type sharedDoubt struct{ row, activity int64 }

func sharedBy(x, y *footprint.Line) sharedDoubt {
	a, b := x.Doubt, y.Doubt
	s := sharedDoubt{activity: a.Activity}
	if b.Activity != a.Activity {
		n := new(big.Int).Mul(big.NewInt(a.Activity), big.NewInt(b.Activity))
		s.activity = n.Sqrt(n).Int64()
	}
	if sameRow(x, y) {
		s.row = a.Basic
		if a.Use == b.Use {
			s.row += a.Fit
		}
	}
	return s
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

// rowMoments returns the part of the second and third central moment that rows
// and their uses have.
func rowMoments(list []rowUse) own {
	second, third := new(big.Int), new(big.Int)
	for len(list) > 0 {
		n := 1
		row := list[0].mass.Big()
		for n < len(list) && list[n].row == list[0].row {
			row.Add(row, list[n].mass.Big())
			n++
		}
		b := list[0].basic
		basic := exponential(b)
		square := new(big.Int).Mul(row, row)
		second.Add(second, new(big.Int).Mul(new(big.Int).Sub(basic, fixed.One), square))
		// Triples of three uses are what those of one or two leave of all.
		apart := square.Mul(square, row)
		for _, u := range list[:n] {
			m := u.mass.Big()
			m2 := new(big.Int).Mul(m, m)
			second.Add(second, new(big.Int).Mul(new(big.Int).Sub(exponential(u.basic+u.fit), basic), m2))
			alike := new(big.Int).Mul(m2, m)
			pairs := new(big.Int).Mul(m2, new(big.Int).Sub(row, m))
			pairs.Mul(pairs, big.NewInt(3))
			apart.Sub(apart, alike).Sub(apart, pairs)
			third.Add(third, alike.Mul(alike, skew(b+u.fit, b+u.fit, b+u.fit)))
			third.Add(third, pairs.Mul(pairs, skew(b+u.fit, b, b)))
		}
		third.Add(third, apart.Mul(apart, skew(b, b, b)))
		list = list[n:]
	}
	return own{Variance: fixed.Quo(second, fixed.One), Third: fixed.Quo(third, fixed.One)}
}

// matched returns the interval of a sum with the expected value m and the central
// moments of o: that of the lognormal distribution, moved along the axis, which
// has the same expected value, variance and skewness. With η³ + 3η the skewness,
// the distribution that is moved has the coefficient of variation η. An end that
// would be negative is 0, and the interval contains m.
func matched(m footprint.Mass, o own) Interval {
	i := Interval{KgCO2e: m, Low: m, High: m}
	v, third := ownOf(o.Variance), ownOf(o.Third)
	if m.Sign() <= 0 || v.Sign() <= 0 {
		return i
	}
	if third.Sign() <= 0 { // of masses too small to tell
		square := m.Big()
		square.Mul(square, square)
		i.Low, i.High, _ = footprint.Lognormal(m, fixed.LogOf(new(big.Int).Add(square, v), square))
		return i
	}
	one2 := new(big.Int).Mul(fixed.One, fixed.One)
	root := new(big.Int).Mul(new(big.Int).Mul(v, v), v)
	root.Sqrt(root.Mul(root, one2))
	eta := ofSkewness(fixed.Quo(new(big.Int).Mul(third, one2), root))
	variance := fixed.LogOf(new(big.Int).Add(one2, new(big.Int).Mul(eta, eta)), one2)
	// scale is the expected value before the move, in 10^-24 µg.
	scale := new(big.Int).Mul(v, one2)
	scale = fixed.Quo(new(big.Int).Mul(scale.Sqrt(scale), fixed.One), eta)
	sigma := new(big.Int).Sqrt(new(big.Int).Mul(variance, fixed.One))
	half := fixed.Quo(new(big.Int).Mul(sigma, big.NewInt(196)), big.NewInt(100))
	middle := fixed.Quo(variance, big.NewInt(2))
	moved := new(big.Int).Sub(new(big.Int).Mul(m.Big(), fixed.One), scale)
	low := fixed.Quo(new(big.Int).Mul(scale, fixed.One), fixed.Exp(new(big.Int).Add(half, middle)))
	if low.Add(low, moved); low.Sign() < 0 {
		low.SetInt64(0)
	}
	i.Low = least(m, footprint.BigMass(fixed.Quo(low, fixed.One)))
	if up := new(big.Int).Sub(half, middle); up.Sign() > 0 {
		high := fixed.Quo(new(big.Int).Mul(scale, fixed.Exp(up)), fixed.One)
		if end := footprint.BigMass(fixed.Quo(high.Add(high, moved), fixed.One)); end.Cmp(m) > 0 {
			i.High = end
		}
	}
	return i
}

func least(a, b footprint.Mass) footprint.Mass {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

// ofSkewness returns η of η³ + 3η = γ by Newton's method, which from above comes
// down to it.
func ofSkewness(gamma *big.Int) *big.Int {
	one2 := new(big.Int).Mul(fixed.One, fixed.One)
	eta := new(big.Int).Add(fixed.Quo(gamma, big.NewInt(3)), big.NewInt(1))
	for {
		square := new(big.Int).Mul(eta, eta)
		n := new(big.Int).Mul(square, eta)
		n.Lsh(n, 1).Add(n, new(big.Int).Mul(gamma, one2))
		d := square.Add(square, one2)
		n = fixed.Quo(n, d.Mul(d, big.NewInt(3)))
		if n.Cmp(eta) >= 0 {
			return eta
		}
		eta = n
	}
}
