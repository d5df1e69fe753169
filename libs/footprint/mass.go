package footprint

import (
	"bytes"
	"errors"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// Mass is an exact mass, a signed 128-bit count of micrograms. Every line of a calculation is rounded once,
// half-even, to whole milligrams, the six decimals of the served kilograms; from then on only integers are added, so
// parts equal totals to the last digit in any order. The zero value is 0 and masses can be compared with ==.
type Mass struct {
	hi int64
	lo uint64
}

// MassOf returns a mass in micrograms.
func MassOf(micrograms int64) Mass {
	return Mass{hi: micrograms >> 63, lo: uint64(micrograms)}
}

// Words returns the two halves of the micrograms, for MassOfWords.
func (m Mass) Words() (hi int64, lo uint64) { return m.hi, m.lo }

// MassOfWords is the inverse of Words.
func MassOfWords(hi int64, lo uint64) Mass { return Mass{hi: hi, lo: lo} }

// ErrMass is the error of a text that is not a whole number of micrograms below 2^127.
var ErrMass = errors.New("not a mass")

// ParseMicrograms is the inverse of String.
func ParseMicrograms(text string) (Mass, error) {
	if text == "" {
		return Mass{}, ErrMass
	}
	if len(text) <= 18 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || text[0] == '+' {
			return Mass{}, ErrMass
		}
		return MassOf(n), nil
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || text[0] == '+' || n.BitLen() > 126 {
		return Mass{}, ErrMass
	}
	return BigMass(n), nil
}

// BigMass returns a mass in micrograms, of at most 126 bits.
func BigMass(n *big.Int) Mass {
	if n.IsInt64() {
		return MassOf(n.Int64())
	}
	abs := new(big.Int).Abs(n)
	m := Mass{lo: new(big.Int).And(abs, new(big.Int).SetUint64(^uint64(0))).Uint64(), hi: int64(new(big.Int).Rsh(abs, 64).Uint64())}
	if n.Sign() < 0 {
		return m.Neg()
	}
	return m
}

// Big returns the micrograms as a big integer.
func (m Mass) Big() *big.Int { return m.SetBig(new(big.Int)) }

// SetBig sets n to the micrograms, and returns it.
func (m Mass) SetBig(n *big.Int) *big.Int {
	if m.hi == int64(m.lo)>>63 {
		return n.SetInt64(int64(m.lo))
	}
	n.Lsh(n.SetInt64(m.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(m.lo))
}

// Add returns m + o.
func (m Mass) Add(o Mass) Mass {
	lo, carry := bits.Add64(m.lo, o.lo, 0)
	return Mass{hi: m.hi + o.hi + int64(carry), lo: lo}
}

// Sub returns m - o.
func (m Mass) Sub(o Mass) Mass {
	lo, borrow := bits.Sub64(m.lo, o.lo, 0)
	return Mass{hi: m.hi - o.hi - int64(borrow), lo: lo}
}

// Neg returns -m.
func (m Mass) Neg() Mass { return Mass{}.Sub(m) }

// Cmp is -1, 0 or 1 as m is below, equal to or above o.
func (m Mass) Cmp(o Mass) int {
	switch {
	case m.hi < o.hi || m.hi == o.hi && m.lo < o.lo:
		return -1
	case m == o:
		return 0
	}
	return 1
}

// Sign is -1, 0 or 1.
func (m Mass) Sign() int { return m.Cmp(Mass{}) }

// IsZero reports whether m is 0.
func (m Mass) IsZero() bool { return m == Mass{} }

// String writes the micrograms in decimal digits.
func (m Mass) String() string { return string(m.Append(nil)) }

// Append appends the result of String.
func (m Mass) Append(b []byte) []byte {
	if m.hi == int64(m.lo)>>63 {
		return strconv.AppendInt(b, int64(m.lo), 10)
	}
	return m.Big().Append(b, 10)
}

// MarshalJSON writes kilograms as a number with exactly six decimals, rounded
// half-even.
func (m Mass) MarshalJSON() ([]byte, error) { return m.AppendKilograms(nil), nil }

// Kilograms is the text that MarshalJSON writes.
func (m Mass) Kilograms() string { return string(m.AppendKilograms(nil)) }

// AppendKilograms appends the result of Kilograms.
func (m Mass) AppendKilograms(b []byte) []byte {
	negative := m.hi < 0
	if negative {
		m = m.Neg()
	}
	var few [20]byte
	digits := few[:0]
	if m.hi == 0 {
		digits = strconv.AppendUint(digits, halfEven(m.lo, 1000), 10)
	} else {
		digits = fixed.Quo(m.Big(), big.NewInt(1000)).Append(digits, 10)
	}
	if negative && string(digits) != "0" {
		b = append(b, '-')
	}
	whole := max(len(digits)-6, 1)
	for i := range whole + 6 {
		if i == whole {
			b = append(b, '.')
		}
		if at := i - (whole + 6 - len(digits)); at >= 0 {
			b = append(b, digits[at])
		} else {
			b = append(b, '0')
		}
	}
	return b
}

// UnmarshalJSON reads a number of kilograms of at most nine decimals, without
// an exponent, such as MarshalJSON writes.
func (m *Mass) UnmarshalJSON(data []byte) error {
	digits, decimals, hasPoint := bytes.Cut(data, []byte("."))
	if hasPoint && len(decimals) == 0 || len(decimals) > 9 || len(data) > 60 {
		return ErrMass
	}
	whole := make([]byte, 0, len(digits)+9)
	whole = append(append(whole, digits...), decimals...)
	for range 9 - len(decimals) {
		whole = append(whole, '0')
	}
	v, err := ParseMicrograms(string(whole))
	if err != nil {
		return err
	}
	*m = v
	return nil
}

// halfEven returns n / d rounded half-even, for 0 < d < 2^63.
func halfEven(n, d uint64) uint64 {
	q, r := n/d, n%d
	if r > d-r || r == d-r && q&1 == 1 {
		q++
	}
	return q
}

// Share returns m × num / den rounded half-even to whole milligrams.
func (m Mass) Share(num, den int64) Mass {
	n := new(big.Int).Mul(m.Big(), big.NewInt(num))
	n = fixed.Quo(n, new(big.Int).Mul(big.NewInt(den), big.NewInt(1000)))
	return BigMass(n.Mul(n, big.NewInt(1000)))
}
