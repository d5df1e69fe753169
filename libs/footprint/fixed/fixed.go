// Package fixed calculates logarithms, exponentials and quotients in fixed-point
// arithmetic with a unit of 10^-24 instead of floating point, so that every platform
// gets the same digits.
package fixed

import (
	"math/big"
	"math/bits"
	"sync"
)

// One is 1 in the unit of the package, 10^-24. It must not be changed.
var One = Pow10(24)

// Square returns n² in the same unit.
func Square(n *big.Int) *big.Int {
	return Quo(new(big.Int).Mul(n, n), One)
}

// Log returns ln(x) for x ≥ 1, in 10^-24.
func Log(x *big.Rat) *big.Int { return LogOf(x.Num(), x.Denom()) }

// LogOf returns ln(num / den) for num ≥ den > 0, in 10^-24.
func LogOf(num, den *big.Int) *big.Int {
	w, halves := Borrow(), int64(0)
	defer w.Return()
	least, two := w[0].Set(den), &w[1]
	for two.Lsh(least, 1); num.Cmp(two) > 0; two.Lsh(least, 1) {
		least.Set(two)
		halves++
	}
	ln := atanhTwice(num, least)
	if halves > 0 {
		ln.Add(ln, new(big.Int).Mul(ln2, big.NewInt(halves)))
	}
	return ln
}

// one is One, and ln2 is ln(2), which must not be changed.
var (
	one = wideOf(One)
	ln2 = atanhTwice(big.NewInt(2), big.NewInt(1))
)

// atanhTwice returns ln(x) = 2 artanh((x-1)/(x+1)) for x = num / den and 1 ≤ x ≤ 2, in
// 10^-24.
func atanhTwice(num, den *big.Int) *big.Int {
	w := Borrow()
	defer w.Return()
	n, by, first := &w[0], &w[1], &w[2]
	power := wideOf(SetQuo(first, n.Mul(by.Sub(num, den), One), by.Add(num, den)))
	y2 := product(power, power, one)
	sum := wide{}
	for k := uint64(1); !power.isZero(); k += 2 {
		sum = sum.add(power.by(k))
		power = product(power, y2, one)
	}
	return sum.shift(1).big()
}

// Exp returns e^x for x ≥ 0, both in 10^-24.
func Exp(x *big.Int) *big.Int {
	w := Borrow()
	defer w.Return()
	twos, left := w[0].QuoRem(x, ln2, &w[1])
	rest, term, sum := wideOf(left), one, one
	for n := uint64(1); !term.isZero(); n++ {
		term = product(term, rest, one.times(n))
		sum = sum.add(term)
	}
	result := sum.big()
	return result.Lsh(result, uint(twos.Uint64()))
}

// Work is a set of reusable temporary numbers. Their contents are undefined.
type Work [8]big.Int

var works = sync.Pool{New: func() any { return new(Work) }}

// Borrow returns numbers from a pool, for exclusive use until they are returned.
func Borrow() *Work { return works.Get().(*Work) } //nolint:forcetypeassert // nothing else is put there

// Return returns the numbers to the pool.
func (w *Work) Return() { works.Put(w) }

var unit, minusUnit = big.NewInt(1), big.NewInt(-1)

// SetSqrt sets z, which must not be n, to the integer part of the root of n ≥ 0, and returns it. Like big.Int.Sqrt
// it uses Newton's method from above, but starts with 31 correct digits.
func SetSqrt(z, n *big.Int) *big.Int {
	const head = 62
	length := n.BitLen()
	if length <= head {
		return z.SetUint64(root(n.Uint64()))
	}
	shift := uint(length-head+1) &^ 1 // even
	w := Borrow()
	defer w.Return()
	x, y := &w[0], &w[1]
	x.Lsh(z.SetUint64(root(x.Rsh(n, shift).Uint64())+1), shift/2)
	for {
		setFloor(z, n, x)
		z.Add(z, x)
		y.Rsh(z, 1)
		if y.Cmp(x) >= 0 {
			return z.Set(x)
		}
		x, y = y, x
	}
}

// root returns the whole part of the root of n < 2^63.
func root(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	x := uint64(1) << ((bits.Len64(n) + 1) / 2)
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}

// Pow10 returns 10^n.
func Pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
