package resulttree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/record"
)

// draft is a node that is about to be written.
type draft struct {
	node Node
	// by is the difference from the previous version; nil: unknown.
	by *difference
	// revs are the revisions of the changed records of a segment, and known the records that were read whole.
	revs  map[record.ID]int64
	known map[record.ID]record.Record
}

// difference are the contributions added to and removed from a node since a version of it. It is complete.
type difference struct{ more, gone []json.RawMessage }

func (d *difference) size() int { return len(d.more) + len(d.gone) }

// calculateNode sums one node. Its correctness depends on the order of its reads: the version first, then the
// context, then the children. A write by another process after our first read makes our write fail; so a successful
// write includes at least what every earlier write included.
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
	r.written[id] = writtenNode{version: node.Version, causes: node.Detail.Causes, hash: node.Hash, before: stored.Version, by: d.by}
	return nil
}

// advanced updates a stored node of which few children have changed, reading only their contributions. If ok is
// false, the node must be recalculated.
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

// part is the addition of one child to the sum of its node.
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
			// A record that cannot be calculated must not block the event: the result names it instead.
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
	// Stored for the next time, in one write: after a change of an event's context every record is recalculated. A
	// failure to store them is not an error.
	if len(recalculated) > 0 {
		_ = r.Records.StoreContributions(ctx, node.Org, recalculated)
	}
	slices.SortFunc(node.Detail.Children, compareChildren)
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
	slices.SortFunc(node.Detail.Children, compareChildren)
	return parts, nil
}

// failuresOf returns the failures of a sum of nodes, and their number if that is larger.
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

// sumNodes adds nodes up; their hashes are written to inputs.
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

// contribution returns the contribution of one record in the event's context: the stored one if it is of this context
// and engine, else a new one, which it adds to recalculated.
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
