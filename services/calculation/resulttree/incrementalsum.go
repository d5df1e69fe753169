package resulttree

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/lru"
)

// mostMoved bounds how many contributions are added to the sum that there is, or taken from
// it; with more everything is added up anew.
const mostMoved = 32

// difference returns how a node that was read whole differs from what is stored. It is nil
// where that is not known: the stored one was made under another context or by another engine,
// something failed, records were withdrawn or are of other inputs, or it is not known how
// a child differs from the version that was added up.
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

// grown sets what a stored node of a higher level becomes where all that has changed
// below it are nodes that this pass has written, of each of which it is known how it differs
// from what it was. The others are not read: a child that somebody else has written meanwhile has a mark, or
// is in a later version of the node, which makes the write of this one fail. It is false
// where it is not known that nothing else has changed, or which hashes the others have.
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

// newHashes returns a memory of which hashes of children make a hash. They are found by
// that hash, so nothing has to be invalidated.
func newHashes() *lru.Cache[string, []childHash] {
	const entry = 16 + 8 + 64 // a child with its hash in hexadecimal
	return lru.NewCosting[string](keptHashes, func(children []childHash) int { return 128 + entry*len(children) })
}
