package resulttree

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/record"
)

// ErrDropped is returned for changes that retention has merged with
// others.
var ErrDropped = errors.New("resulttree: the revision has been dropped")

// Retention states which revisions of an event's result are kept. The zero value: all
// of them.
type Retention struct {
	Org   record.OrgID
	Event record.EventID

	// Version is the guard against older writers; see Node.Version.
	Version int64
	// Floor is the revision from which on all are retained.
	Floor int64
	// Signed are the retained revisions below Floor, ascending: the signed ones.
	Signed []int64 `json:",omitempty"`
	// Pending is the Floor before, as long as not everything below the new one has been
	// removed and summed up.
	Pending int64 `json:",omitempty"`
}

// RetentionStore is what a storage engine provides to drop revisions.
type RetentionStore interface {
	// Retention reads which revisions of an event are retained.
	Retention(ctx context.Context, org record.OrgID, event record.EventID) (Retention, error)
	// PutRetention stores r as PutNode does.
	PutRetention(ctx context.Context, r Retention, prevVersion int64) error
	// ReplaceRevision stores r in place of the retained result of its Revision if that one's Since is prevSince, else
	// it returns ErrConflict.
	ReplaceRevision(ctx context.Context, r Result, prevSince int64) error
	// DeleteRevisions removes the retained results from ≤ Revision ≤ to of an event.
	DeleteRevisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) error
	// ReplaceChanges stores c in place of the stored changes of its Version; ErrConflict if there are none.
	ReplaceChanges(ctx context.Context, c NodeChanges) error
	// DeleteChanges removes the stored changes of a node with after < Version ≤ to.
	DeleteChanges(ctx context.Context, org record.OrgID, event record.EventID, id NodeID, after, to int64) error
}

// Dropped reports whether a revision, one that the event has had, is not kept.
func (r Retention) Dropped(revision int64) bool {
	return revision < r.Floor && !slices.Contains(r.Signed, revision)
}

// Next returns the oldest kept revision that is not older than the given one: the
// causes of a dropped revision are among its causes.
func (r Retention) Next(revision int64) int64 {
	for _, s := range r.Signed {
		if s >= revision {
			return s
		}
	}
	return max(r.Floor, revision)
}

// Kept returns how many revisions are kept, given the newest one.
func (r Retention) Kept(newest int64) int64 {
	return newest - max(r.Floor, 1) + 1 + int64(len(r.Signed))
}

// Page returns the revisions of a page of those that are kept, newest first: all of
// from ≤ revision ≤ to, none where from > to, and then the signed ones.
func (r Retention) Page(newest, offset, limit int64) (from, to int64, signed []int64) {
	floor := max(r.Floor, 1)
	to = newest - offset
	from = max(floor, to-limit+1)
	above := max(0, to-from+1)
	older := slices.Clone(r.Signed)
	slices.Reverse(older)
	skip := min(max(0, offset-(newest-floor+1)), int64(len(older)))
	older = older[skip:]
	return from, to, older[:min(limit-above, int64(len(older)))]
}

// effective returns changes of a node, oldest first, without those that a later one
// includes: they are about to be removed.
func effective(log []NodeChanges) []NodeChanges {
	var kept []NodeChanges
	covered := int64(0) // the first version that a later one includes
	for _, c := range slices.Backward(log) {
		if covered > 0 && c.Version >= covered {
			continue
		}
		kept = append(kept, c)
		covered = c.Since
	}
	slices.Reverse(kept)
	return kept
}

// first returns the first version that changes are of.
func (c NodeChanges) first() int64 {
	if c.Since > 0 {
		return c.Since
	}
	return c.Version
}

// summed merges several consecutive changes of a node, oldest first: children that were added and removed in between
// are omitted.
func summed(log []NodeChanges) NodeChanges {
	sum := log[len(log)-1]
	sum.Since, sum.Changed, sum.Causes = log[0].first(), nil, nil
	for _, version := range log {
		sum.Causes = MergeCauses(sum.Causes, version.causes()...)
	}
	sum.Causes = orderedCauses(sum.Causes)
	for key, c := range net(log) {
		if c.Before != c.After && key != "" {
			sum.Changed = append(sum.Changed, *c)
		}
	}
	slices.SortFunc(sum.Changed, func(a, b Change) int { return strings.Compare(a.key(), b.key()) })
	return sum
}

// net returns the net change of each entry of a node over several versions, by key.
func net(log []NodeChanges) map[string]*Change {
	changed := map[string]*Change{}
	for _, version := range log {
		for _, c := range version.Changed {
			if known, ok := changed[c.key()]; ok {
				known.After = c.After
			} else {
				changed[c.key()] = &Change{Before: c.Before, After: c.After}
			}
		}
	}
	return changed
}
