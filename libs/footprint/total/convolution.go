package total

import (
	"cmp"
	"math/big"
	"math/bits"
	"slices"
	"sync"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// The intervals of engine 2.3.0. A sum with wide records is the sum of independent parts: each of them, and all else
// with the remaining moments. Each part is a shifted lognormal distribution with its moments. The part with the
// greatest variance is continuous; the others are points with weights, which are added two at a time. An end is where
// the cumulative probability reaches 2.5% or 97.5%, found by bisection in whole numbers.

const (
	// unitBits is the number of binary digits of the figure in the unit of points.
	unitBits = 42
	// mostUnits bounds a point, so that no sum of points overflows.
	mostUnits = 1 << 59
	// oneBits is the exponent of the weight that is 1.
	oneBits = 30
	// The points of a part are four per standard deviation, up to four deviations away; the continuous part is a
	// table of 32 per deviation, up to five.
	pointsTo, pointsPer = 16, 4
	tableTo, tablePer   = 160, 32
	// leastSkewness, in thousandths, replaces that of a part whose third moment is too small.
	leastSkewness = 1
)

// point is a value and its probability.
type point struct{ at, weight int64 }

// gaussian are the weights of points and the probabilities of the table.
var gaussian = sync.OnceValue(func() (g struct{ weights, table []int64 }) {
	density := func(n, per int64) *big.Int { // exp(-z²/2) of z = n / per
		z2 := new(big.Int).Mul(big.NewInt(n*n), fixed.One)
		e := fixed.Exp(fixed.Quo(z2, big.NewInt(2*per*per)))
		return fixed.Quo(new(big.Int).Mul(fixed.One, fixed.One), e)
	}
	sum := new(big.Int)
	for n := int64(-pointsTo); n <= pointsTo; n++ {
		sum.Add(sum, density(n, pointsPer))
	}
	left := int64(1 << oneBits)
	for n := int64(-pointsTo); n <= pointsTo; n++ {
		w := fixed.Quo(new(big.Int).Lsh(density(n, pointsPer), oneBits), sum).Int64()
		g.weights, left = append(g.weights, w), left-w
	}
	g.weights[pointsTo] += left
	// Φ(z) = 1/2 + exp(-z²/2) / √(2π) × Σ z^(2k+1) / (1·3·5···(2k+1))
	root := new(big.Int).Sqrt(new(big.Int).Mul(twoPi, fixed.One))
	for n := int64(-tableTo); n <= tableTo; n++ {
		term := fixed.Quo(new(big.Int).Mul(big.NewInt(n), fixed.One), big.NewInt(tablePer))
		z2, series := fixed.Square(term), new(big.Int)
		for k := int64(3); term.Sign() != 0; k += 2 {
			series.Add(series, term)
			term = fixed.Quo(term.Mul(term, z2), new(big.Int).Mul(big.NewInt(k), fixed.One))
		}
		p := fixed.Quo(series.Mul(series, density(n, tablePer)), root)
		p.Add(p, fixed.Quo(fixed.One, big.NewInt(2)))
		g.table = append(g.table, fixed.Quo(p.Lsh(p, oneBits), fixed.One).Int64())
	}
	return g
})

var twoPi = func() *big.Int {
	n, _ := new(big.Int).SetString("6283185307179586476925287", 10) // 2π in 10^-24
	return n
}()

// summand is one of the independent parts of a sum.
type summand struct {
	mean            *big.Int // µg
	variance, third *big.Int
}

// makeInterval returns the interval of a sum with the expected value m.
func (o own) makeInterval(m footprint.Mass) Interval {
	rest := summand{m.Big(), new(big.Int).Set(ownOf(o.Variance)), new(big.Int).Set(ownOf(o.Third))}
	for _, w := range o.Wide {
		rest.mean.Sub(rest.mean, w.Mass.Big())
		rest.variance.Sub(rest.variance, w.Variance)
		rest.third.Sub(rest.third, w.Third)
	}
	if len(o.Wide) == 0 || len(o.Wide) == 1 && rest.mean.Sign() == 0 || m.Sign() <= 0 {
		return matched(m, o)
	}
	parts := make([]summand, 0, len(o.Wide)+1)
	constant := rest.mean
	// The rest of the variance is a rounding residue without a distribution.
	if new(big.Int).Mul(rest.variance, big.NewInt(1_000_000_000)).Cmp(o.Variance) > 0 {
		parts, constant = append(parts, rest), new(big.Int)
	}
	for _, w := range o.Wide {
		parts = append(parts, summand{w.Mass.Big(), w.Variance, w.Third})
	}
	return convolved(m, constant, parts)
}

// convolved returns the interval of the sum of a constant and independent parts.
func convolved(m footprint.Mass, constant *big.Int, parts []summand) Interval {
	u := units(unitBits - m.Big().BitLen())
	widest := 0
	for i := range parts {
		if parts[i].variance.Cmp(parts[widest].variance) > 0 {
			widest = i
		}
	}
	others := []point{{u.of(new(big.Int).Mul(constant, fixed.One)), 1 << oneBits}}
	for i := range parts {
		if i != widest {
			others = join(others, u.values(parts[i], pointsTo, pointsPer))
		}
	}
	d := distribution{others, u.values(parts[widest], tableTo, tablePer)}
	const tail = 1 << (2 * oneBits) / 40
	i := Interval{m, m, m}
	if low := u.mass(d.quantile(tail)); low.Cmp(m) < 0 {
		i.Low = low
	}
	if high := u.mass(d.quantile(1<<(2*oneBits) - tail)); high.Cmp(m) > 0 {
		i.High = high
	}
	return i
}

// units is the exponent of the number of units in a microgram.
type units int

// of returns a value of 10^-24 µg in units.
func (u units) of(n *big.Int) int64 {
	if u >= 0 {
		n = fixed.Quo(new(big.Int).Lsh(n, uint(u)), fixed.One)
	} else {
		n = fixed.Quo(n, new(big.Int).Lsh(fixed.One, uint(-u)))
	}
	if most := big.NewInt(mostUnits); n.CmpAbs(most) > 0 {
		return mostUnits * int64(n.Sign())
	}
	return n.Int64()
}

// mass returns a number of units.
func (u units) mass(n int64) footprint.Mass {
	if u >= 0 {
		return footprint.BigMass(fixed.Quo(big.NewInt(n), new(big.Int).Lsh(big.NewInt(1), uint(u))))
	}
	return footprint.BigMass(new(big.Int).Lsh(big.NewInt(n), uint(-u)))
}

// values returns those of a part from -to to to, per to a standard deviation of
// its logarithm.
func (u units) values(p summand, to, per int64) []int64 {
	s := shapeOf(p.variance, p.third)
	step := fixed.Exp(fixed.Quo(s.sigma, big.NewInt(per)))
	back := fixed.Quo(one2, step)
	moved := new(big.Int).Sub(new(big.Int).Mul(p.mean, fixed.One), s.scale)
	middle := fixed.Quo(new(big.Int).Mul(s.scale, fixed.One), fixed.Exp(fixed.Quo(s.variance, big.NewInt(2))))
	out := make([]int64, 2*to+1)
	up, down := new(big.Int).Set(middle), middle
	for n := range to + 1 {
		out[to+n], out[to-n] = u.of(new(big.Int).Add(moved, up)), u.of(new(big.Int).Add(moved, down))
		up, down = fixed.Quo(up.Mul(up, step), fixed.One), fixed.Quo(new(big.Int).Mul(down, back), fixed.One)
	}
	return out
}

// join returns the points of the sum of the given points and a part with these values. The sorted sums are divided
// into ranges with the original weights; each point is the mean of its range.
func join(points []point, values []int64) []point {
	weights := gaussian().weights
	sums := make([]point, 0, len(points)*len(values))
	for _, p := range points {
		for i, v := range values {
			sums = append(sums, point{p.at + v, p.weight * weights[i]})
		}
	}
	if len(points) == 1 {
		for i := range sums {
			sums[i].weight = weights[i]
		}
		return sums
	}
	slices.SortFunc(sums, func(a, b point) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.weight, b.weight)) })
	out := make([]point, 0, len(weights))
	for _, w := range weights {
		first, want := sums[0].at, w<<oneBits
		var hi, lo uint64
		for want > 0 {
			take := min(want, sums[0].weight)
			h, l := bits.Mul64(uint64(take), uint64(sums[0].at-first))
			var carry uint64
			lo, carry = bits.Add64(lo, l, 0)
			hi += h + carry
			want -= take
			if sums[0].weight -= take; sums[0].weight == 0 {
				sums = sums[1:]
			}
		}
		mean, _ := bits.Div64(hi, lo, uint64(w<<oneBits))
		out = append(out, point{first + int64(mean), w})
	}
	return out
}

