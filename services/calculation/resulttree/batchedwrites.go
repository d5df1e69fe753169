package resulttree

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
)

// mostPending bounds the nodes that wait to be written: an approval has two, and a change
// of a large event's context has thousands, which are neither all in memory nor one long
// transaction that delays all other writes.
const mostPending = 16

// pending are the outstanding writes of a pass, in an order in which they may also be made one by one; see
// Store.Together. The whole pass reads before them, except its own nodes: versions guard each of them, so that
// concurrent writes make them fail as they would have earlier.
type pending struct {
	writes []func(ctx context.Context) error
	// nodes are the states after these writes.
	nodes map[NodeID]Node
}

func newPending() *pending { return &pending{nodes: map[NodeID]Node{}} }

func (p *pending) add(writes ...func(ctx context.Context) error) {
	p.writes = append(p.writes, writes...)
}

// writePending makes the outstanding writes.
func (r Recalculator) writePending(ctx context.Context) error {
	writes := r.pending.writes
	*r.pending = *newPending()
	if len(writes) == 0 {
		return nil
	}
	return r.Results.Together(ctx, func(ctx context.Context) error {
		for _, write := range writes {
			if err := write(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// putNode replaces the stored version of a node. The changes of that version are stored first, as with the history of
// records and the revisions of results. A crash in between repeats it.
func (r Recalculator) putNode(ctx context.Context, stored, next Node) error {
	if len(stored.Detail.Changed) > 0 {
		kept := NodeChanges{
			Org: stored.Org, Event: stored.Event, NodeID: stored.NodeID, Version: stored.Version,
			ContextRev: stored.ContextRev, Changed: stored.Detail.Changed, Causes: stored.Detail.Causes,
		}
		r.pending.add(func(ctx context.Context) error { return r.Results.InsertChanges(ctx, kept) })
	}
	r.pending.add(func(ctx context.Context) error { return r.Results.PutNode(ctx, next, stored.Version) })
	if r.pending.nodes[next.NodeID] = next; len(r.pending.nodes) >= mostPending {
		return r.writePending(ctx)
	}
	return nil
}

// node reads a node, including outstanding writes.
func (r Recalculator) node(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) (Node, error) {
	if n, ok := r.pending.nodes[id]; ok {
		return n, nil
	}
	return r.Results.Node(ctx, org, event, id)
}

// nodes reads nodes like Store.Nodes, including outstanding writes.
func (r Recalculator) nodes(ctx context.Context, ev record.Event, typ string, level int, from, to int64) ([]Node, error) {
	nodes, err := r.Results.Nodes(ctx, ev.Org, ev.ID, typ, level, from, to)
	if err != nil {
		return nil, err
	}
	for id, n := range r.pending.nodes {
		if id.Level != level || typ != "" && id.Type != typ || id.Index < from || id.Index > to {
			continue
		}
		n.Detail, n.Facts = Detail{}, nil
		at, stored := slices.BinarySearchFunc(nodes, id, func(n Node, id NodeID) int {
			return cmp.Or(strings.Compare(n.Type, id.Type), cmp.Compare(n.Index, id.Index))
		})
		if stored {
			nodes[at] = n
		} else {
			nodes = slices.Insert(nodes, at, n)
		}
	}
	return nodes, nil
}
