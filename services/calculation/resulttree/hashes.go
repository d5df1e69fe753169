package resulttree

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strconv"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
)

// The hash over inputs is defined in libs/bundle, where it is verified.

// Digest returns the hash of the content of a revision and of the Digest of the previous one; the
// next revision refers to it by this hash. Retention sums up causes, and writers that come to the same
// content raise the version: neither is in it.
func (r Result) Digest() string {
	h := sha256.New()
	context, _ := json.Marshal(r.Context) // only strings, numbers and booleans: it never fails
	for _, value := range []string{
		"result", string(r.Org), string(r.Event), strconv.FormatInt(r.Revision, 10), strconv.FormatInt(r.ContextRev, 10), string(context),
		string(r.Contribution), strconv.FormatInt(r.Failures(), 10), r.EngineVersion, r.InputsHash, r.CalculatedAt.UTC().Format(time.RFC3339Nano), r.Previous,
	} {
		bundle.HashPart(h, value)
	}
	for _, id := range r.Failed {
		bundle.HashPart(h, string(id))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// HashRecord adds to h what of a record its contribution depends on.
func HashRecord(h hash.Hash, c record.Counted) { bundle.HashInput(h, string(c.ID), c.Type, c.Fields) }

// inputOf appends the bytes that HashRecord hashes.
func inputOf(to []byte, c record.Counted) []byte {
	return bundle.AppendInput(to, string(c.ID), c.Type, c.Fields)
}

// shortHash distinguishes the input of a record, from inputOf, between revisions.
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

// hashOf returns the hash of a node whose children have these inputs.
func hashOf(inputs []byte) string {
	sum := sha256.Sum256(inputs)
	return hex.EncodeToString(sum[:])
}

// emptyGroup is the hash of an empty node.
var emptyGroup = bundle.EmptyGroup()

// HashNode adds a node to the hash of its parent. A node under which nothing counts
// is left out, so that the hash is one of what counts and not of what once did.
func HashNode(h hash.Hash, n Node) {
	if n.Hash != emptyGroup {
		bundle.HashChild(h, n.Type, n.Index, n.Hash)
	}
}
