// Package numbering locates the pages of a list whose items are numbered 1, 2, 3 …
// in order of creation, and whose deleted items keep their numbers.
//
// The deleted numbers are stored as bitmaps, one for each block of 1,024 numbers,
// together with the size of each. To locate a page these sizes are added up
// and the two bitmaps at its ends are read: the same work for every page.
package numbering

import "math/bits"

// BlockSize is how many consecutive numbers share a set.
const BlockSize = 1024

const wordBits = 64

// Words is how many words a Set has.
const Words = BlockSize / wordBits

// BlockOf returns the block of a number: 1 to BlockSize are in block 0.
func BlockOf(number int64) int64 { return (number - 1) / BlockSize }

// Bit returns the place of a number in the set of its block.
func Bit(number int64) (word, bit int) {
	at := int((number - 1) % BlockSize)
	return at / wordBits, at % wordBits
}

// Set holds deleted numbers of one block: bit n of word w says that the block's
// number w*64+n, counted from 0, is among them.
type Set [Words]uint64

// Add puts a number into the set of its block.
func (s *Set) Add(number int64) {
	word, bit := Bit(number)
	s[word] |= 1 << bit
}

// Has reports whether a number is in the set of its block.
func (s *Set) Has(number int64) bool {
	word, bit := Bit(number)
	return s[word]&(1<<bit) != 0
}

// Len returns how many numbers are in the set.
func (s *Set) Len() int64 {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return int64(n)
}

// Place is one of a block's numbers that are not deleted: the Nth of them from
// the lowest, which is 1.
type Place struct{ Block, Nth int64 }

// Number returns the number at a place, given the deleted ones of its block. ok is
// false where the block has no such place.
func (p Place) Number(deleted *Set) (number int64, ok bool) {
	left := p.Nth
	if left < 1 {
		return 0, false
	}
	for w, word := range deleted {
		there := int64(wordBits - bits.OnesCount64(word))
		if left > there {
			left -= there
			continue
		}
		for living := ^word; ; living &= living - 1 {
			if left--; left == 0 {
				return p.Block*BlockSize + int64(w*wordBits+bits.TrailingZeros64(living)) + 1, true
			}
		}
	}
	return 0, false
}

// Counts says for each block, from 0 on, how many of its numbers are deleted. It
// ends where no further block has any.
type Counts []uint16

// Set sets the count of a block.
func (c *Counts) Set(block, deleted int64) {
	for int64(len(*c)) <= block {
		*c = append(*c, 0)
	}
	(*c)[block] = uint16(deleted) //nolint:gosec // it is at most BlockSize
}

// Of returns the count of a block.
func (c Counts) Of(block int64) int64 {
	if block >= int64(len(c)) {
		return 0
	}
	return int64(c[block])
}

// Page is the part of a list that has skip newer items before it.
type Page struct {
	Total int64 // how many items the whole list has
	Count int64 // how many of them are in the page
	// Newest and Oldest are the ends of the page, inclusive. They are undefined if Count is 0.
	Newest, Oldest Place
}

// Page finds at most limit items, given the highest number of the list. skip and
// limit are not negative.
func (c Counts) Page(highest, skip, limit int64) Page {
	p := Page{Total: highest}
	for _, deleted := range c {
		p.Total -= int64(deleted)
	}
	if skip >= p.Total || limit <= 0 {
		return p
	}
	p.Count = min(limit, p.Total-skip)
	p.Newest = c.place(p.Total-skip, highest)
	p.Oldest = c.place(p.Total-skip-p.Count+1, highest)
	return p
}

// place finds the n-th item from the oldest, which is 1.
func (c Counts) place(n, highest int64) Place {
	// Numbers beyond the last count are all live.
	for block, deleted := range c {
		living := min(BlockSize, highest-int64(block)*BlockSize) - int64(deleted)
		if n <= living {
			return Place{Block: int64(block), Nth: n}
		}
		n -= living
	}
	beyond := int64(len(c))
	return Place{Block: beyond + (n-1)/BlockSize, Nth: (n-1)%BlockSize + 1}
}
