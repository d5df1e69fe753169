package resulttree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
)

// marksPerPass bounds the marks of one pass; the next pass finds the rest.
const marksPerPass = 4096

// startOvers bounds how often one call starts over because of conflicts with other workers. Giving up is safe: the
// marks remain and the sweeper notifies again.
const startOvers = 50

// errContended is returned when a call gave up because of conflicts.
var errContended = errors.New("resulttree: other workers are writing this event")

// errOtherOrganization is returned for an event that is not of the organization that the
// task names.
var errOtherOrganization = errors.New("resulttree: the event is another organization's")

// Records is the part of the records' store that recalculation uses.
type Records interface {
	MarkedRecords(ctx context.Context, org record.OrgID, event record.EventID, limit int) ([]record.MarkedRecord, error)
	ClearRecordMarks(ctx context.Context, org record.OrgID, event record.EventID, marked []record.MarkedRecord) error
	EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
	ClearEventMark(ctx context.Context, org record.OrgID, id record.EventID, mark string) error
	Approved(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error)
	Inputs(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Input, error)
	StoreContributions(ctx context.Context, org record.OrgID, all []record.Recalculated) error
	PutHeadline(ctx context.Context, org record.OrgID, event record.EventID, h record.Headline) error
	// The following are read for the causes of a change.
	FindRecord(ctx context.Context, org record.OrgID, event record.EventID, id record.ID) (record.Record, error)
	RecordRange(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Record, error)
	Entries(ctx context.Context, org record.OrgID, id record.ID) ([]record.Entry, error)
	EntryRange(ctx context.Context, org record.OrgID, id record.ID, from, to int64) ([]record.Entry, error)
}

// Results is the part of the results' store that recalculation uses.
type Results interface {
	Together(ctx context.Context, fn func(ctx context.Context) error) error
	Node(ctx context.Context, org record.OrgID, event record.EventID, id NodeID) (Node, error)
	PutNode(ctx context.Context, n Node, prevVersion int64) error
	Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]Node, error)
	Facts(ctx context.Context, org record.OrgID, event record.EventID, typ string, from, to int64) ([]NodeFacts, error)
	Result(ctx context.Context, org record.OrgID, event record.EventID) (Result, error)
	PutResult(ctx context.Context, r Result, prevVersion int64) error
	InsertRevision(ctx context.Context, r Result) error
	InsertChanges(ctx context.Context, c NodeChanges) error
	Changes(ctx context.Context, org record.OrgID, event record.EventID, id NodeID, after, to int64) ([]NodeChanges, error)
}

// Arithmetic is the calculation itself, without the protocol around it.
type Arithmetic interface {
	// Evaluate calculates one record under an event context.
	Evaluate(typ string, fields json.RawMessage, ev footprint.EventContext) (preview, contribution json.RawMessage, err error)
	// Sum adds contributions; the order does not matter.
	Sum(parts []json.RawMessage) (json.RawMessage, error)
	// Moved returns a sum with more contributions and without some that it includes, equal byte by byte to that
	// recalculated from scratch. ok is false if that cannot be determined, which is always possible if gone is empty.
	Moved(sum json.RawMessage, more, gone []json.RawMessage) (moved json.RawMessage, ok bool, err error)
	// Total returns the total of a contribution as a text without |.
	Total(contribution json.RawMessage) (string, error)
	// Current reports whether a stored contribution was made by this arithmetic. Others are recalculated before they
	// are added to a sum.
	Current(contribution json.RawMessage) bool
	// Headline returns the total of a result for lists; empty if there is nothing in it, counted or failed.
	Headline(contribution json.RawMessage, failed int) (json.RawMessage, error)
}

// Recalculator brings an event's result up to date with its records. Any
// number of them may work on the same event concurrently, crash between any two
// steps, or be suspended and resumed much later: the marks in the records are the
// pending changes, and versions prevent an older read from overwriting a newer one.
type Recalculator struct {
	Records    Records
	Results    Results
	Arithmetic Arithmetic
	Now        func() time.Time
	// Fanout is that of the tree; tests reduce it.
	Fanout int64
	// Events reads the authors of event changes, for the causes of results; nil: such
	// causes have no actor.
	Events EventMoves

	// hashes are remembered from one pass to the next, by all workers of a process.
	hashes *lru.Cache[string, []childHash]
	// marked is the number of marked records of each segment in the current pass.
	marked map[NodeID]int64
	// written are the nodes that the current pass has written, or is about to.
	written map[NodeID]writtenNode
	pending *pending
}

