package eventreader

import (
	"cmp"
	"context"
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
	contextRev := int64(-1)
	var all []T
	result, err := r.fitting(ctx, org, event, limits.Records, func(result resulttree.Result, segments []resulttree.Node) (bool, error) {
		if result.ContextRev != contextRev {
			clear(made)
			contextRev = result.ContextRev
		}
		fits, err := IsTreeOf(result, segments)
		if err != nil {
			return false, err
		}
		slices.SortStableFunc(segments, func(a, b resulttree.Node) int {
			return cmp.Or(cmp.Compare(footprint.OrderOf(a.Type), footprint.OrderOf(b.Type)), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Index, b.Index))
		})
		all = make([]T, 0, len(segments))
		size := 0
		for _, n := range segments {
			g, known := made[n.NodeID]
			if fits && (!known || g.hash != n.Hash) {
				segment, err := r.Segment(ctx, org, event, n)
				if err != nil {
					return false, err
				}
				if fits = segment.Hash == n.Hash; fits {
					g = group{hash: segment.Hash}
					for _, c := range segment.Counted {
						g.bytes += len(c.Fields)
					}
					if g.made, err = of(result, segment.Counted); err != nil {
						return false, err
					}
					made[n.NodeID] = g
				}
			}
			if size += g.bytes; size > limits.Bytes {
				return false, limits.tooLarge()
			}
			all = append(all, g.made)
		}
		return fits, nil
	})
	if err != nil {
		return result, nil, err
	}
	return result, all, nil
}
