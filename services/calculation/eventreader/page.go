package eventreader

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// recordsUnder returns how many records are counted in a node.
func recordsUnder(n resulttree.Node) (int64, error) {
	var sum struct {
		Records int64 `json:"records"`
	}
	if err := json.Unmarshal(n.Contribution, &sum); err != nil {
		return 0, fmt.Errorf("node %s/%d/%d of event %s: %w", n.Type, n.Level, n.Index, n.Event, err)
	}
	return sum.Records, nil
}

// Page reads one page of the counted records of an event: by type in the
// fixed order of types, newest first within a type, with offset skip and
// at most limit records. total is their total number. Only the nodes on the path to
// the page are read, using their counts of records.
func (r Reader) Page(ctx context.Context, org record.OrgID, event record.EventID, skip, limit int64) (part []record.Counted, total int64, err error) {
	tops, err := r.Results.Nodes(ctx, org, event, "", resulttree.TopLevel, 0, math.MaxInt64)
	if err != nil {
		return nil, 0, err
	}
	for _, n := range tops {
		records, err := recordsUnder(n)
		if err != nil {
			return nil, 0, err
		}
		total += records
	}
	w := walk{Reader: r, ctx: ctx, org: org, event: event, skip: skip, limit: limit}
	err = w.down(tops)
	return w.part, total, err
}

// walk is the state of one Page.
type walk struct {
	Reader
	ctx         context.Context //nolint:containedctx // it lives as long as one call
	org         record.OrgID
	event       record.EventID
	skip, limit int64
	part        []record.Counted
}

func (w *walk) down(nodes []resulttree.Node) error {
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b resulttree.Node) int {
		return cmp.Or(cmp.Compare(footprint.OrderOf(a.Type), footprint.OrderOf(b.Type)), cmp.Compare(a.Type, b.Type), cmp.Compare(b.Index, a.Index))
	})
	for _, n := range nodes {
		if int64(len(w.part)) >= w.limit {
			return nil
		}
		records, err := recordsUnder(n)
		if err != nil {
			return err
		}
		if w.skip >= records {
			w.skip -= records
			continue
		}
		if n.Level == 0 {
			err = w.take(n)
		} else {
			var children []resulttree.Node
			if children, err = w.Results.Nodes(w.ctx, w.org, w.event, n.Type, n.Level-1, n.Index*resulttree.Fanout, (n.Index+1)*resulttree.Fanout-1); err == nil {
				err = w.down(children)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take reads the records of a segment.
func (w *walk) take(n resulttree.Node) error {
	counted, err := w.approved(w.ctx, w.org, w.event, n)
	if err != nil {
		return err
	}
	slices.Reverse(counted)
	from := min(w.skip, int64(len(counted)))
	w.skip -= from
	w.part = append(w.part, counted[from:min(from+w.limit-int64(len(w.part)), int64(len(counted)))]...)
	return nil
}

// approved reads the approved records of a segment, without those that could
// not be calculated.
func (r Reader) approved(ctx context.Context, org record.OrgID, event record.EventID, n resulttree.Node) ([]record.Counted, error) {
	counted, err := r.Records.Approved(ctx, org, record.Sub{Event: event, Type: n.Type}, n.Index*resulttree.Fanout+1, (n.Index+1)*resulttree.Fanout)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(counted, func(c record.Counted) bool { return slices.Contains(n.Failed, c.ID) }), nil
}
