package resulttree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// revisionsPerStep bounds how many revisions one step of a Pruner reads and drops.
const revisionsPerStep = 200

// mostRefusals bounds how often a Pruner continues after a conflict with another one.
const mostRefusals = 1000

// Pruner removes revisions of results that were replaced before a time. Signed ones
// are kept, and so is the latest of the others: the figure as of that time. The changes
// of a removed revision are merged into the next kept one, with its causes, so
// the differences between kept revisions are unchanged.
//
// It can run alongside workers, which write only above what it removes. The new Retention
// is stored first, so that readers detect an incomplete removal; an
// interrupted one is continued by the next call. Concurrent ones do the work of one:
// after a refused write, one continues from what another has stored.
type Pruner struct {
	Results interface {
		RetentionStore
		Node(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) (Node, error)
		Result(ctx context.Context, org record.OrgID, event record.EventID) (Result, error)
		Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]Result, error)
		Changes(ctx context.Context, org record.OrgID, event record.EventID, id NodeID, after, to int64) ([]NodeChanges, error)
	}
	// DryRun counts the revisions to remove, without writing.
	DryRun bool
	// Step is revisionsPerStep if 0; tests reduce it.
	Step int64
}

// Prune removes the revisions of an event that were replaced before a time, and returns
// their number.
func (p Pruner) Prune(ctx context.Context, ev record.Event, before time.Time) (dropped int64, err error) {
	for refused := 0; ; {
		kept, err := p.Results.Retention(ctx, ev.Org, ev.ID)
		if err != nil {
			return dropped, err
		}
		if p.DryRun {
			return p.count(ctx, kept, ev, before)
		}
		n, done, err := p.step(ctx, kept, ev, before)
		dropped += n
		if err == nil && done {
			return dropped, nil
		}
		if err == nil {
			continue
		}
		// After a conflict the other pruner's work was missing here. It may be at the same step.
		if refused++; errors.Is(err, ErrConflict) && refused <= mostRefusals {
			continue
		}
		if now, read := p.Results.Retention(ctx, ev.Org, ev.ID); read != nil || now.Version == kept.Version {
			return dropped, fmt.Errorf("drop revisions of event %s: %w", ev.ID, err)
		}
	}
}

// count returns the number of revisions that would be dropped.
func (p Pruner) count(ctx context.Context, kept Retention, ev record.Event, before time.Time) (dropped int64, err error) {
	for {
		next, n, err := p.next(ctx, kept, ev, before)
		if err != nil || next.Floor == kept.Floor {
			return dropped, err
		}
		dropped += n
		kept = next
	}
}

// step completes the pending step or, if there is none, decides what is dropped next. It returns the number of
// revisions, and whether nothing remained to be done.
func (p Pruner) step(ctx context.Context, kept Retention, ev record.Event, before time.Time) (dropped int64, done bool, err error) {
	if kept.Pending > 0 {
		if err := p.sumUp(ctx, kept); err != nil {
			return 0, false, err
		}
		finished := kept
		finished.Version, finished.Pending = kept.Version+1, 0
		return 0, false, p.Results.PutRetention(ctx, finished, kept.Version)
	}
	next, n, err := p.next(ctx, kept, ev, before)
	if err != nil || next.Floor == kept.Floor {
		return 0, true, err
	}
	if err := p.Results.PutRetention(ctx, next, kept.Version); err != nil {
		return 0, false, err
	}
	return n, false, nil
}

// next returns the retention after one more step, and how many revisions that drops. Its Floor is unchanged if there
// is nothing to drop.
func (p Pruner) next(ctx context.Context, kept Retention, ev record.Event, before time.Time) (Retention, int64, error) {
	newest, err := p.Results.Result(ctx, ev.Org, ev.ID)
	if errors.Is(err, ErrNotFound) {
		return kept, 0, nil
	}
	if err != nil {
		return kept, 0, err
	}
	floor, step := max(kept.Floor, 1), p.Step
	if step == 0 {
		step = revisionsPerStep
	}
	found, err := p.Results.Revisions(ctx, ev.Org, ev.ID, floor, min(floor+step, newest.Revision-1))
	if err != nil {
		return kept, 0, err
	}
	if len(found) == 0 || found[0].Revision == newest.Revision-1 {
		found = append([]Result{newest}, found...)
	}
	to := floor
	for _, r := range slices.Backward(found) {
		// It replaced the one before it.
		if r.Revision > floor && r.CalculatedAt.Before(before) {
			to = r.Revision - 1
		}
	}
	if to == floor {
		return kept, 0, nil
	}
	next := Retention{Org: ev.Org, Event: ev.ID, Version: kept.Version + 1, Floor: to, Pending: floor, Signed: slices.Clone(kept.Signed)}
	for _, revision := range signedRevisions(ev) {
		if floor <= revision && revision < to {
			next.Signed = append(next.Signed, revision)
		}
	}
	return next, to - floor - int64(len(next.Signed)-len(kept.Signed)), nil
}

