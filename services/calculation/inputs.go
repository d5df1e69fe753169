package calculation

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
)

// The hash over inputs is defined in libs/bundle, where it is verified.

// hashPart adds one value.
func hashPart(h hash.Hash, value string) { bundle.HashPart(h, value) }

// hashRecord adds what of a record its contribution depends on.
func hashRecord(h hash.Hash, c record.Counted) { bundle.HashInput(h, string(c.ID), c.Type, c.Fields) }

// shortHash tells the inputs of one record apart from one revision to the next.
func shortHash(c record.Counted) string {
	h := sha256.New()
	hashRecord(h, c)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// hashNode adds a node to what is above it. A node under which nothing counts
// is left out, so that the hash is one of what counts and not of what once did.
func hashNode(h hash.Hash, n Node) {
	if n.Hash != bundle.EmptyGroup() {
		bundle.HashChild(h, n.Type, n.Index, n.Hash)
	}
}
