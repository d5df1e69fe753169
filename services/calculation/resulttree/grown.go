package resulttree

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
)

// mostAdded bounds how many contributions are added to the sum that there is; with more
// everything is added up anew.
const mostAdded = 32

// added returns what a node has come to count since it was stored. ok is false where that
// is not all the difference: it was made under another context or by another engine,
// something was withdrawn or is of other inputs, or it is not known what a child has
// come to count since the version that was added up.
func (r Recalculator) added(stored, node Node, parts []part) (added []json.RawMessage, ok bool) {
	if stored.ContextRev != node.ContextRev || !r.Arithmetic.Current(stored.Contribution) || len(node.Detail.Changed) > mostAdded {
		return nil, false
	}
	if node.Level == 0 && stored.Failures()+node.Failures() > 0 {
		return nil, false
	}
	for _, c := range node.Detail.Changed {
		switch {
		case c.Before.Key == "":
			i := slices.IndexFunc(parts, func(p part) bool { return p.key == c.After.Key })
			added = append(added, parts[i].contribution)
		case c.After.Key == "" || node.Level == 0:
			return nil, false
		default:
			below, err := node.child(c.After.Key)
			w := r.written[below]
			if err != nil || !w.grown || strconv.FormatInt(w.before, 10) != c.Before.Value || strconv.FormatInt(w.version, 10) != c.After.Value {
				return nil, false
			}
			added = append(added, w.added...)
		}
	}
	return added, len(added) <= mostAdded
}

// grown returns what a stored node of a higher level becomes where all that has changed
// below it are nodes that this pass has written, each of which is what it was and more. The
// others are not read: a child that somebody else has written meanwhile has a mark, or
// is in a later version of the node, which makes the write of this one fail. ok is false
// where it is not known that nothing else has changed, or which hashes the others have.
func (r Recalculator) grown(ev record.Event, stored Node) (node Node, added []json.RawMessage, ok bool) {
	if stored.Level == 0 || stored.ContextRev != ev.ContextRev || stored.Failures() > 0 || !r.Arithmetic.Current(stored.Contribution) {
		return Node{}, nil, false
	}
	hashes, known := r.hashes.Get(stored.Hash)
	if !known {
		return Node{}, nil, false
	}
	node = Node{Org: stored.Org, Event: stored.Event, NodeID: stored.NodeID, Version: stored.Version + 1, ContextRev: ev.ContextRev}
	node.Detail.Children = slices.Clone(stored.Detail.Children)
	hashes = slices.Clone(hashes)
	for id, w := range r.written {
		if id.Type != node.Type || id.Level != node.Level-1 || id.Index/r.Fanout != node.Index {
			continue
		}
		if !w.grown || !advance(node.Detail.Children, id.Index, w) {
			return Node{}, nil, false
		}
		at, there := slices.BinarySearchFunc(hashes, id.Index, func(c childHash, index int64) int { return cmp.Compare(c.index, index) })
		if !there {
			return Node{}, nil, false
		}
		hashes[at].hash = w.hash
		added = append(added, w.added...)
	}
	node.Detail.Changed = changesBetween(stored.Detail.Children, node.Detail.Children)
	if len(node.Detail.Changed) == 0 || len(added) > mostAdded {
		return Node{}, nil, false
	}
	node.Hash = hashOfChildren(node.Type, hashes)
	r.hashes.Put(node.Hash, hashes)
	return node, added, true
}

// advance brings the entry of a child to the version that was written, and reports whether
// it had the one before.
func advance(children []Child, index int64, w writtenNode) bool {
	child := Child{Key: strconv.FormatInt(index, 10), Value: strconv.FormatInt(w.version, 10)}
	at, there := slices.BinarySearchFunc(children, child, compareChildren)
	if !there || children[at].Value != strconv.FormatInt(w.before, 10) {
		return false
	}
	children[at] = child
	return true
}

// childHash is the hash of a child by its index.
type childHash struct {
	index int64
	hash  string
}

// hashOfChildren returns the hash of a node above level 0, whose children of a type are
// given in the order of their indices.
func hashOfChildren(typ string, children []childHash) string {
	inputs := sha256.New()
	for _, c := range children {
		HashNode(inputs, Node{NodeID: NodeID{Type: typ, Index: c.index}, Hash: c.hash})
	}
	return hex.EncodeToString(inputs.Sum(nil))
}

// keptHashes bounds the bytes of hashes that are remembered.
const keptHashes = 4 << 20

// newHashes returns a memory of which hashes of children make a hash. They are found by
// that hash, so nothing has to be invalidated.
func newHashes() *lru.Cache[string, []childHash] {
	const entry = 16 + 8 + 64 // a child with its hash in hexadecimal
	return lru.NewCosting[string](keptHashes, func(children []childHash) int { return 128 + entry*len(children) })
}
