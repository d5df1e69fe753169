package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Tree describes the Merkle tree over all inputs. The records of each type are
// divided into groups of Fanout consecutive numbers (1 to Fanout, and so on); a
// group's hash covers id, type and fields of each of its records. Groups are
// grouped by Fanout in the same way, Levels times in all. The root
// covers the context and the groups of the last level. A group without a counted
// record is omitted. Hashes are SHA-256 in hexadecimal, and each hashed value
// is preceded by its length and a colon.
type Tree struct {
	Fanout int64 `json:"fanout"`
	Levels int   `json:"levels"`
}

// HashPart adds one value to a hash, prefixed with its length, so that different lists of values never have the same
// bytes.
func HashPart(h hash.Hash, value string) {
	_, _ = h.Write(appendPart(nil, value))
}

// appendPart appends the bytes that HashPart adds.
func appendPart[T string | json.RawMessage](to []byte, value T) []byte {
	return append(append(strconv.AppendInt(to, int64(len(value)), 10), ':'), value...)
}

// HashInput adds the parts of a record that its contribution depends on. The revision is excluded on purpose: a
// record that was reopened and approved unchanged has the same hash.
func HashInput(h hash.Hash, id, typ string, fields json.RawMessage) {
	_, _ = h.Write(AppendInput(nil, id, typ, fields))
}

// AppendInput appends the bytes that HashInput hashes, for use with several hashes.
func AppendInput[T string | json.RawMessage](to []byte, id, typ string, fields T) []byte {
	return appendPart(appendPart(appendPart(to, id), typ), fields)
}

// HashChild adds one group to the hash of the group above it.
func HashChild(h hash.Hash, typ string, index int64, childHash string) {
	_, _ = h.Write(AppendChild(nil, typ, index, childHash))
}

// AppendChild appends the bytes that HashChild adds.
func AppendChild(to []byte, typ string, index int64, childHash string) []byte {
	return appendPart(appendPart(appendPart(to, typ), strconv.FormatInt(index, 10)), childHash)
}

// EmptyGroup is the hash of a group without a counted record.
func EmptyGroup() string { return sum256(nil) }

// HashContext adds the context of the event to the hash of the root. Its text
// is the JSON of footprint.EventContext.
func HashContext(h hash.Hash, ev footprint.EventContext) error {
	text, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	HashPart(h, string(text))
	return nil
}

func inputHash(in Input) string {
	h := sha256.New()
	HashInput(h, in.ID, in.Type, in.Fields)
	return hex.EncodeToString(h.Sum(nil))
}

func sum256(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// group is a node of the tree.
type group struct {
	typ   string
	index int64
	hash  hash.Hash
}

// Root returns the hash over all inputs; empty for a tree that cannot be.
func (t Tree) Root(ev footprint.EventContext, inputs []Input) string {
	h := sha256.New()
	if err := HashContext(h, ev); err != nil || t.Fanout < 1 || t.Levels < 1 || t.Levels > maxLevels {
		return ""
	}
	ordered := slices.Clone(inputs)
	slices.SortStableFunc(ordered, func(a, b Input) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), cmp.Compare(a.Seq, b.Seq))
	})
	var groups []group
	for _, in := range ordered {
		groups = join(groups, in.Type, (in.Seq-1)/t.Fanout)
		HashInput(groups[len(groups)-1].hash, in.ID, in.Type, in.Fields)
	}
	for range t.Levels - 1 {
		var above []group
		for _, g := range groups {
			above = join(above, g.typ, g.index/t.Fanout)
			HashChild(above[len(above)-1].hash, g.typ, g.index, g.sum())
		}
		groups = above
	}
	for _, g := range groups {
		HashChild(h, g.typ, g.index, g.sum())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maxLevels bounds the levels that are accepted: a tree of more would have more records than can exist.
const maxLevels = 8

func (g group) sum() string { return hex.EncodeToString(g.hash.Sum(nil)) }

// join adds a group unless it is the last one.
func join(groups []group, typ string, index int64) []group {
	if n := len(groups); n > 0 && groups[n-1].typ == typ && groups[n-1].index == index {
		return groups
	}
	return append(groups, group{typ, index, sha256.New()})
}