// signedRevisions returns the revisions of an event that were signed off or are about
// to be, ascending.
func signedRevisions(ev record.Event) []int64 {
	var signed []int64
	for _, e := range ev.Editions {
		signed = append(signed, e.Revision)
	}
	if ev.Gate.Pending != nil {
		signed = append(signed, ev.Gate.Pending.Revision)
	}
	slices.Sort(signed)
	return slices.Compact(signed)
}

// sumUp removes the dropped revisions of a step, and merges their changes into the retained ones.
func (p Pruner) sumUp(ctx context.Context, kept Retention) error {
	older := Result{Org: kept.Org, Event: kept.Event}
	for _, revision := range append(slices.Clone(kept.Signed), kept.Floor) {
		found, err := p.Results.Revisions(ctx, kept.Org, kept.Event, revision, revision)
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return fmt.Errorf("revision %d: %w", revision, ErrNotFound)
		}
		newer := found[0]
		if revision > kept.Pending {
			if err := p.sumRevisions(ctx, older, newer); err != nil {
				return err
			}
			if err := p.sumNodes(ctx, older, newer); err != nil {
				return err
			}
		}
		older = newer
	}
	return nil
}

// sumRevisions merges the causes of the revisions between two retained ones into the newer one, and removes them.
func (p Pruner) sumRevisions(ctx context.Context, older, newer Result) error {
	first := older.Revision + 1
	if first == newer.Revision {
		return nil
	}
	sum, err := History{Results: p.Results}.withOlder(ctx, newer, first)
	if err != nil {
		return err
	}
	if newer.Since != first {
		if err := p.Results.ReplaceRevision(ctx, sum, newer.Since); err != nil {
			return err
		}
	}
	return p.Results.DeleteRevisions(ctx, newer.Org, newer.Event, first, newer.Revision-1)
}

// sumNodes merges the changes between two retained results, in each node that differs. Those before the first
// retained result are removed.
func (p Pruner) sumNodes(ctx context.Context, older, newer Result) error {
	for _, top := range changesBetween(older.Children, newer.Children) {
		id, err := topID(top.key())
		if err != nil {
			return err
		}
		if err := p.sumNode(ctx, newer, id, top, older.Revision == 0); err != nil {
			return err
		}
	}
	return nil
}

// sumNode merges the changes of a node between two versions, or removes them. The nodes below come first: this one's
// log names them.
func (p Pruner) sumNode(ctx context.Context, of Result, id NodeID, versions Change, remove bool) error {
	after, to, err := span(versions)
	if err != nil {
		return err
	}
	if id.Level > 0 {
		read := comparison{Comparer: Comparer{Results: p.Results}, org: of.Org, event: of.Event}
		log, err := read.log(ctx, id, after, to)
		if err != nil {
			return err
		}
		for key, child := range net(log) {
			below, err := id.child(key)
			if err != nil {
				return err
			}
			if err := p.sumNode(ctx, of, below, *child, remove); err != nil {
				return err
			}
		}
	}
	if remove {
		return p.Results.DeleteChanges(ctx, of.Org, of.Event, id, 0, to)
	}
	stored, err := p.Results.Changes(ctx, of.Org, of.Event, id, after, to)
	if err != nil || len(stored) < 2 {
		return err
	}
	log := effective(stored)
	sum := log[len(log)-1]
	if len(log) > 1 {
		sum = summed(log)
		if err := p.Results.ReplaceChanges(ctx, sum); err != nil {
			return err
		}
	}
	return p.Results.DeleteChanges(ctx, of.Org, of.Event, id, sum.first()-1, sum.Version-1)
}