// distribution is that of the sum of points and a continuous part, of which it
// has the values of the table.
type distribution struct {
	points []point
	values []int64
}

// quantile returns the least value that is not below 0 and whose probability, in parts of 2^60, is at least p.
func (d distribution) quantile(p int64) int64 {
	low, high := int64(0), int64(1<<61)
	for low < high {
		if middle := low + (high-low)/2; d.probability(middle) >= p {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

func (d distribution) probability(at int64) (p int64) {
	for _, x := range d.points {
		p += x.weight * d.continuous(at-x.at)
	}
	return p
}

// continuous returns the cumulative probability of the continuous part at a value, interpolated linearly in the
// table.
func (d distribution) continuous(at int64) int64 {
	n, found := slices.BinarySearch(d.values, at)
	table := gaussian().table
	switch {
	case found:
		return table[n]
	case n == 0:
		return 0
	case n == len(d.values):
		return 1 << oneBits
	}
	hi, lo := bits.Mul64(uint64(table[n]-table[n-1]), uint64(at-d.values[n-1]))
	more, _ := bits.Div64(hi, lo, uint64(d.values[n]-d.values[n-1]))
	return table[n-1] + int64(more)
}

// shape is a lognormal distribution that is moved along the axis.
type shape struct {
	scale           *big.Int // the expected value before the move, in 10^-24 µg
	variance, sigma *big.Int // of the logarithm, in 10^-24
}

// shapeOf returns the one with a variance and third central moment.
func shapeOf(variance, third *big.Int) shape {
	root := new(big.Int).Mul(new(big.Int).Mul(variance, variance), variance)
	root.Sqrt(root.Mul(root, one2))
	gamma := fixed.Quo(new(big.Int).Mul(third, one2), root)
	if least := fixed.Quo(new(big.Int).Mul(fixed.One, big.NewInt(leastSkewness)), big.NewInt(1000)); gamma.Cmp(least) < 0 {
		gamma = least
	}
	eta := ofSkewness(gamma)
	s := shape{variance: fixed.LogOf(new(big.Int).Add(one2, new(big.Int).Mul(eta, eta)), one2)}
	s.sigma = new(big.Int).Sqrt(new(big.Int).Mul(s.variance, fixed.One))
	scale := new(big.Int).Mul(variance, one2)
	s.scale = fixed.Quo(new(big.Int).Mul(scale.Sqrt(scale), fixed.One), eta)
	return s
}
