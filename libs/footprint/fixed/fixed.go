// Package fixed calculates logarithms, exponentials and quotients in whole
// numbers of 10^-24 instead of floating point, so that every platform finds the
// same digits.
package fixed

import "math/big"

// One is 1 in the unit of the package, 10^-24. It must not be changed.
var One = Pow10(24)

// Square returns n² in the same unit.
func Square(n *big.Int) *big.Int {
	return Quo(new(big.Int).Mul(n, n), One)
}

// Log returns ln(x) for x ≥ 1, in 10^-24.
func Log(x *big.Rat) *big.Int {
	x = new(big.Rat).Set(x)
	two, halves := big.NewRat(2, 1), int64(0)
	for x.Cmp(two) > 0 {
		x.Quo(x, two)
		halves++
	}
	ln := atanhTwice(x)
	if halves > 0 {
		ln.Add(ln, new(big.Int).Mul(ln2, big.NewInt(halves)))
	}
	return ln
}

// ln2 is ln(2). It must not be changed.
var ln2 = atanhTwice(big.NewRat(2, 1))

// atanhTwice returns ln(x) = 2 artanh((x-1)/(x+1)) for 1 ≤ x ≤ 2, in 10^-24.
func atanhTwice(x *big.Rat) *big.Int {
	num := new(big.Int).Sub(x.Num(), x.Denom())
	den := new(big.Int).Add(x.Num(), x.Denom())
	power := Quo(num.Mul(num, One), den)
	y2 := Square(power)
	sum := new(big.Int)
	for k := int64(1); power.Sign() != 0; k += 2 {
		sum.Add(sum, Quo(power, big.NewInt(k)))
		power = Quo(new(big.Int).Mul(power, y2), One)
	}
	return sum.Lsh(sum, 1)
}

// Exp returns e^x for x ≥ 0, both in 10^-24.
func Exp(x *big.Int) *big.Int {
	twos, rest := new(big.Int).QuoRem(x, ln2, new(big.Int))
	term, sum, divisor, k := new(big.Int).Set(One), new(big.Int).Set(One), new(big.Int), new(big.Int)
	for n := int64(1); term.Sign() != 0; n++ {
		term = Quo(term.Mul(term, rest), divisor.Mul(One, k.SetInt64(n)))
		sum.Add(sum, term)
	}
	return sum.Lsh(sum, uint(twos.Uint64()))
}

// Quo returns n / d rounded half-even, for d > 0.
func Quo(n, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(new(big.Int).Abs(n), d, new(big.Int))
	switch r.Lsh(r, 1).Cmp(d) {
	case 1:
		q.Add(q, big.NewInt(1))
	case 0:
		if q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
	}
	if n.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

// Pow10 returns 10^n.
func Pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
