package resulttree

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
)

// The hash over inputs is defined in libs/bundle, where it is verified.

// hashPart adds one value to h.
func hashPart(h hash.Hash, value string) { bundle.HashPart(h, value) }

// HashRecord adds to h what of a record its contribution depends on.
func HashRecord(h hash.Hash, c record.Counted) { bundle.HashInput(h, string(c.ID), c.Type, c.Fields) }

// inputOf appends what HashRecord adds.
func inputOf(to []byte, c record.Counted) []byte {
	return bundle.AppendInput(to, string(c.ID), c.Type, c.Fields)
}

// shortHash distinguishes the input of a record, as inputOf gives it, from one revision
// to the next.
func shortHash(input []byte) string {
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:8])
}

// isShortHash reports whether a text is the shortHash of an input.
func isShortHash(text string, input []byte) bool {
	sum := sha256.Sum256(input)
	var short [16]byte
	hex.Encode(short[:], sum[:8])
	return text == string(short[:])
}

// hashOf returns the hash of a node whose children are of these inputs.
func hashOf(inputs []byte) string {
	sum := sha256.Sum256(inputs)
	return hex.EncodeToString(sum[:])
}

// emptyGroup is the hash of a node under which nothing counts.
var emptyGroup = bundle.EmptyGroup()

// HashNode adds a node to the hash of its parent. A node under which nothing counts
// is left out, so that the hash is one of what counts and not of what once did.
func HashNode(h hash.Hash, n Node) {
	if n.Hash != emptyGroup {
		bundle.HashChild(h, n.Type, n.Index, n.Hash)
	}
}
