package footprint

import (
	"math/big"
	"math/bits"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// quantity is an exact amount of activity. Nearly all are plain decimals; a share of a year or a survey extrapolation
// is divided by a small number; anything else is a ratio.
type quantity struct {
	plain decimal.Decimal
	den   int64    // plain is divided by it; 0 counts as 1
	ratio *big.Rat // when not nil, it is the amount
}

// maxDen bounds the divisor of plain, so that products fit.
const maxDen = 1 << 30

func whole(n int64) quantity { return quantity{plain: decimal.FromInt(n)} }

func exactly(d decimal.Decimal) quantity { return quantity{plain: d} }

// thousandths returns n / 1000.
func thousandths(n int64) quantity { return quantity{plain: decimal.New(n, 3)} }

func (q quantity) divisor() int64 { return max(q.den, 1) }

func (q quantity) rat() *big.Rat {
	if q.ratio != nil {
		return q.ratio
	}
	r := decimalRat(q.plain)
	if q.den > 1 {
		r.Quo(r, new(big.Rat).SetInt64(q.den))
	}
	return r
}

func decimalRat(d decimal.Decimal) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(d.Coefficient()), fixed.Pow10(d.Scale()))
}

// sign is -1, 0 or 1.
func (q quantity) sign() int {
	if q.ratio != nil {
		return q.ratio.Sign()
	}
	return q.plain.Sign()
}

// times returns q × num / den, for num ≥ 0 and den > 0.
func (q quantity) times(num, den int64) quantity {
	if num == den {
		return q
	}
	if c, d := q.plain.Coefficient(), q.divisor(); q.ratio == nil && num > 0 && c >= 0 && c < 1<<62/num && den < maxDen/d {
		return quantity{plain: decimal.New(c*num, q.plain.Scale()), den: d * den}
	}
	return quantity{ratio: new(big.Rat).Mul(q.rat(), big.NewRat(num, den))}
}

// multiply returns q × n, for n > 0.
func (q quantity) multiply(n int64) quantity { return q.times(n, 1) }

// by returns q × d.
func (q quantity) by(d decimal.Decimal) quantity {
	if n, m := q.plain.Coefficient(), d.Coefficient(); q.ratio == nil && n >= 0 && m >= 0 && q.plain.Scale()+d.Scale() <= decimal.MaxScale {
		if hi, lo := bits.Mul64(uint64(n), uint64(m)); hi == 0 && lo < 1<<62 {
			return quantity{plain: decimal.New(int64(lo), q.plain.Scale()+d.Scale()), den: q.den}
		}
	}
	return quantity{ratio: new(big.Rat).Mul(q.rat(), decimalRat(d))}
}

// perThousand returns q / 1000.
func (q quantity) perThousand() quantity {
	if q.ratio == nil && q.plain.Scale() <= decimal.MaxScale-3 {
		return quantity{plain: decimal.New(q.plain.Coefficient(), q.plain.Scale()+3), den: q.den}
	}
	return q.times(1, 1000)
}

// String writes the amount in plain digits; one that does not end is rounded
// to twelve decimals. The mass is calculated from the exact amount.
func (q quantity) String() string {
	if q.ratio == nil && q.den <= 1 {
		return q.plain.String()
	}
	r := q.rat()
	n, exact := r.FloatPrec()
	if !exact || n > decimal.MaxScale {
		n = 12
	}
	return r.FloatString(n)
}

var pow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// mass returns q × factor, of kg per unit, rounded once, half-even, to whole
// milligrams.
func (q quantity) mass(factor decimal.Decimal) Mass {
	n, f, d := q.plain.Coefficient(), factor.Coefficient(), uint64(q.divisor())
	if q.ratio == nil && n >= 0 && f >= 0 && bits.Len64(uint64(n))+bits.Len64(uint64(f)) <= 96 {
		// One milligram is 10^-6 kg, so the product is in units of
		// 10^-(places) milligrams.
		places := q.plain.Scale() + factor.Scale() - 6
		hi, lo := bits.Mul64(uint64(n), uint64(f))
		if places < 0 && hi == 0 && lo < 1<<40 {
			lo, places = lo*pow10[-places], 0
		}
		if places >= 0 && places < len(pow10) && hi < 1<<32 {
			if over, by := bits.Mul64(pow10[places], d); over == 0 {
				return fromMilligrams(divide(hi, lo, by))
			}
		}
	}
	exact := new(big.Rat).Mul(q.rat(), decimalRat(factor))
	num := new(big.Int).Mul(exact.Num(), big.NewInt(1e6))
	mg := fixed.Quo(num, exact.Denom())
	return BigMass(mg.Mul(mg, big.NewInt(1000)))
}

// divide returns the 128-bit number hi:lo by d, rounded half-even; d > 0.
func divide(hi, lo, d uint64) (uint64, uint64) {
	if d == 1 {
		return hi, lo
	}
	high, rest := hi/d, hi%d
	low, rest := bits.Div64(rest, lo, d)
	if rest > d-rest || rest == d-rest && low&1 == 1 {
		var carry uint64
		low, carry = bits.Add64(low, 1, 0)
		high += carry
	}
	return high, low
}

func fromMilligrams(hi, lo uint64) Mass {
	over, low := bits.Mul64(lo, 1000)
	return Mass{hi: int64(hi*1000 + over), lo: low}
}
