package resulttree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"strconv"

	"github.com/eventcarbon/ecf/libs/record"
)

// calculateNode sums one node. The order of its reads is what makes it right:
// the version first, then the context, then the children. Whoever wrote after
// our first read makes our write fail; so a write that succeeds has seen at
// least what every earlier write has seen.
func (r Recalculator) calculateNode(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) error {
	stored, err := r.Results.Node(ctx, org, event, id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	ev, err := r.Records.EventContext(ctx, org, event)
	if err != nil {
		return err
	}
	node := Node{Org: org, Event: event, NodeID: id, Version: stored.Version + 1, ContextRev: ev.ContextRev}
	var counted []record.Counted
	if id.Level == 0 {
		counted, err = r.sumRecords(ctx, ev, &node)
	} else {
		err = r.sumChildren(ctx, ev, &node)
	}
	if err != nil {
		return err
	}
	node.Detail.Changed = changesBetween(stored.Detail.Children, node.Detail.Children)
	if id.Level == 0 {
		node.Detail.Causes, err = r.causesOf(ctx, node, counted)
	} else {
		node.Detail.Causes, err = r.causesBetween(ctx, org, event, node.Detail.Changed, id.child)
	}
	if err != nil {
		return err
	}
	if err := r.keepChanges(ctx, stored); err != nil {
		return err
	}
	if err := r.Results.PutNode(ctx, node, stored.Version); err != nil {
		return err
	}
	r.written[id] = writtenNode{node.Version, node.Detail.Causes}
	return nil
}

// sumRecords fills a node of level 0 from its approved records, which it returns.
func (r Recalculator) sumRecords(ctx context.Context, ev record.Event, node *Node) ([]record.Counted, error) {
	sub := record.Sub{Event: node.Event, Type: node.Type}
	counted, err := r.Records.Approved(ctx, node.Org, sub, node.Index*r.Fanout+1, (node.Index+1)*r.Fanout)
	if err != nil {
		return nil, err
	}
	parts := make([]json.RawMessage, 0, len(counted))
	inputs := sha256.New()
	var recalculated []record.Recalculated
	for _, c := range counted {
		part, err := r.contribution(ev, c, &recalculated)
		if err != nil {
			// One record that cannot be calculated must not hold up the event:
			// it is named in the result instead.
			node.Failed = append(node.Failed, c.ID)
			continue
		}
		total, err := r.Arithmetic.Total(part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		HashRecord(inputs, c)
		node.Detail.Children = append(node.Detail.Children, Child{Key: string(c.ID), Hash: shortHash(c), Value: total})
	}
	// Kept for the next time, in one write: after a change of an event's context
	// every record is calculated again. Failing to keep them is not an error.
	if len(recalculated) > 0 {
		_ = r.Records.StoreContributions(ctx, node.Org, recalculated)
	}
	ordered(node.Detail.Children)
	node.Hash = hex.EncodeToString(inputs.Sum(nil))
	node.Contribution, err = r.Arithmetic.Sum(parts)
	return counted, err
}

// sumChildren fills a node of a higher level from the nodes below it.
func (r Recalculator) sumChildren(ctx context.Context, ev record.Event, node *Node) error {
	children, err := r.freshNodes(ctx, ev, node.Type, node.Level-1, node.Index*r.Fanout, (node.Index+1)*r.Fanout-1)
	if err != nil {
		return err
	}
	sum, err := r.sumNodes(children, sha256.New())
	node.Contribution, node.Failed, node.FailedCount, node.Hash = sum.Contribution, sum.Failed, sum.FailedCount, sum.Hash
	for _, n := range children {
		node.Detail.Children = append(node.Detail.Children, Child{Key: strconv.FormatInt(n.Index, 10), Value: strconv.FormatInt(n.Version, 10)})
	}
	ordered(node.Detail.Children)
	return err
}

// sumNodes adds nodes up; their hashes go into inputs.
func (r Recalculator) sumNodes(nodes []Node, inputs hash.Hash) (sum Node, err error) {
	parts := make([]json.RawMessage, 0, len(nodes))
	failures := int64(0)
	for _, n := range nodes {
		parts = append(parts, n.Contribution)
		failures += n.Failures()
		HashNode(inputs, n)
	}
	if sum.Failed = SumFailures(nodes); failures > int64(len(sum.Failed)) {
		sum.FailedCount = failures
	}
	sum.Hash = hex.EncodeToString(inputs.Sum(nil))
	sum.Contribution, err = r.Arithmetic.Sum(parts)
	return sum, err
}

// contribution returns what one record counts under the event's context: the
// stored figure where it was made under the same context by the same engine, else
// a new one, which it adds to recalculated.
func (r Recalculator) contribution(ev record.Event, c record.Counted, recalculated *[]record.Recalculated) (json.RawMessage, error) {
	if c.ContextRev == ev.ContextRev && r.Arithmetic.Current(c.Contribution) {
		return c.Contribution, nil
	}
	preview, part, err := r.Arithmetic.Evaluate(c.Type, c.Fields, ev.Context())
	if err != nil {
		return nil, err
	}
	*recalculated = append(*recalculated, record.Recalculated{ID: c.ID, Rev: c.Rev, ContextRev: ev.ContextRev, Preview: preview, Contribution: part})
	return part, nil
}
