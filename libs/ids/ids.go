// Package ids generates the identifiers of the API: 130 bits in 26 characters of
// Crockford's base 32 in lower case, which omits i, l, o and u, because people
// misread them. They are safe in a path and cannot be guessed.
package ids

import (
	"crypto/rand"
	"crypto/sha256"
	mathrand "math/rand/v2"
	"sync/atomic"
)

const (
	alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	length   = 26

	// shared is how many characters the identifiers of a group have in common: 50 random
	// bits, so that groups do not meet. The 80 bits after them are each identifier's own.
	shared = 10
	// groupSize is the number of identifiers in a group: about as many entries as fit on a page of an index.
	groupSize = 64
)

// group is the beginning of the identifiers that NewGrouped is making.
type group struct {
	begin [shared]byte
	used  atomic.Int32
}

var current atomic.Pointer[group]

// New returns a random identifier.
func New() string {
	var b [length]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	for i := range b {
		b[i] = alphabet[b[i]&31]
	}
	return string(b[:])
}

// pairs holds every pair of letters, so that NewRequest appends two letters at a time.
var pairs = func() (all [len(alphabet) * len(alphabet)][2]byte) {
	for i := range all {
		all[i] = [2]byte{alphabet[i%len(alphabet)], alphabet[i/len(alphabet)]}
	}
	return all
}()

// NewRequest returns a random identifier of a request. It uses a faster generator than New,
// because guessing it gains nothing.
func NewRequest() string {
	var b [length]byte
	for i := 0; i < length; {
		bits := mathrand.Uint64() //nolint:gosec // it is no secret
		for left := 6; left > 0 && i < length; bits, left, i = bits>>10, left-1, i+2 {
			copy(b[i:], pairs[bits&1023][:])
		}
	}
	return string(b[:])
}

// NewGrouped returns a random identifier for objects stored in large numbers. It has the same prefix as up to 63
// others created just before or after it by the same process, so that they are adjacent in an index, which needs
// fewer page writes. It reveals neither another identifier nor the time.
func NewGrouped() string {
	g := current.Load()
	for g == nil || g.used.Add(1) > groupSize {
		next := &group{}
		copy(next.begin[:], New())
		next.used.Store(1)
		if current.CompareAndSwap(g, next) {
			g = next
			break
		}
		g = current.Load()
	}
	return string(g.begin[:]) + New()[shared:]
}

// Derive returns the identifier of a text, the same each time. It is as hard to guess
// as the text.
func Derive(text string) string {
	sum := sha256.Sum256([]byte(text))
	var b [length]byte
	for i := range b {
		// Five bits from bit 5i on, the most significant first.
		at, shift := 5*i/8, 5*i%8
		pair := uint16(sum[at])<<8 | uint16(sum[at+1])
		b[i] = alphabet[pair>>(11-shift)&31]
	}
	return string(b[:])
}
