// Package ids makes the identifiers of the API: 130 bits in 26 characters of
// Crockford's base 32 in lower case, which has no i, l, o and u, because people
// misread them. They are safe in a path and cannot be guessed.
package ids

import (
	"crypto/rand"
	"crypto/sha256"
)

const (
	alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	length   = 26
)

// New returns a random identifier.
func New() string {
	var b [length]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	for i := range b {
		b[i] = alphabet[b[i]&31]
	}
	return string(b[:])
}

// Derive returns the identifier of a text, the same each time. It can be guessed
// by whoever can guess the text.
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
