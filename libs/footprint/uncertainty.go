package footprint

import (
	"math/big"
	"math/bits"
	"sync/atomic"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// scores are the data quality of a line by the pedigree matrix, each 1 (best)
// to 5.
type scores struct {
	reliability, completeness, time, geography, technology uint8
}

func (s scores) index() int {
	n := 0
	for _, v := range [...]uint8{s.reliability, s.completeness, s.time, s.geography, s.technology} {
		n = n*5 + int(min(max(v, 1), 5)) - 1
	}
	return n
}

var indicators = [...]string{"reliability", "completeness", "temporal correlation", "geographical correlation", "further technological correlation"}

// gsdScale is the unit of a GSD²: millionths.
const gsdScale = 1_000_000

// pedigree returns the GSD² of score combinations, each calculated on first use.
type pedigree struct {
	squares   [len(indicators)][5]*big.Int // ln(U)², in 10^-24
	variances [len(indicators)][5]int64    // ln(U)² / 1.96², in billionths
	known     [3125]atomic.Uint64          // GSD² in millionths; 0: not calculated yet
}

func newPedigree(set *factors.Set) *pedigree {
	p := &pedigree{}
	for i, name := range indicators {
		for score := range 5 {
			u, ok := set.Pedigree(name, score+1)
			if !ok || u.Cmp(decimal.FromInt(1)) < 0 {
				u = decimal.FromInt(1)
			}
			p.squares[i][score] = fixed.Square(fixed.Log(decimalRat(u)))
			p.variances[i][score] = ofFactor(p.squares[i][score])
		}
	}
	return p
}

// gsd2 returns GSD² = exp(√Σ ln(U)²) in millionths, the factor by which 95% of
// values lie at most below and above. variance is a further ln(U)², or nil.
func (p *pedigree) gsd2(s scores, variance *big.Int) uint64 {
	at := &p.known[s.index()]
	if variance == nil {
		if g := at.Load(); g != 0 {
			return g
		}
	}
	sum := new(big.Int)
	for i, v := range [...]uint8{s.reliability, s.completeness, s.time, s.geography, s.technology} {
		sum.Add(sum, p.squares[i][min(max(v, 1), 5)-1])
	}
	if variance != nil {
		sum.Add(sum, variance)
	}
	root := sum.Sqrt(sum.Mul(sum, fixed.One))
	g := fixed.Quo(fixed.Exp(root), fixed.Pow10(18)).Uint64()
	if variance == nil {
		at.Store(g)
	}
	return g
}

// sampling returns the ln(U)² of a survey of n out of total people whose answers
// have the coefficient of variation cv: the mean has the relative variance
// r² = cv²/n × (total-n)/(total-1), and a lognormal value of that spread has
// GSD² = exp(2√ln(1+r²)).
func sampling(cv decimal.Decimal, n, total int64) *big.Int {
	if total <= 1 || n >= total {
		return new(big.Int)
	}
	r := decimalRat(cv)
	r.Mul(r, r)
	r.Mul(r, big.NewRat(total-n, 1))
	r.Quo(r, new(big.Rat).Mul(big.NewRat(n, 1), big.NewRat(total-1, 1)))
	ln := fixed.Log(r.Add(r, big.NewRat(1, 1)))
	return ln.Mul(ln, big.NewInt(4))
}

// half returns the distances from m down to m / GSD² and up to m × GSD², rounded
// half-even to whole micrograms.
func half(m Mass, gsd2 uint64) (down, up Mass) {
	if m.hi == 0 && m.lo < 1<<62 {
		g := gsd2
		hi, lo := bits.Mul64(m.lo, gsdScale)
		if q, l := divide(hi, lo, g); q == 0 {
			down = m.Sub(Mass{lo: l})
		}
		hi, lo = bits.Mul64(m.lo, g-gsdScale)
		q, l := divide(hi, lo, gsdScale)
		return down, Mass{hi: int64(q), lo: l}
	}
	n, g := m.Big(), new(big.Int).SetUint64(gsd2)
	low := fixed.Quo(new(big.Int).Mul(n, big.NewInt(gsdScale)), g)
	high := fixed.Quo(new(big.Int).Mul(n, g), big.NewInt(gsdScale))
	return BigMass(low.Sub(n, low)), BigMass(high.Sub(high, n))
}
