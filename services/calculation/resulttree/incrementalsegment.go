package resulttree

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
)

// moved updates a stored segment of which few records have changed. It reads the inputs of all records, for the hash
// of the segment, and the contributions of only those that its children do not match. It returns false if the old or
// new contributions cannot be determined this way.
func (r Recalculator) moved(ctx context.Context, ev record.Event, stored Node, d *draft) (ok bool, err error) {
	if n := r.marked[stored.NodeID]; n > manyChanged || factsDue(stored, n) {
		return false, nil // known before anything is read
	}
	inputs, err := r.Records.Inputs(ctx, ev.Org, record.Sub{Event: ev.ID, Type: stored.Type}, stored.Index*r.Fanout+1, (stored.Index+1)*r.Fanout)
	if err != nil {
		return false, err
	}
	hash, came, gone := compareInputs(stored.Type, inputs, stored.Detail.Children)
	if len(came)+len(gone) > manyChanged {
		return false, nil
	}
	d.node.Hash, d.node.Detail.Children = hash, slices.Clone(stored.Detail.Children)
	d.revs, d.known = make(map[record.ID]int64, len(came)), make(map[record.ID]record.Record, len(came)+len(gone))
	for _, c := range gone {
		contribution, ok, err := r.counted(ctx, ev, stored.Type, c, d)
		if err != nil || !ok {
			return false, err
		}
		at, _ := slices.BinarySearchFunc(d.node.Detail.Children, c, compareChildren)
		d.node.Detail.Children = slices.Delete(d.node.Detail.Children, at, at+1)
		d.by.gone = append(d.by.gone, contribution)
	}
	var recalculated []record.Recalculated
	for _, in := range came {
		child, contribution, ok, err := r.counting(ctx, ev, stored.Type, in, d, &recalculated)
		if err != nil || !ok {
			return false, err
		}
		at, _ := slices.BinarySearchFunc(d.node.Detail.Children, child, compareChildren)
		d.node.Detail.Children = slices.Insert(d.node.Detail.Children, at, child)
		d.by.more = append(d.by.more, contribution)
	}
	if len(recalculated) > 0 {
		_ = r.Records.StoreContributions(ctx, ev.Org, recalculated) // as in countRecords
	}
	d.node.Detail.Changed = changesBetween(stored.Detail.Children, d.node.Detail.Children)
	return true, nil
}

// counted returns the previous contribution of a removed child of a segment, if its record still exists with the same
// input.
func (r Recalculator) counted(ctx context.Context, ev record.Event, typ string, c Child, d *draft) (contribution json.RawMessage, ok bool, err error) {
	found, err := r.Records.FindRecord(ctx, ev.Org, ev.ID, record.ID(c.Key))
	if errors.Is(err, record.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	d.known[found.ID] = found
	if !isShortHash(c.Hash, bundle.AppendInput(nil, c.Key, typ, found.Fields)) {
		return nil, false, nil
	}
	// Recalculated if it was of another context: the result is the same as then.
	contribution, err = r.contribution(ev, countedOf(found), &[]record.Recalculated{})
	if err != nil {
		return nil, false, nil //nolint:nilerr // it failed
	}
	total, err := r.Arithmetic.Total(contribution)
	return contribution, err == nil && total == c.Value, err
}

// counting returns the contribution of a record that the children of a segment do not include, if it is still at the
// revision whose inputs were read, and can be calculated.
func (r Recalculator) counting(ctx context.Context, ev record.Event, typ string, in record.Input, d *draft, recalculated *[]record.Recalculated) (child Child, contribution json.RawMessage, ok bool, err error) {
	found, err := r.Records.FindRecord(ctx, ev.Org, ev.ID, in.ID)
	if errors.Is(err, record.ErrNotFound) || err == nil && found.Rev != in.Rev {
		return child, nil, false, nil
	}
	if err != nil {
		return child, nil, false, err
	}
	d.revs[in.ID], d.known[in.ID] = in.Rev, found
	contribution, err = r.contribution(ev, countedOf(found), recalculated)
	if err != nil {
		return child, nil, false, nil //nolint:nilerr // it is to be named as failed
	}
	total, err := r.Arithmetic.Total(contribution)
	return Child{Key: string(in.ID), Hash: shortHash(bundle.AppendInput(nil, string(in.ID), typ, in.Fields)), Value: total}, contribution, err == nil, err
}

func countedOf(r record.Record) record.Counted {
	return record.Counted{ID: r.ID, Seq: r.Seq, Rev: r.Rev, Type: r.Type, Fields: r.Fields, Contribution: r.Contribution, ContextRev: r.ContextRev}
}

// compareInputs returns the hash of inputs, those of them that match no child of a segment, and the children that
// match none.
func compareInputs(typ string, inputs []record.Input, children []Child) (hash string, came []record.Input, gone []Child) {
	size := 0
	for _, in := range inputs {
		size += len(in.ID) + len(typ) + len(in.Fields) + len("000:000:00000:")
	}
	all, seen := make([]byte, 0, size), make([]bool, len(children))
	next := 0 // ids mostly rise as the numbers do
	for _, in := range inputs {
		from := len(all)
		all = bundle.AppendInput(all, string(in.ID), typ, in.Fields)
		there := next < len(children) && children[next].Key == string(in.ID)
		if !there {
			next, there = slices.BinarySearchFunc(children, string(in.ID), func(c Child, id string) int { return strings.Compare(c.Key, id) })
		}
		if there && isShortHash(children[next].Hash, all[from:]) {
			seen[next] = true
			next++
			continue
		}
		came = append(came, in)
	}
	for i, c := range children {
		if !seen[i] {
			gone = append(gone, c)
		}
	}
	return hashOf(all), came, gone
}
