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

// draft is a node that is about to be written.
type draft struct {
	node Node
	// by is how it differs from the version before; nil: that is not known.
	by *difference
	// revs are the revisions of the records of a segment that have changed, and known those
	// records that were read whole.
	revs  map[record.ID]int64
	known map[record.ID]record.Record
}

// difference is what a node has come to count since a version of it, and what it no longer
// counts. It is all that has changed.
type difference struct{ more, gone []json.RawMessage }

func (d *difference) size() int { return len(d.more) + len(d.gone) }

// calculateNode sums one node. The order of its reads is what makes it right:
// the version first, then the context, then the children. Whoever wrote after
// our first read makes our write fail; so a write that succeeds has seen at
// least what every earlier write has seen.
func (r Recalculator) calculateNode(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) error {
	stored, err := r.node(ctx, org, event, id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	ev, err := r.Records.EventContext(ctx, org, event)
	if err != nil {
		return err
	}
	d, ok, err := r.advanced(ctx, ev, stored)
	if err == nil && !ok {
		d, err = r.addedUp(ctx, ev, stored, id)
	}
	if err != nil {
		return err
	}
	node := d.node
	if id.Level == 0 {
		rest(ctx)
		node.Detail.Causes, err = r.causesOf(ctx, d)
	} else {
		node.Detail.Causes, err = r.causesBetween(ctx, org, event, node.Detail.Changed, id.child)
	}
	if err != nil {
		return err
	}
	if err := r.putNode(ctx, stored, node); err != nil {
		return err
	}
	written := writtenNode{version: node.Version, causes: node.Detail.Causes, hash: node.Hash, before: stored.Version}
	if stored.Failures()+node.Failures() == 0 {
		written.by = d.by
	}
	r.written[id] = written
	return nil
}

// advanced returns what a stored node becomes where few of its children have changed, and
// only they are read for what they count. ok is false where that does not do, and nothing
// is lost by adding the node up anew.
func (r Recalculator) advanced(ctx context.Context, ev record.Event, stored Node) (d draft, ok bool, err error) {
	if stored.Version == 0 || stored.ContextRev != ev.ContextRev || stored.Failures() > 0 || !r.Arithmetic.Current(stored.Contribution) {
		return d, false, nil
	}
	d = draft{by: &difference{}, node: Node{Org: ev.Org, Event: ev.ID, NodeID: stored.NodeID, Version: stored.Version + 1, ContextRev: ev.ContextRev}}
	if stored.Level == 0 {
		ok, err = r.moved(ctx, ev, stored, &d)
	} else {
		ok = r.grown(stored, &d)
	}
	if err == nil && ok {
		d.node.Contribution, ok, err = r.Arithmetic.Moved(stored.Contribution, d.by.more, d.by.gone)
	}
	if err == nil && ok && stored.Level == 0 {
		var due bool
		d.node.Detail.Facts, due = factsAfter(stored, d.node)
		ok = !due
	}
	return d, ok, err
}

// addedUp returns a node of which all children were read.
func (r Recalculator) addedUp(ctx context.Context, ev record.Event, stored Node, id NodeID) (d draft, err error) {
	d.node = Node{Org: ev.Org, Event: ev.ID, NodeID: id, Version: stored.Version + 1, ContextRev: ev.ContextRev}
	var counted []record.Counted
	var parts []part
	if id.Level == 0 {
		counted, parts, err = r.countRecords(ctx, ev, &d.node)
	} else {
		parts, err = r.countChildren(ctx, ev, &d.node)
	}
	if err != nil {
		return d, err
	}
	d.node.Detail.Changed = changesBetween(stored.Detail.Children, d.node.Detail.Children)
	rest(ctx)
	var told bool
	if d.by = r.difference(stored, d.node, parts); d.by != nil {
		d.node.Contribution, told, err = r.Arithmetic.Moved(stored.Contribution, d.by.more, d.by.gone)
	}
	if err == nil && !told {
		d.node.Contribution, err = r.Arithmetic.Sum(contributions(parts))
	}
	if err == nil && id.Level == 0 {
		d.revs = make(map[record.ID]int64, len(counted))
		for _, c := range counted {
			d.revs[c.ID] = c.Rev
		}
		rest(ctx)
		r.keepFacts(ctx, stored, &d.node, counted, parts)
	}
	return d, err
}

// part is what one child adds to the sum of its node.
type part struct {
	key          string // of the Child
	contribution json.RawMessage
}

func contributions(parts []part) []json.RawMessage {
	all := make([]json.RawMessage, len(parts))
	for i, p := range parts {
		all[i] = p.contribution
	}
	return all
}

// countRecords fills a node of level 0, but for its sum, from its approved records,
// which it returns.
func (r Recalculator) countRecords(ctx context.Context, ev record.Event, node *Node) ([]record.Counted, []part, error) {
	sub := record.Sub{Event: node.Event, Type: node.Type}
	counted, err := r.Records.Approved(ctx, node.Org, sub, node.Index*r.Fanout+1, (node.Index+1)*r.Fanout)
	if err != nil {
		return nil, nil, err
	}
	rest(ctx)
	parts := make([]part, 0, len(counted))
	inputs, input := sha256.New(), []byte(nil)
	var recalculated []record.Recalculated
	for i, c := range counted {
		if i%restAfter == restAfter-1 {
			rest(ctx)
		}
		contribution, err := r.contribution(ev, c, &recalculated)
		if err != nil {
			// One record that cannot be calculated must not hold up the event:
			// it is named in the result instead.
			node.Failed = append(node.Failed, c.ID)
			continue
		}
		total, err := r.Arithmetic.Total(contribution)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, part{string(c.ID), contribution})
		input = inputOf(input[:0], c)
		_, _ = inputs.Write(input)
		node.Detail.Children = append(node.Detail.Children, Child{Key: string(c.ID), Hash: shortHash(input), Value: total})
	}
	// Kept for the next time, in one write: after a change of an event's context
	// every record is calculated again. Failing to keep them is not an error.
	if len(recalculated) > 0 {
		_ = r.Records.StoreContributions(ctx, node.Org, recalculated)
	}
	ordered(node.Detail.Children)
	node.Hash = hex.EncodeToString(inputs.Sum(nil))
	return counted, parts, nil
}

