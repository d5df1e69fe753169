// Package compact encodes values in a compact binary form that can be decoded without
// parsing text. It is for derived data, which can be recomputed: a format cannot be
// extended, and a change of its contents requires another format number.
package compact

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// Coder writes values to bytes, or reads them: the same calls in the same order do both, so that encoding and
// decoding cannot differ. Decoded texts are substrings of the input and need no allocation.
type Coder struct {
	reading bool
	bad     bool

	out   []byte
	texts []string
	index map[string]uint64 // of texts, while writing

	in string
	// present is the bit set of a group's nonzero values; at is its position.
	present uint64
	at, bit int
}

// NewWriter returns a Coder that writes.
func NewWriter() *Coder { return &Coder{index: map[string]uint64{}} }

// NewReader returns a Coder that decodes the output of Bytes. OK reports whether the input was valid.
func NewReader(data string) *Coder {
	c := &Coder{reading: true, in: data}
	n := c.Len(0)
	c.texts = make([]string, 0, n)
	for range n {
		var text string
		c.Raw(&text)
		c.texts = append(c.texts, text)
	}
	return c
}

// Reading reports whether values are read.
func (c *Coder) Reading() bool { return c.reading }

// OK reports whether everything so far could be read or written.
func (c *Coder) OK() bool { return !c.bad }

// Ended reports whether the whole input was read without error.
func (c *Coder) Ended() bool { return !c.bad && c.in == "" }

// Bytes returns the encoding: the texts, then the values.
func (c *Coder) Bytes() []byte {
	size := binary.MaxVarintLen64 + len(c.out)
	for _, text := range c.texts {
		size += binary.MaxVarintLen32 + len(text)
	}
	all := binary.AppendUvarint(make([]byte, 0, size), uint64(len(c.texts)))
	for _, text := range c.texts {
		all = append(binary.AppendUvarint(all, uint64(len(text))), text...)
	}
	return append(all, c.out...)
}

// uint reads or writes a number.
func (c *Coder) uint(n uint64) uint64 {
	if !c.reading {
		c.out = binary.AppendUvarint(c.out, n)
		return n
	}
	n = 0
	for i := 0; i < len(c.in) && i < binary.MaxVarintLen64; i++ {
		b := c.in[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			c.in = c.in[i+1:]
			return n
		}
	}
	c.bad, c.in = true, ""
	return 0
}

// Len codes the number of values that follow. Each takes at least a byte, so that damaged input cannot cause large
// allocations.
func (c *Coder) Len(n int) int {
	got := c.uint(uint64(n))
	if c.reading && got > uint64(len(c.in)) {
		c.bad, c.in = true, ""
		return 0
	}
	return int(got)
}

// Int reads or writes a number.
func (c *Coder) Int(n *int64) {
	u := c.uint(uint64(*n)<<1 ^ uint64(*n>>63))
	if c.reading {
		*n = int64(u>>1) ^ -int64(u&1)
	}
}

// Raw reads or writes a text that rarely repeats.
func (c *Coder) Raw(text *string) {
	n := c.Len(len(*text))
	if !c.reading {
		c.out = append(c.out, *text...)
		return
	}
	*text, c.in = c.in[:n], c.in[n:]
}

// Text reads or writes a text that repeats: it is stored once.
func (c *Coder) Text(text *string) {
	if c.reading {
		at := c.uint(0)
		if at >= uint64(len(c.texts)) {
			c.bad, c.in, *text = true, "", ""
			return
		}
		*text = c.texts[at]
		return
	}
	at, known := c.index[*text]
	if !known {
		at = uint64(len(c.texts))
		c.index[*text], c.texts = at, append(c.texts, *text)
	}
	c.uint(at)
}

// Mass reads or writes a mass.
func (c *Coder) Mass(m *footprint.Mass) {
	hi, lo := m.Words()
	low, words := int64(lo), uint64(0)
	if hi != low>>63 {
		words = 1
	}
	switch c.uint(words) {
	case 0:
		c.Int(&low)
		*m = footprint.MassOf(low)
	case 1:
		c.Int(&hi)
		c.Int(&low)
		*m = footprint.MassOfWords(hi, uint64(low))
	default:
		c.bad, c.in = true, ""
	}
}

// Decimal reads or writes a decimal.
func (c *Coder) Decimal(d *decimal.Decimal) {
	coefficient, scale := d.Coefficient(), int64(d.Scale())
	c.Int(&coefficient)
	c.Int(&scale)
	if !c.reading {
		return
	}
	if scale < 0 || scale > decimal.MaxScale || coefficient == math.MinInt64 {
		c.bad, c.in = true, ""
		return
	}
	*d = decimal.New(coefficient, int(scale))
}

// Big reads or writes a number that is not negative, or nil.
func (c *Coder) Big(n **big.Int) {
	if !c.reading {
		if *n == nil {
			c.uint(0)
			return
		}
		c.bad = c.bad || (*n).Sign() < 0
		digits := (*n).Bytes()
		c.uint(uint64(len(digits)) + 1)
		c.out = append(c.out, digits...)
		return
	}
	size := c.uint(0)
	if size == 0 {
		*n = nil
		return
	}
	if size-1 > uint64(len(c.in)) {
		c.bad, c.in, *n = true, "", nil
		return
	}
	*n = new(big.Int).SetBytes([]byte(c.in[:size-1]))
	c.in = c.in[size-1:]
}

// mostPresent is how many values a group may have.
const mostPresent = 64

// Group begins a group of values, of which only nonzero ones are written.
func (c *Coder) Group() {
	c.bit = 0
	if !c.reading {
		c.at, c.present = len(c.out), 0
		c.out = append(c.out, make([]byte, mostPresent/8)...)
		return
	}
	c.present = 0
	if len(c.in) < mostPresent/8 {
		c.bad, c.in = true, ""
		return
	}
	for i := range mostPresent / 8 {
		c.present |= uint64(c.in[i]) << (8 * i)
	}
	c.in = c.in[mostPresent/8:]
}

// Has codes whether the next value of a group follows.
func (c *Coder) Has(has bool) bool {
	bit := uint64(1) << c.bit
	c.bit++
	if c.bit > mostPresent {
		c.bad = true
	}
	if c.reading {
		return c.present&bit != 0
	}
	if has {
		c.present |= bit
		binary.LittleEndian.PutUint64(c.out[c.at:], c.present)
	}
	return has
}
