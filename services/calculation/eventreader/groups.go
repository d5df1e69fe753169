package eventreader

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Groups is a streaming form of Inputs: of is called with the counted records
// of one segment after the other, and its results are returned, in the order of
// types and numbers. If a segment has changed since, it is read, and of called, again; if
// the context of the event has changed, all of them are.
func Groups[T any](ctx context.Context, r Reader, org record.OrgID, event record.EventID, limits Limits,
	of func(resulttree.Result, []record.Counted) (T, error),
) (resulttree.Result, []T, error) {
	type group struct {
		made  T
		hash  string
		bytes int
	}
	made := map[resulttree.NodeID]group{}
	context := int64(-1)
	for attempt := range matchAttempts {
		if attempt > 0 {
			if err := Pause(ctx); err != nil {
				return resulttree.Result{}, nil, err
			}
		}
		result, err := r.Results.Result(ctx, org, event)
		if err != nil {
			return result, nil, err
		}
		if err := tooMany(result, limits.Records); err != nil {
			return result, nil, err
		}
		if result.ContextRev != context {
			clear(made)
			context = result.ContextRev
		}
		nodes, err := r.Results.Nodes(ctx, org, event, "", 0, 0, math.MaxInt64)
		if err != nil {
			return result, nil, err
		}
		fits, err := IsTreeOf(result, nodes)
		if err != nil {
			return result, nil, err
		}
		slices.SortStableFunc(nodes, func(a, b resulttree.Node) int {
			return cmp.Or(cmp.Compare(footprint.OrderOf(a.Type), footprint.OrderOf(b.Type)), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Index, b.Index))
		})
		all, size := make([]T, 0, len(nodes)), 0
		for _, n := range nodes {
			g, known := made[n.NodeID]
			if fits && (!known || g.hash != n.Hash) {
				segment, err := r.Segment(ctx, org, event, n)
				if err != nil {
					return result, nil, err
				}
				if fits = segment.Hash == n.Hash; fits {
					g = group{hash: segment.Hash}
					for _, c := range segment.Counted {
						g.bytes += len(c.Fields)
					}
					if g.made, err = of(result, segment.Counted); err != nil {
						return result, nil, err
					}
					made[n.NodeID] = g
				}
			}
			if size += g.bytes; size > limits.Bytes {
				return result, nil, tooLarge("The inputs of the event are larger than %d MiB; no more are handled in one answer.", limits.Bytes>>20)
			}
			all = append(all, g.made)
		}
		if fits {
			return result, all, nil
		}
	}
	return resulttree.Result{}, nil, Changing()
}