// Recalculate works until no mark of the event is left. It is idempotent: without
// marks it does nothing.
func (r Recalculator) Recalculate(ctx context.Context, org record.OrgID, event record.EventID) error {
	for range startOvers {
		done, err := r.pass(ctx, org, event)
		switch {
		case errors.Is(err, ErrConflict):
			// Another process wrote in between: nothing has been cleared, start again.
			continue
		case err != nil:
			return fmt.Errorf("recalculate event %s: %w", event, err)
		case done:
			return nil
		}
	}
	return errContended
}

// pass reads the marks, calculates the affected nodes, writes the result, and only then clears exactly these marks.
func (r Recalculator) pass(ctx context.Context, org record.OrgID, event record.EventID) (done bool, err error) {
	r.written, r.pending = map[NodeID]writtenNode{}, newPending()
	ev, err := r.Records.EventContext(ctx, org, event)
	if errors.Is(err, record.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if ev.Org != org {
		// Both the task and the document name the organization: a forged task, or a store that ignores the
		// organization, must have no effect.
		return false, errOtherOrganization
	}
	// If a set is temporarily unavailable, records must not be omitted from the result.
	if factors.IsPackID(ev.FactorSet) {
		if _, err := factors.Resolve(ctx, ev.FactorSet); err != nil {
			return false, err
		}
	}
	marked, err := r.Records.MarkedRecords(ctx, org, event, marksPerPass)
	if err != nil {
		return false, err
	}
	if len(marked) == 0 && ev.Mark == "" {
		return true, nil
	}
	r.marked = r.segmentsOf(marked)
	if !ev.Deleted {
		if err := r.bringUpToDate(ctx, org, event, distinct(slices.Collect(maps.Keys(r.marked)))); err != nil {
			return false, err
		}
	}
	r.pending.add(func(ctx context.Context) error { return r.Records.ClearRecordMarks(ctx, org, event, marked) })
	if ev.Mark != "" {
		r.pending.add(func(ctx context.Context) error { return r.Records.ClearEventMark(ctx, org, event, ev.Mark) })
	}
	return false, r.writePending(ctx)
}

// segmentsOf returns the nodes of level 0 that the marked records are under, and how many
// are under each.
func (r Recalculator) segmentsOf(marked []record.MarkedRecord) map[NodeID]int64 {
	touched := map[NodeID]int64{}
	for _, m := range marked {
		touched[NodeID{Type: m.Type, Index: (m.Seq - 1) / r.Fanout}]++
	}
	return touched
}

// parentsOf returns the parents of the given nodes, each once.
func (r Recalculator) parentsOf(nodes []NodeID) []NodeID {
	above := make([]NodeID, 0, len(nodes))
	for _, n := range nodes {
		above = append(above, NodeID{Type: n.Type, Level: n.Level + 1, Index: n.Index / r.Fanout})
	}
	return distinct(above)
}

func distinct(nodes []NodeID) []NodeID {
	slices.SortFunc(nodes, func(a, b NodeID) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), cmp.Compare(a.Level, b.Level), cmp.Compare(a.Index, b.Index))
	})
	return slices.Compact(nodes)
}

// bringUpToDate calculates the touched nodes level by level, then the result.
func (r Recalculator) bringUpToDate(ctx context.Context, org record.OrgID, event record.EventID, touched []NodeID) error {
	for level := 0; level <= TopLevel; level++ {
		for _, id := range touched {
			if err := r.calculateNode(ctx, org, event, id); err != nil {
				return err
			}
		}
		touched = r.parentsOf(touched)
	}
	return r.calculateResult(ctx, org, event)
}

