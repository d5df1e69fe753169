package fixed

import (
	"math/big"
	"math/bits"
	"strconv"
)

// group is the largest power of ten in 64 bits; groupDigits is the number of its zeros.
const (
	group       = 10_000_000_000_000_000_000
	groupDigits = 19
)

// AppendInt appends the decimal digits of n. For numbers of at most 256 bits it needs no memory but that of b.
func AppendInt(b []byte, n *big.Int) []byte {
	words := n.Bits()
	if bits.UintSize != 64 || len(words) > 4 || n.Sign() < 0 {
		return n.Append(b, 10)
	}
	var left [4]uint64
	for i, w := range words {
		left[i] = uint64(w)
	}
	var groups [5]uint64 // the last ones first
	count := 0
	for long := len(words); long > 0; count++ {
		var rest uint64
		for i := long - 1; i >= 0; i-- {
			left[i], rest = bits.Div64(rest, left[i], group)
		}
		groups[count] = rest
		for long > 0 && left[long-1] == 0 {
			long--
		}
	}
	b = strconv.AppendUint(b, groups[max(count-1, 0)], 10)
	for i := count - 2; i >= 0; i-- {
		var few [groupDigits]byte
		digits := strconv.AppendUint(few[:0], groups[i], 10)
		b = append(b, "0000000000000000000"[len(digits):]...)
		b = append(b, digits...)
	}
	return b
}
