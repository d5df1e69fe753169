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

// shortHash distinguishes the inputs of a record from one revision to the next.
func shortHash(c record.Counted) string {
	h := sha256.New()
	HashRecord(h, c)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// HashNode adds a node to the hash of its parent. A node under which nothing counts
// is left out, so that the hash is one of what counts and not of what once did.
func HashNode(h hash.Hash, n Node) {
	if n.Hash != bundle.EmptyGroup() {
		bundle.HashChild(h, n.Type, n.Index, n.Hash)
	}
}
