package eventreader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// maxFaults bounds the records named when a set lacks factors.
const maxFaults = 100

// Sums is what records come to under their event's context and another one.
type Sums struct {
	Now, Next total.Contribution
	// Faults name records that cannot be calculated under the next context.
	Faults []apperr.Detail
}

// segmentUnder is Sums of one segment with the given hash of inputs.
type segmentUnder struct {
	Sums
	hash string
}

// SumUnder adds up, under another context of its event, the records that the
// newest result of the event was calculated from. It holds the records of one segment at a time,
// so it serves an event of any size. That the records are those of the result
// is proven by the hash of each segment, and by those above it up to the
// result's. While records change, the segments that do not fit are read again.
func (r Reader) SumUnder(ctx context.Context, ev record.Event, next footprint.EventContext) (Sums, error) {
	org, event := ev.Org, ev.ID
	known, both := map[resulttree.NodeID]segmentUnder{}, false
	var sum Sums
	_, err := r.fitting(ctx, org, event, 0, func(result resulttree.Result, segments []resulttree.Node) (bool, error) {
		// A result of the event's own context has the sum under it already.
		if moved := result.ContextRev != ev.ContextRev; moved != both {
			clear(known)
			both = moved
		}
		fits, err := IsTreeOf(result, segments)
		if err != nil {
			return false, err
		}
		sum = Sums{}
		for _, n := range segments {
			if known[n.NodeID].hash != n.Hash {
				if known[n.NodeID], err = r.segmentUnder(ctx, ev, n, next, both); err != nil {
					return false, err
				}
			}
			part := known[n.NodeID]
			fits = fits && part.hash == n.Hash
			sum.Now, sum.Next = sum.Now.Add(part.Now), sum.Next.Add(part.Next)
			if room := maxFaults - len(sum.Faults); room > 0 {
				sum.Faults = append(sum.Faults, part.Faults[:min(room, len(part.Faults))]...)
			}
		}
		if fits && !both {
			sum.Now, err = result.Sum()
		}
		return fits, err
	})
	if err != nil {
		return Sums{}, err
	}
	return sum, nil
}

// segmentUnder reads and adds up the counted records of a node of level 0; in the event's own context only if both is
// set: the newest result may have it.
func (r Reader) segmentUnder(ctx context.Context, ev record.Event, n resulttree.Node, next footprint.EventContext, both bool) (segmentUnder, error) {
	read, err := r.Segment(ctx, ev.Org, ev.ID, n)
	if err != nil {
		return segmentUnder{}, err
	}
	sum := segmentUnder{hash: read.Hash}
	if both {
		if sum.Now, _, err = evaluateAll(ctx, read.Counted, ev.Context()); err != nil {
			return segmentUnder{}, err
		}
	}
	sum.Next, sum.Faults, err = evaluateAll(ctx, read.Counted, next)
	return sum, err
}

// IsTreeOf reports whether the segments, in the order of Nodes, are those of the result's hash.
func IsTreeOf(r resulttree.Result, segments []resulttree.Node) (bool, error) {
	nodes := segments
	for level := range resulttree.TopLevel {
		var above []resulttree.Node
		inputs := sha256.New()
		for i, n := range nodes {
			resulttree.HashNode(inputs, n)
			parent := resulttree.NodeID{Type: n.Type, Level: level + 1, Index: n.Index / resulttree.Fanout}
			if i+1 == len(nodes) || nodes[i+1].Type != n.Type || nodes[i+1].Index/resulttree.Fanout != parent.Index {
				above = append(above, resulttree.Node{NodeID: parent, Hash: hex.EncodeToString(inputs.Sum(nil))})
				inputs.Reset()
			}
		}
		nodes = above
	}
	inputs := sha256.New()
	if err := bundle.HashContext(inputs, r.Context); err != nil {
		return false, err
	}
	for _, n := range nodes {
		resulttree.HashNode(inputs, n)
	}
	return hex.EncodeToString(inputs.Sum(nil)) == r.InputsHash, nil
}

// yieldAfter is the number of records between yields.
const yieldAfter = 64

// evaluateAll adds up records in a context, and returns those without a factor in it.
func evaluateAll(ctx context.Context, counted []record.Counted, ev footprint.EventContext) (sum total.Contribution, faults []apperr.Detail, err error) {
	parts := make([]total.Contribution, 0, len(counted))
	for i, c := range counted {
		if i%yieldAfter == 0 { // before the first as well, after reading them
			if err := fairshare.Yield(ctx); err != nil {
				return sum, nil, err
			}
		}
		evaluation, err := footprint.Evaluate(c.Type, c.Fields, ev)
		if err != nil {
			if len(faults) < maxFaults {
				faults = append(faults, apperr.Detail{Field: "factorSet", Code: footprint.FactorUnavailable,
					Message: fmt.Sprintf("The %s record %s has no factor in %s.", c.Type, c.ID, ev.FactorSet)})
			}
			continue
		}
		parts = append(parts, total.Of(&evaluation))
	}
	return total.Sum(parts...), faults, nil
}
