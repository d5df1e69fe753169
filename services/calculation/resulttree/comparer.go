package resulttree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
)

// ErrTooManyChanges is returned if two results differ in more changes than the limit.
var ErrTooManyChanges = errors.New("resulttree: too many changes between the results")

// RecordChange is the change of one record between two results.
type RecordChange struct {
	Type string
	Change
	// Steps are its changes one by one, oldest first: those that cancelled each
	// other included.
	Steps []Step
}

// RecordID returns the id of the record.
func (c RecordChange) RecordID() string { return c.key() }

// Step is one change of a record, in a node calculated under ContextRev.
type Step struct {
	Change
	ContextRev int64
}

// Comparer finds what changed between two results of an event.
type Comparer struct {
	Results interface {
		Node(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) (Node, error)
		Changes(ctx context.Context, org record.OrgID, event record.EventID, id NodeID, after, to int64) ([]NodeChanges, error)
	}
	// Most bounds how many changes are read.
	Most int
}

// Between returns the records whose contribution differs between the older and the
// newer result, by type and id. It reads the changes of the nodes with
// different versions only.
func (c Comparer) Between(ctx context.Context, older, newer Result) ([]RecordChange, error) {
	read := &comparison{Comparer: c, org: newer.Org, event: newer.Event, records: map[string]*RecordChange{}}
	for _, top := range changesBetween(older.Children, newer.Children) {
		id, err := topID(top.key())
		if err != nil {
			return nil, err
		}
		if err := read.node(ctx, id, top); err != nil {
			return nil, err
		}
	}
	var changed []RecordChange
	for _, r := range read.records {
		if r.Before != r.After {
			changed = append(changed, *r)
		}
	}
	slices.SortFunc(changed, func(a, b RecordChange) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.key(), b.key()))
	})
	return changed, nil
}

// topKey is the key of a top node in Result.Children; topID parses it.
func topKey(id NodeID) string { return id.Type + "/" + strconv.FormatInt(id.Index, 10) }

func topID(key string) (NodeID, error) {
	typ, index, _ := strings.Cut(key, "/")
	n, err := strconv.ParseInt(index, 10, 64)
	if err != nil {
		return NodeID{}, fmt.Errorf("compare results: no node %q", key)
	}
	return NodeID{Type: typ, Level: TopLevel, Index: n}, nil
}

// child returns the node of the level below that a key of Detail.Children names.
func (id NodeID) child(key string) (NodeID, error) {
	index, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return NodeID{}, fmt.Errorf("compare results: no node %q", key)
	}
	return NodeID{Type: id.Type, Level: id.Level - 1, Index: index}, nil
}

// comparison is the state of one Between.
type comparison struct {
	Comparer
	org     record.OrgID
	event   record.EventID
	read    int
	records map[string]*RecordChange
}

// node collects the changes of a node from one version to another.
func (c *comparison) node(ctx context.Context, id NodeID, versions Change) error {
	after, to, err := span(versions)
	if err != nil {
		return err
	}
	log, err := c.log(ctx, id, after, to)
	if err != nil {
		return err
	}
	if id.Level == 0 {
		c.note(id, log)
		return nil
	}
	for key, child := range net(log) {
		below, err := id.child(key)
		if err != nil {
			return err
		}
		if err := c.node(ctx, below, *child); err != nil {
			return err
		}
	}
	return nil
}

// span returns the range of versions that a change of a node covers.
func span(versions Change) (after, to int64, err error) {
	for text, n := range map[string]*int64{versions.Before.Value: &after, versions.After.Value: &to} {
		if text == "" {
			continue // the node did not exist
		}
		if *n, err = strconv.ParseInt(text, 10, 64); err != nil {
			return 0, 0, fmt.Errorf("compare results: no version %q", text)
		}
	}
	return after, to, nil
}

// log reads the changes of the versions of a node. The node is read first: versions that it has replaced by then are
// in the log.
func (c *comparison) log(ctx context.Context, id NodeID, after, to int64) ([]NodeChanges, error) {
	node, err := c.Results.Node(ctx, c.org, c.event, id)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	log, err := c.Results.Changes(ctx, c.org, c.event, id, after, to)
	if err != nil {
		return nil, err
	}
	if n := len(log); after < node.Version && node.Version <= to && (n == 0 || log[n-1].Version < node.Version) {
		log = append(log, NodeChanges{NodeID: id, Version: node.Version, ContextRev: node.ContextRev, Changed: node.Detail.Changed, Causes: node.Detail.Causes})
	}
	log = effective(log)
	if len(log) > 0 && log[0].first() <= after {
		return nil, ErrDropped
	}
	for _, version := range log {
		c.read += len(version.Changed)
	}
	if c.Most > 0 && c.read > c.Most {
		return nil, ErrTooManyChanges
	}
	return log, nil
}

// note adds the changes of a segment to those of its records.
func (c *comparison) note(id NodeID, log []NodeChanges) {
	for _, version := range log {
		for _, change := range version.Changed {
			key := id.Type + "/" + change.key()
			r, ok := c.records[key]
			if !ok {
				r = &RecordChange{Type: id.Type, Change: Change{Before: change.Before}}
				c.records[key] = r
			}
			r.After = change.After
			r.Steps = append(r.Steps, Step{change, version.ContextRev})
		}
	}
}
