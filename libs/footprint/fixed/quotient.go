package fixed

import (
	"math/big"
	"math/bits"
	"slices"
)

// mostWords is the length up to which numbers are divided here. Package big normalizes copies of both numbers, which
// it takes from a pool; for numbers this short that costs several times the division.
const mostWords = 8

// division is the memory of a long division by words (Knuth, The Art of Computer Programming, volume 2, 4.3.1,
// algorithm D).
type division struct {
	quotient, words, divisor [mostWords + 1]big.Word
}

// of divides the absolute values of n and by ≠ 0. The rest and the divisor, which are equally long, are shifted to the
// left by the same number of bits. ok is false if one of the numbers is too long.
func (d *division) of(n, by *big.Int) (quotient, rest, divisor []big.Word, ok bool) {
	a, b := n.Bits(), by.Bits()
	if len(a) > mostWords || len(b) > mostWords {
		return nil, nil, nil, false
	}
	shift := uint(bits.LeadingZeros(uint(b[len(b)-1])))
	v := d.divisor[:len(b)]
	shiftLeft(v, b, shift)
	u := d.words[:max(len(a), len(b))+1]
	u[len(a)] = shiftLeft(u[:len(a)], a, shift)
	if len(a) < len(b) {
		return nil, u[:len(b)], v, true
	}
	q := d.quotient[:len(a)-len(b)+1]
	if len(b) > 1 {
		for j := len(q) - 1; j >= 0; j-- {
			q[j] = nextWord(u[j:j+len(b)+1], v)
		}
		return q, u[:len(b)], v, true
	}
	left := uint(u[len(a)])
	for j := len(q) - 1; j >= 0; j-- {
		var word uint
		word, left = bits.Div(left, uint(u[j]), uint(v[0]))
		q[j] = big.Word(word)
	}
	u[0] = big.Word(left)
	return q, u[:1], v, true
}

// shiftLeft sets z, which is as long as x, to x shifted by less than a word, and returns the bits shifted out.
func shiftLeft(z, x []big.Word, by uint) (out big.Word) {
	for i, w := range x {
		z[i], out = w<<by|out, w>>1>>(bits.UintSize-1-by)
	}
	return out
}

// nextWord subtracts from u the greatest multiple of v and returns the factor, which is one word. u is one word longer
// than v, v has at least two words, and its first bit is set.
func nextWord(u, v []big.Word) big.Word {
	n := len(v)
	u = u[:n+1]
	first, second := uint(v[n-1]), uint(v[n-2])
	q := ^uint(0) // an estimate, at most 2 too large
	if uint(u[n]) < first {
		var rest uint
		q, rest = bits.Div(uint(u[n]), uint(u[n-1]), first)
		for hi, lo := bits.Mul(q, second); hi > rest || hi == rest && lo > uint(u[n-2]); {
			q--
			if rest += first; rest < first {
				break // it exceeds one word
			}
			var borrow uint
			lo, borrow = bits.Sub(lo, second, 0)
			hi -= borrow
		}
	}
	var carry, borrow uint
	for i, w := range v {
		hi, lo := bits.Mul(q, uint(w))
		lo, over := bits.Add(lo, carry, 0)
		carry = hi + over
		left, under := bits.Sub(uint(u[i]), lo, borrow)
		u[i], borrow = big.Word(left), under
	}
	left, borrow := bits.Sub(uint(u[n]), carry, borrow)
	for borrow != 0 {
		q--
		var over uint
		for i, w := range v {
			sum, c := bits.Add(uint(u[i]), uint(w), over)
			u[i], over = big.Word(sum), c
		}
		left, over = bits.Add(left, over, 0)
		borrow -= over
	}
	u[n] = big.Word(left)
	return big.Word(q)
}

// compareTwice compares twice a, which is as long as b, with b.
func compareTwice(a, b []big.Word) int {
	if a[len(a)-1]>>(bits.UintSize-1) != 0 {
		return 1
	}
	for i, word := range slices.Backward(a) {
		twice := word << 1
		if i > 0 {
			twice |= a[i-1] >> (bits.UintSize - 1)
		}
		if twice != b[i] {
			if twice > b[i] {
				return 1
			}
			return -1
		}
	}
	return 0
}

// Quo returns n / d rounded half-even, for d > 0.
func Quo(n, d *big.Int) *big.Int { return SetQuo(new(big.Int), n, d) }

// SetQuo sets z to n / d rounded half-even, for d > 0, and returns it. If z has enough capacity, nothing is allocated.
func SetQuo(z, n, d *big.Int) *big.Int {
	var short division
	q, rest, divisor, ok := short.of(n, d)
	if !ok {
		return setLongQuo(z, n, d)
	}
	c, negative := compareTwice(rest, divisor), n.Sign() < 0
	z.SetBits(append(z.Bits()[:0], q...))
	if c > 0 || c == 0 && z.Bit(0) == 1 {
		z.Add(z, unit)
	}
	if negative {
		z.Neg(z)
	}
	return z
}

// setLongQuo is SetQuo for numbers of any length.
func setLongQuo(z, n, d *big.Int) *big.Int {
	w := Borrow()
	defer w.Return()
	r, away := &w[0], unit
	if n.Sign() < 0 {
		away = minusUnit
	}
	z.QuoRem(n, d, r)
	if c := r.Lsh(r.Abs(r), 1).Cmp(d); c > 0 || c == 0 && z.Bit(0) == 1 {
		z.Add(z, away)
	}
	return z
}

// setFloor sets z to the integer part of n / d, for n ≥ 0 and d > 0.
func setFloor(z, n, d *big.Int) {
	var short division
	q, _, _, ok := short.of(n, d)
	if !ok {
		w := Borrow()
		defer w.Return()
		z.QuoRem(n, d, &w[0])
		return
	}
	z.SetBits(append(z.Bits()[:0], q...))
}