// calculateResult sums the nodes, in the same order of reads as calculateNode.
func (r Recalculator) calculateResult(ctx context.Context, org record.OrgID, event record.EventID) error {
	stored, err := r.Results.Result(ctx, org, event)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	ev, err := r.Records.EventContext(ctx, org, event)
	if err != nil {
		return err
	}
	nodes, err := r.freshNodes(ctx, ev, "", TopLevel, 0, math.MaxInt64)
	if err != nil {
		return err
	}
	next := Result{
		Org: org, Event: event, Version: stored.Version + 1,
		ContextRev: ev.ContextRev, Context: ev.Context(), EngineVersion: ev.Context().EngineVersion(),
	}
	eventContext, err := json.Marshal(next.Context)
	if err != nil {
		return err
	}
	inputs := sha256.New()
	bundle.HashPart(inputs, string(eventContext))
	sum, err := r.sumNodes(nodes, inputs)
	if err != nil {
		return err
	}
	next.Contribution, next.Failed, next.FailedCount, next.InputsHash = sum.Contribution, sum.Failed, sum.FailedCount, sum.Hash
	for _, n := range nodes {
		next.Children = append(next.Children, Child{Key: topKey(n.NodeID), Value: strconv.FormatInt(n.Version, 10)})
	}
	slices.SortFunc(next.Children, compareChildren)
	return r.putResult(ctx, stored, next)
}

// putResult numbers the result and stores it, keeping the one it replaces.
func (r Recalculator) putResult(ctx context.Context, stored, next Result) error {
	if stored.Version > 0 && sameContent(stored, next) {
		next.Revision, next.CalculatedAt, next.Causes, next.Previous = stored.Revision, stored.CalculatedAt, stored.Causes, stored.Previous
		return r.storeResult(next, stored.Version)
	}
	next.Revision = stored.Revision + 1
	next.CalculatedAt = r.Now().UTC().Truncate(time.Millisecond)
	var err error
	if next.Causes, err = r.resultCauses(ctx, stored, next); err != nil {
		return err
	}
	if stored.Version > 0 {
		next.Previous = stored.Digest()
		// First the history, then the write: a crash in between repeats it.
		r.pending.add(func(ctx context.Context) error { return r.Results.InsertRevision(ctx, stored) })
	}
	return r.storeResult(next, stored.Version)
}

// storeResult stores a result and its headline. The marks are cleared after both,
// so a crash in between repeats it.
func (r Recalculator) storeResult(next Result, prevVersion int64) error {
	headline, err := headlineOf(r.Arithmetic, next)
	if err != nil {
		return err
	}
	r.pending.add(
		func(ctx context.Context) error { return r.Results.PutResult(ctx, next, prevVersion) },
		func(ctx context.Context) error { return r.Records.PutHeadline(ctx, next.Org, next.Event, headline) },
	)
	return nil
}

// sameContent reports whether two results would be served identically.
func sameContent(a, b Result) bool {
	return a.InputsHash == b.InputsHash && a.ContextRev == b.ContextRev && a.EngineVersion == b.EngineVersion &&
		string(a.Contribution) == string(b.Contribution) && a.FailedCount == b.FailedCount && slices.Equal(a.Failed, b.Failed)
}

// freshNodes reads the nodes of one level and range. It first recalculates those of another context of the event than
// ev's, or of another engine: all parts of a result have one context and engine.
func (r Recalculator) freshNodes(ctx context.Context, ev record.Event, typ string, level int, from, to int64) ([]Node, error) {
	nodes, err := r.nodes(ctx, ev, typ, level, from, to)
	if err != nil {
		return nil, err
	}
	stale := false
	for _, n := range nodes {
		if !r.fresh(n, ev) {
			stale = true
			if err := r.calculateNode(ctx, ev.Org, ev.ID, n.NodeID); err != nil {
				return nil, err
			}
		}
	}
	if !stale {
		return nodes, nil
	}
	if nodes, err = r.nodes(ctx, ev, typ, level, from, to); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if !r.fresh(n, ev) {
			// The context moved on while we worked.
			return nil, ErrConflict
		}
	}
	return nodes, nil
}

// fresh reports whether a node has the current context and engine.
func (r Recalculator) fresh(n Node, ev record.Event) bool {
	return n.ContextRev == ev.ContextRev && r.Arithmetic.Current(n.Contribution)
}
