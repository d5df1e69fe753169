package total

import (
	"math/big"
	"math/bits"
	"slices"
	"strings"

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

// own is the addition of the activity of a record to the second and third central moment, in µg² and µg³; nil is
// 0. It is immutable. From engine 2.3.0 on it includes the widest records.
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

// ownMoments returns the addition of the activity of a record to the moments; none by engine 1.2.0.
func ownMoments(lines []footprint.Line, engine string) own {
	return ownOfLines(mergeEqual(lines)).widened(lines, engine)
}

func ownOfLines(lines []footprint.Line) own {
	n := len(lines)
	var few [16]sharedDoubt // most records have two lines
	shared := few[:]
	if n*n > len(few) {
		shared = make([]sharedDoubt, n*n)
	}
	for i := range lines {
		for k := range lines[:i+1] {
			if lines[i].Doubt == nil || lines[k].Doubt == nil {
				return own{}
			}
			shared[i*n+k] = sharedBy(&lines[i], &lines[k])
		}
	}
	second, third := new(big.Int), new(big.Int)
	w := fixed.Borrow()
	defer w.Return()
	mass, pair, triple, part, rounded := &w[0], &w[1], &w[2], &w[3], &w[4]
	for i := range lines {
		for k := range lines[:i+1] {
			ik := shared[i*n+k]
			pair.Mul(lines[i].Mass.SetBig(mass), lines[k].Mass.SetBig(part))
			part.Mul(activityPair(ik), pair)
			fixed.SetQuo(rounded, part, fixed.One)
			if k != i {
				rounded.Lsh(rounded, 1)
			}
			second.Add(second, rounded)
			for j := range lines[:k+1] {
				triple.Mul(pair, lines[j].Mass.SetBig(mass))
				part.Mul(activityTriple(ik, shared[i*n+j], shared[k*n+j]), triple)
				fixed.SetQuo(rounded, part, fixed.One)
				third.Add(third, part.Mul(rounded, orders(i, k, j)))
			}
		}
	}
	return own{Variance: positive(second), Third: positive(third)}
}

// activityPair returns the addition of the activity to exp(c) - 1 of two lines.
func activityPair(of sharedDoubt) *big.Int {
	return pairs.of(of, func() *big.Int {
		return new(big.Int).Sub(exponential(of.row+of.activity), exponential(of.row))
	})
}

// activityTriple returns the addition of the activity to the skew of three lines.
func activityTriple(a, b, c sharedDoubt) *big.Int {
	return triples.of([3]sharedDoubt{a, b, c}, func() *big.Int {
		return new(big.Int).Sub(skew(a.row+a.activity, b.row+b.activity, c.row+c.activity), skew(a.row, b.row, c.row))
	})
}

// manyLines is the number of lines from which equal ones are merged: the moments take cubic time.
const manyLines = 24

// mergeEqual merges the lines of one row with equal uncertainty. Both moments are linear in the mass of each, so they are
// unchanged.
func mergeEqual(lines []footprint.Line) []footprint.Line {
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
			return lines[:1] // engine 1.2.0 has no moments
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

// orders returns the number of orders of three lines.
func orders(i, k, j int) *big.Int {
	switch {
	case i == k && k == j:
		return one
	case i == k || k == j:
		return three
	}
	return six
}

// skew returns exp(a+b+c) - exp(a) - exp(b) - exp(c) + 2, for covariances in
// billionths.
func skew(a, b, c int64) *big.Int {
	return skews.of([3]int64{a, b, c}, func() *big.Int {
		n := new(big.Int).Lsh(fixed.One, 1)
		n.Add(n, exponential(a+b+c))
		return n.Sub(n, exponential(a)).Sub(n, exponential(b)).Sub(n, exponential(c))
	})
}

// sharedDoubt is the uncertainty that two lines of a record share, in billionths.
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

// uses adds up cells by row and use, in order. Figures supplied with records have no uncertainty of a row.
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
	if len(list) == 0 {
		return own{new(big.Int), new(big.Int), nil}
	}
	second, third := new(big.Int), new(big.Int)
	w := fixed.Borrow()
	defer w.Return()
	row, apart, mass, square, alike, both, rest, product := &w[0], &w[1], &w[2], &w[3], &w[4], &w[5], &w[6], &w[7]
	for len(list) > 0 {
		n := 1
		list[0].mass.SetBig(row)
		for n < len(list) && list[n].row == list[0].row {
			row.Add(row, list[n].mass.SetBig(mass))
			n++
		}
		b := list[0].basic
		basic := exponential(b)
		square.Mul(row, row)
		second.Add(second, product.Mul(rest.Sub(basic, fixed.One), square))
		// The triples of three different uses are all triples minus those of one or two.
		apart.Mul(square, row)
		for _, u := range list[:n] {
			u.mass.SetBig(mass)
			square.Mul(mass, mass)
			second.Add(second, product.Mul(rest.Sub(exponential(u.basic+u.fit), basic), square))
			alike.Mul(square, mass)
			product.Mul(square, rest.Sub(row, mass))
			both.Mul(product, three)
			apart.Sub(apart.Sub(apart, alike), both)
			third.Add(third, product.Mul(alike, skew(b+u.fit, b+u.fit, b+u.fit)))
			third.Add(third, product.Mul(both, skew(b+u.fit, b, b)))
		}
		third.Add(third, product.Mul(apart, skew(b, b, b)))
		list = list[n:]
	}
	return own{Variance: fixed.Quo(second, fixed.One), Third: fixed.Quo(third, fixed.One)}
}

// matched returns the interval of a sum with the expected value m and the central moments of o: that of the shifted
// lognormal distribution with the same expected value, variance and skewness. If η³ + 3η is the skewness, the
// unshifted distribution has the coefficient of variation η. A negative end becomes 0, and the interval contains m.
func matched(m footprint.Mass, o own) Interval {
	i := Interval{KgCO2e: m, Low: m, High: m}
	v, third := ownOf(o.Variance), ownOf(o.Third)
	if m.Sign() <= 0 || v.Sign() <= 0 {
		return i
	}
	if third.Sign() <= 0 { // for very small masses
		square := m.Big()
		square.Mul(square, square)
		i.Low, i.High, _ = footprint.Lognormal(m, fixed.LogOf(new(big.Int).Add(square, v), square))
		return i
	}
	w := fixed.Borrow()
	defer w.Return()
	n, by, root, moved, scale, half, middle, end := &w[0], &w[1], &w[2], &w[3], &w[4], &w[5], &w[6], &w[7]
	fixed.SetSqrt(root, by.Mul(n.Mul(by.Mul(v, v), v), one2))
	eta := ofSkewness(fixed.Quo(n.Mul(third, one2), root))
	variance := fixed.LogOf(n.Add(one2, by.Mul(eta, eta)), one2)
	// scale is the expected value before the move, in 10^-24 µg.
	fixed.SetSqrt(root, n.Mul(v, one2))
	fixed.SetQuo(scale, n.Mul(root, fixed.One), eta)
	fixed.SetSqrt(root, n.Mul(variance, fixed.One))
	fixed.SetQuo(half, n.Mul(root, in196), in100)
	fixed.SetQuo(middle, variance, two)
	moved.Sub(n.Mul(m.SetBig(by), fixed.One), scale)
	fixed.SetQuo(end, n.Mul(scale, fixed.One), fixed.Exp(by.Add(half, middle)))
	if end.Add(end, moved); end.Sign() < 0 {
		end.SetInt64(0)
	}
	i.Low = least(m, footprint.BigMass(fixed.SetQuo(n, end, fixed.One)))
	if by.Sub(half, middle).Sign() > 0 {
		fixed.SetQuo(end, n.Mul(scale, fixed.Exp(by)), fixed.One)
		if high := footprint.BigMass(fixed.SetQuo(n, end.Add(end, moved), fixed.One)); high.Cmp(m) > 0 {
			i.High = high
		}
	}
	return i
}

var (
	// one2 is the square of fixed.One. It must not be changed, nor the others.
	one2         = new(big.Int).Mul(fixed.One, fixed.One)
	one, two     = big.NewInt(1), big.NewInt(2)
	three, six   = big.NewInt(3), big.NewInt(6)
	in196, in100 = big.NewInt(196), big.NewInt(100)
)

func least(a, b footprint.Mass) footprint.Mass {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

// ofSkewness solves η³ + 3η = γ by Newton's method, which converges from above. From any start the result is the
// rounded root.
func ofSkewness(gamma *big.Int) *big.Int {
	eta, next := new(big.Int), new(big.Int)
	w := fixed.Borrow()
	defer w.Return()
	square, cube, constant, by := &w[0], &w[1], &w[2], &w[3]
	if few := square.Quo(gamma, billionth); few.IsInt64() && few.Int64() < maxCoarse {
		eta.Mul(eta.SetUint64(coarse(few.Uint64()+1)), billionth)
	} else {
		fixed.SetQuo(eta, gamma, three)
	}
	eta.Add(eta, one)
	constant.Mul(gamma, one2)
	for {
		square.Mul(eta, eta)
		cube.Mul(square, eta)
		cube.Add(cube.Lsh(cube, 1), constant)
		by.Mul(square.Add(square, one2), three)
		if fixed.SetQuo(next, cube, by).Cmp(eta) >= 0 {
			return eta
		}
		eta, next = next, eta
	}
}

// billionth is 10^-9 in the unit of package fixed.
var billionth = fixed.Pow10(15)

// maxCoarse is the skewness, in billionths, below which all numbers of coarse fit.
const maxCoarse = 6_000_000_000

// coarse returns the root of η³ + 3η = γ rounded up, or one more, in billionths, for γ ≤ maxCoarse.
func coarse(gamma uint64) uint64 {
	const unit = 1_000_000_000
	for eta := gamma/3 + 1; ; { // at most 2·10^9
		// (2η³ + γ) / 3(η² + 1), of which the divisor is below 2^64 and the dividend 2^64 times a smaller number
		square := eta * eta
		hi, lo := bits.Mul64(2*square, eta)
		more, least := bits.Mul64(gamma, unit*unit)
		lo, carry := bits.Add64(lo, least, 0)
		next, rest := bits.Div64(hi+more+carry, lo, 3*(square+unit*unit))
		if rest > 0 {
			next++
		}
		if next >= eta {
			return eta
		}
		eta = next
	}
}
