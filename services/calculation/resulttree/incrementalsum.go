package resulttree

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/lru"
)

// mostMoved bounds how many contributions are added to or subtracted from the stored sum; with more the sum is
// recalculated.
const mostMoved = 32

// difference returns the difference of a completely read node from the stored one. It is nil if unknown: the stored
// one is of another context or engine, something failed, records were withdrawn or have other inputs, or the
// difference of a child is unknown.
func (r Recalculator) difference(stored, node Node, parts []part) *difference {
	if stored.ContextRev != node.ContextRev || !r.Arithmetic.Current(stored.Contribution) || len(node.Detail.Changed) > mostMoved {
		return nil
	}
	if node.Level == 0 && stored.Failures()+node.Failures() > 0 {
		return nil
	}
	by := &difference{}
	for _, c := range node.Detail.Changed {
		switch {
		case c.Before.Key == "":
			i := slices.IndexFunc(parts, func(p part) bool { return p.key == c.After.Key })
			by.more = append(by.more, parts[i].contribution)
		case c.After.Key == "" || node.Level == 0:
			return nil
		default:
			below, err := node.child(c.After.Key)
			w := r.written[below]
			if err != nil || w.by == nil || strconv.FormatInt(w.before, 10) != c.Before.Value || strconv.FormatInt(w.version, 10) != c.After.Value {
				return nil
			}
			by.add(w.by)
		}
	}
	if by.size() > mostMoved {
		return nil
	}
	return by
}

func (d *difference) add(other *difference) {
	d.more, d.gone = append(d.more, other.more...), append(d.gone, other.gone...)
}

// grown updates a stored node of a higher level if all changes below it are nodes written in this pass with known
// differences. The others are not read: a child written meanwhile by another process has a mark, or is in a later
// version of the node, which makes this write fail. It returns false if other changes are possible, or the hashes of
// the others are unknown.
func (r Recalculator) grown(stored Node, d *draft) bool {
	hashes, known := r.hashes.Get(stored.Hash)
	if !known {
		return false
	}
	node := &d.node
	node.Detail.Children = slices.Clone(stored.Detail.Children)
	hashes = slices.Clone(hashes)
	for id, w := range r.written {
		if id.Type != node.Type || id.Level != node.Level-1 || id.Index/r.Fanout != node.Index {
			continue
		}
		if w.by == nil || !advance(node.Detail.Children, id.Index, w) {
			return false
		}
		at, there := slices.BinarySearchFunc(hashes, id.Index, func(c childHash, index int64) int { return cmp.Compare(c.index, index) })
		if !there {
			return false
		}
		hashes[at].hash = w.hash
		d.by.add(w.by)
	}
	node.Detail.Changed = changesBetween(stored.Detail.Children, node.Detail.Children)
	if len(node.Detail.Changed) == 0 || d.by.size() > mostMoved {
		return false
	}
	node.Hash = hashOfChildren(node.Type, hashes)
	r.hashes.Put(node.Hash, hashes)
	return true
}

// advance updates the entry of a child to the written version, and reports whether it had the previous one.
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

// hashOfChildren returns the hash of a node above level 0, whose children of a type are sorted by index.
func hashOfChildren(typ string, children []childHash) string {
	const most = len("00:00:00000064:") + 2*sha256.Size
	inputs := make([]byte, 0, len(children)*(most+len(typ)))
	for _, c := range children {
		if c.hash != emptyGroup {
			inputs = bundle.AppendChild(inputs, typ, c.index, c.hash)
		}
	}
	return hashOf(inputs)
}

// keptHashes bounds the bytes of hashes that are remembered.
const keptHashes = 4 << 20

// newHashes returns a cache of the children's hashes by their combined hash, so that nothing needs invalidation.
func newHashes() *lru.Cache[string, []childHash] {
	const entry = 16 + 8 + 64 // a child with its hash in hexadecimal
	return lru.NewCosting[string](keptHashes, func(children []childHash) int { return 128 + entry*len(children) })
}
