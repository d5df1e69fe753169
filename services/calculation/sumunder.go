package calculation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// maxFaults bounds the records named when a set lacks factors.
const maxFaults = 100

// underBoth is what records come to under their event's context and another one.
type underBoth struct {
	now, next footprint.Contribution
	// faults name records that cannot be calculated under the next context.
	faults []apperr.Detail
}

// segmentUnder is underBoth of one segment, whose inputs had a hash.
type segmentUnder struct {
	underBoth
	hash string
}

// sumUnder adds up, under another context of its event, the records that the
// newest result of the event was calculated from. It holds the records of one segment at a time,
// so it serves an event of any size. That the records are those of the result
// is proven by the hash of each segment, and by those above it up to the
// result's. While records change, the segments that do not fit are read again.
func (s *server) sumUnder(ctx context.Context, ev record.Event, next footprint.EventContext) (underBoth, error) {
	org, event := ev.Org, ev.ID
	known, both := map[NodeID]segmentUnder{}, false
	for attempt := range matchAttempts {
		if attempt > 0 {
			if err := pause(ctx, matchPause); err != nil {
				return underBoth{}, err
			}
		}
		result, err := s.Results.Result(ctx, org, event)
		if err != nil {
			return underBoth{}, err
		}
		// A result of the event's own context has the sum under it already.
		if moved := result.ContextRev != ev.ContextRev; moved != both {
			clear(known)
			both = moved
		}
		segments, err := s.Results.Nodes(ctx, org, event, "", 0, 0, math.MaxInt64)
		if err != nil {
			return underBoth{}, err
		}
		fits, err := isTreeOf(result, segments)
		if err != nil {
			return underBoth{}, err
		}
		var sum underBoth
		for _, n := range segments {
			if known[n.NodeID].hash != n.Hash {
				if known[n.NodeID], err = s.segmentUnder(ctx, ev, n, next, both); err != nil {
					return underBoth{}, err
				}
			}
			part := known[n.NodeID]
			fits = fits && part.hash == n.Hash
			sum.now, sum.next = sum.now.Add(part.now), sum.next.Add(part.next)
			if room := maxFaults - len(sum.faults); room > 0 {
				sum.faults = append(sum.faults, part.faults[:min(room, len(part.faults))]...)
			}
		}
		if fits && !both {
			sum.now = footprint.Contribution{}
			err = json.Unmarshal(result.Contribution, &sum.now)
		}
		if fits {
			return sum, err
		}
	}
	return underBoth{}, &apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
		Message: "The records of the event are changing, so that no result stands still. Please try again in a moment."}
}

// segmentUnder reads and adds up the counted records of a node of level 0; under
// the event's own context only where both is wanted: the newest result may know.
func (s *server) segmentUnder(ctx context.Context, ev record.Event, n Node, next footprint.EventContext, both bool) (segmentUnder, error) {
	read, err := s.segment(ctx, ev.Org, ev.ID, n)
	if err != nil {
		return segmentUnder{}, err
	}
	sum := segmentUnder{hash: read.hash}
	if both {
		sum.now, _ = evaluateAll(read.counted, ev.Context())
	}
	sum.next, sum.faults = evaluateAll(read.counted, next)
	return sum, nil
}

// isTreeOf says whether the segments, in the order of Nodes, are those whose
// hashes grew into the result's.
func isTreeOf(r Result, segments []Node) (bool, error) {
	nodes := segments
	for level := range topLevel {
		var above []Node
		inputs := sha256.New()
		for i, n := range nodes {
			hashNode(inputs, n)
			parent := NodeID{Type: n.Type, Level: level + 1, Index: n.Index / Fanout}
			if i+1 == len(nodes) || nodes[i+1].Type != n.Type || nodes[i+1].Index/Fanout != parent.Index {
				above = append(above, Node{NodeID: parent, Hash: hex.EncodeToString(inputs.Sum(nil))})
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
		hashNode(inputs, n)
	}
	return hex.EncodeToString(inputs.Sum(nil)) == r.InputsHash, nil
}

// evaluateAll adds up records under a context, and names those that have no
// factor there.
func evaluateAll(counted []record.Counted, ev footprint.EventContext) (footprint.Contribution, []apperr.Detail) {
	parts := make([]footprint.Contribution, 0, len(counted))
	var faults []apperr.Detail
	for _, c := range counted {
		evaluation, err := footprint.Evaluate(c.Type, c.Fields, ev)
		if err != nil {
			if len(faults) < maxFaults {
				faults = append(faults, apperr.Detail{Field: "factorSet", Code: footprint.FactorUnavailable,
					Message: fmt.Sprintf("The %s record %s has no factor in %s.", c.Type, c.ID, ev.FactorSet)})
			}
			continue
		}
		parts = append(parts, evaluation.Contribution)
	}
	return footprint.Sum(parts...), faults
}
