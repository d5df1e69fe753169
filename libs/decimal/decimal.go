// Package decimal implements exact decimal numbers: the digits of a client's input or
// of a factor table are preserved, so that 0.1 stays one tenth and sums are
// the same on every platform.
package decimal

import (
	"cmp"
	"errors"
	"math/bits"
	"strconv"
)

const (
	// MaxDigits is the number of significant digits a Decimal can hold. A
	// float64 written out in full needs 17.
	MaxDigits = 18
	// MaxScale is the largest number of digits after the point.
	MaxScale = 30
)

// ErrSyntax is the error of a text that is not a decimal number.
var ErrSyntax = errors.New("not a decimal number")

// ErrRange is the error of a number with more digits than a Decimal can represent.
var ErrRange = errors.New("number has too many digits")

// Decimal is coefficient / 10^scale, always in lowest form: a scale above zero
// means that the last digit is not 0. The zero value is 0. Two Decimals are the
// same number exactly when they are ==.
type Decimal struct {
	coef  int64
	scale uint8
}

var pow10 = [...]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// New returns coef / 10^scale. A scale outside 0..MaxScale is brought into it:
// a negative one counts as 0, a larger one as MaxScale.
func New(coef int64, scale int) Decimal {
	scale = min(max(scale, 0), MaxScale)
	if coef == 0 {
		return Decimal{}
	}
	for scale > 0 && coef%10 == 0 {
		coef /= 10
		scale--
	}
	return Decimal{coef: coef, scale: uint8(scale)}
}

// FromInt returns the whole number n.
func FromInt(n int64) Decimal { return Decimal{coef: n} }

// Parse reads a number in the syntax of JSON: "12", "-0.5", "1.20e3". Leading
// zeros, a leading plus sign, NaN and infinities are ErrSyntax; more than
// MaxDigits significant digits or MaxScale decimals are ErrRange. The cost does
// not depend on the size of the exponent.
func Parse[T string | []byte](text T) (Decimal, error) {
	i, n := 0, len(text)
	negative := false
	if i < n && text[i] == '-' {
		negative = true
		i++
	}
	var coef uint64
	digits := 0  // significant digits in coef
	pending := 0 // zeros seen since, which count only if another digit follows
	point := 0   // digits after the point, those of pending included
	overflow := false
	take := func(c byte) {
		if c == '0' {
			if digits > 0 {
				pending++
			}
			return
		}
		if digits+pending+1 > MaxDigits {
			overflow = true
			return
		}
		if digits > 0 {
			coef *= pow10[pending+1]
			digits += pending
		}
		coef += uint64(c - '0')
		digits++
		pending = 0
	}
	start := i
	for i < n && isDigit(text[i]) {
		take(text[i])
		i++
	}
	if i == start || (text[start] == '0' && i-start > 1) {
		return Decimal{}, ErrSyntax
	}
	if i < n && text[i] == '.' {
		i++
		start = i
		for i < n && isDigit(text[i]) {
			take(text[i])
			i++
		}
		if point = i - start; point == 0 {
			return Decimal{}, ErrSyntax
		}
	}
	exponent := 0
	if i < n && (text[i] == 'e' || text[i] == 'E') {
		i++
		down := false
		if i < n && (text[i] == '+' || text[i] == '-') {
			down = text[i] == '-'
			i++
		}
		start = i
		for i < n && isDigit(text[i]) {
			// Beyond a million the number is out of range anyway.
			exponent = min(exponent*10+int(text[i]-'0'), 1_000_000)
			i++
		}
		if i == start {
			return Decimal{}, ErrSyntax
		}
		if down {
			exponent = -exponent
		}
	}
	if i != n {
		return Decimal{}, ErrSyntax
	}
	if digits == 0 {
		return Decimal{}, nil
	}
	if overflow {
		return Decimal{}, ErrRange
	}
	scale := point - pending - exponent
	if scale > MaxScale || scale < -MaxDigits {
		return Decimal{}, ErrRange
	}
	for ; scale < 0; scale++ {
		if digits++; digits > MaxDigits {
			return Decimal{}, ErrRange
		}
		coef *= 10
	}
	value := int64(coef) // at most 18 digits, so it fits
	if negative {
		value = -value
	}
	return New(value, scale), nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Coefficient is the number without its point: Coefficient / 10^Scale.
func (d Decimal) Coefficient() int64 { return d.coef }

// Scale is the number of digits after the point.
func (d Decimal) Scale() int { return int(d.scale) }

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int { return cmp.Compare(d.coef, 0) }

// IsZero reports whether d is 0.
func (d Decimal) IsZero() bool { return d.coef == 0 }

// Int64 returns d as a whole number; false when it has decimals.
func (d Decimal) Int64() (int64, bool) { return d.coef, d.scale == 0 }

// Cmp is -1, 0 or 1 as d is below, equal to or above e.
func (d Decimal) Cmp(e Decimal) int {
	if s, t := d.Sign(), e.Sign(); s != t {
		return cmp.Compare(s, t)
	}
	if d.scale == e.scale {
		return cmp.Compare(d.coef, e.coef)
	}
	sign := d.Sign()
	// Scale the one with fewer decimals to the other's scale. The factor may exceed 10^19, but then the coefficients
	// cannot be equal.
	if d.scale < e.scale {
		return sign * compareScaled(abs(d.coef), int(e.scale-d.scale), abs(e.coef))
	}
	return -sign * compareScaled(abs(e.coef), int(d.scale-e.scale), abs(d.coef))
}

// compareScaled compares a × 10^k with b.
func compareScaled(a uint64, k int, b uint64) int {
	if k >= len(pow10) {
		return 1 // a ≥ 1, so a × 10^20 exceeds every uint64
	}
	hi, lo := bits.Mul64(a, pow10[k])
	if hi > 0 {
		return 1
	}
	return cmp.Compare(lo, b)
}

func abs(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// String writes d in plain digits, without exponent: "-0.5", "1200".
func (d Decimal) String() string {
	var room [MaxDigits + MaxScale]byte // more than any has: sign, point and zeros included
	return string(d.Append(room[:0]))
}

// Append adds the text of String to b.
func (d Decimal) Append(b []byte) []byte {
	if d.scale == 0 {
		return strconv.AppendInt(b, d.coef, 10)
	}
	if d.coef < 0 {
		b = append(b, '-')
	}
	var room [MaxDigits + 2]byte
	digits := strconv.AppendUint(room[:0], abs(d.coef), 10)
	whole := len(digits) - int(d.scale)
	if whole <= 0 {
		b = append(b, '0', '.')
		for ; whole < 0; whole++ {
			b = append(b, '0')
		}
		return append(b, digits...)
	}
	b = append(b, digits[:whole]...)
	b = append(b, '.')
	return append(b, digits[whole:]...)
}

// MarshalJSON writes d as a JSON number.
func (d Decimal) MarshalJSON() ([]byte, error) { return d.Append(nil), nil }

// UnmarshalJSON reads a JSON number exactly; null leaves d unchanged.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	v, err := Parse(text)
	if err != nil {
		return err
	}
	*d = v
	return nil
}
