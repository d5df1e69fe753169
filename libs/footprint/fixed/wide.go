package fixed

import (
	"encoding/binary"
	"math/big"
	"math/bits"
)

// wide is a whole number from 0 to 2^128 - 1. The terms of the series of this package
// have at most 88 bits, so that they need no number of any length, nor its memory.
type wide struct{ hi, lo uint64 }

// wideOf returns a number that has at most 128 bits.
func wideOf(n *big.Int) wide {
	if words := n.Bits(); bits.UintSize == 64 && len(words) <= 2 {
		var two [2]big.Word
		copy(two[:], words)
		return wide{uint64(two[1]), uint64(two[0])}
	}
	var text [16]byte
	n.FillBytes(text[:])
	return wide{binary.BigEndian.Uint64(text[:8]), binary.BigEndian.Uint64(text[8:])}
}

func (w wide) big() *big.Int {
	if bits.UintSize == 64 {
		return new(big.Int).SetBits([]big.Word{big.Word(w.lo), big.Word(w.hi)})
	}
	var text [16]byte
	binary.BigEndian.PutUint64(text[:8], w.hi)
	binary.BigEndian.PutUint64(text[8:], w.lo)
	return new(big.Int).SetBytes(text[:])
}

func (w wide) isZero() bool { return w.hi|w.lo == 0 }

func (w wide) add(o wide) wide {
	lo, carry := bits.Add64(w.lo, o.lo, 0)
	hi, _ := bits.Add64(w.hi, o.hi, carry)
	return wide{hi, lo}
}

func (w wide) sub(o wide) wide {
	lo, borrow := bits.Sub64(w.lo, o.lo, 0)
	hi, _ := bits.Sub64(w.hi, o.hi, borrow)
	return wide{hi, lo}
}

func (w wide) less(o wide) bool { return w.hi < o.hi || w.hi == o.hi && w.lo < o.lo }

func (w wide) shift(n uint) wide { return wide{w.hi<<n | w.lo>>(64-n), w.lo << n} }

// times returns w · k, which must fit.
func (w wide) times(k uint64) wide {
	hi, lo := bits.Mul64(w.lo, k)
	return wide{w.hi*k + hi, lo}
}

// by returns w / k rounded half-even, for k > 0.
func (w wide) by(k uint64) wide {
	hi, rest := w.hi/k, w.hi%k
	lo, rest := bits.Div64(rest, w.lo, k)
	return wide{hi, lo}.rounded(wide{0, rest}, wide{0, k})
}

// rounded returns the quotient w rounded half-even, by the rest and the divisor.
func (w wide) rounded(rest, divisor wide) wide {
	other := divisor.sub(rest)
	if other.less(rest) || other == rest && w.lo&1 == 1 {
		return w.add(wide{0, 1})
	}
	return w
}

// product returns a · b / d rounded half-even. The divisor has more than 64 bits and
// the quotient fits; both hold for every term of a series.
func product(a, b, d wide) wide {
	// The product in four words, least significant first.
	h0, p0 := bits.Mul64(a.lo, b.lo)
	h1, l1 := bits.Mul64(a.lo, b.hi)
	h2, l2 := bits.Mul64(a.hi, b.lo)
	h3, l3 := bits.Mul64(a.hi, b.hi)
	p1, c := bits.Add64(h0, l1, 0)
	p2, c := bits.Add64(h1, l3, c)
	p3 := h3 + c
	p1, c = bits.Add64(p1, l2, 0)
	p2, c = bits.Add64(p2, h2, c)
	p3 += c
	// Long division by words, of which the divisor has two (Knuth, The Art of Computer
	// Programming, volume 2, 4.3.1, algorithm D), its first bit moved to the front.
	n := uint(bits.LeadingZeros64(d.hi))
	v := d.shift(n)
	u := [4]uint64{p0 << n, p1<<n | p0>>(64-n), p2<<n | p1>>(64-n), p3<<n | p2>>(64-n)}
	hi, rest := step(wide{u[3], u[2]}, u[1], v)
	lo, rest := step(rest, u[0], v)
	return wide{hi, lo}.rounded(wide{rest.hi >> n, rest.lo>>n | rest.hi<<(64-n)}, d)
}

// step divides the three words u, next by v, whose first bit is set and which is
// greater than u.
func step(u wide, next uint64, v wide) (q uint64, rest wide) {
	var r uint64
	tooFar := false // the remainder exceeds one word
	if u.hi >= v.hi {
		q = 1<<64 - 1
		var carry uint64
		r, carry = bits.Add64(u.lo, v.hi, 0)
		tooFar = carry != 0
	} else {
		q, r = bits.Div64(u.hi, u.lo, v.hi)
	}
	for !tooFar {
		hi, lo := bits.Mul64(q, v.lo)
		if !(wide{r, next}).less(wide{hi, lo}) {
			break
		}
		q--
		var carry uint64
		r, carry = bits.Add64(r, v.hi, 0)
		tooFar = carry != 0
	}
	// The remainder fits into two words, so only those are calculated.
	return q, wide{u.lo, next}.sub(v.times(q))
}