// countChildren fills a node of a higher level, but for its sum, from the nodes below it.
func (r Recalculator) countChildren(ctx context.Context, ev record.Event, node *Node) ([]part, error) {
	children, err := r.freshNodes(ctx, ev, node.Type, node.Level-1, node.Index*r.Fanout, (node.Index+1)*r.Fanout-1)
	if err != nil {
		return nil, err
	}
	node.Failed, node.FailedCount = failuresOf(children)
	hashes := make([]childHash, len(children))
	parts := make([]part, len(children))
	for i, n := range children {
		hashes[i] = childHash{n.Index, n.Hash}
		parts[i] = part{strconv.FormatInt(n.Index, 10), n.Contribution}
		node.Detail.Children = append(node.Detail.Children, Child{Key: parts[i].key, Value: strconv.FormatInt(n.Version, 10)})
	}
	node.Hash = hashOfChildren(node.Type, hashes)
	r.hashes.Put(node.Hash, hashes)
	ordered(node.Detail.Children)
	return parts, nil
}

// failuresOf returns the failures of a sum of nodes, and how many there are where that is
// more.
func failuresOf(nodes []Node) (failed []record.ID, count int64) {
	failures := int64(0)
	for _, n := range nodes {
		failures += n.Failures()
	}
	if failed = SumFailures(nodes); failures > int64(len(failed)) {
		count = failures
	}
	return failed, count
}

// sumNodes adds nodes up; their hashes go into inputs.
func (r Recalculator) sumNodes(nodes []Node, inputs hash.Hash) (sum Node, err error) {
	parts := make([]json.RawMessage, 0, len(nodes))
	for _, n := range nodes {
		parts = append(parts, n.Contribution)
		HashNode(inputs, n)
	}
	sum.Failed, sum.FailedCount = failuresOf(nodes)
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
