package resulttree

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// Actions of a cause that are not moves of a record.
const (
	// ActionEvent is a change of the event: its method, dates, attendees, country
	// or factor set.
	ActionEvent = "update-event"
	// ActionEngine is a new version of the calculation.
	ActionEngine = "new-engine"
	// ActionUnknown denotes changes that predate causes.
	ActionUnknown = "unknown"
	// ActionOther counts the records of omitted causes, if a
	// result has more than maxCauses.
	ActionOther = "other"
)

const (
	// maxCauses bounds the causes stored with a node or a result, and maxCauseRecords the records that one of them
	// names.
	maxCauses       = 20
	maxCauseRecords = 100
)

// Cause is one reason for which a result differs from the one before it: an action
// of one person, on one record or several.
type Cause struct {
	// Action is the move of the records, or one of the actions above.
	Action string `json:"action"`
	// By and At are the actor and the latest time; empty if unknown.
	By      record.Actor `json:"by,omitzero"`
	At      time.Time    `json:"at,omitzero"`
	Comment string       `json:"comment,omitempty"`
	// Fields are those that a change of the event changed.
	Fields []string `json:"fields,omitempty"`
	// Records counts the changes of records, RecordIDs names the first of them.
	Records   int64       `json:"records"`
	RecordIDs []record.ID `json:"recordIds,omitempty"`
}

// sameGround reports whether two causes are listed as one.
func (c Cause) sameGround(other Cause) bool {
	return c.Action == other.Action && c.By.ID == other.By.ID && c.Comment == other.Comment
}

// addFields adds the fields that are not named yet.
func (c *Cause) addFields(fields []string) {
	for _, f := range fields {
		if !slices.Contains(c.Fields, f) {
			c.Fields = append(c.Fields, f)
		}
	}
}

// MergeCauses adds causes to a list. A list has maxCauses at most; its last one counts
// the others.
func MergeCauses(list []Cause, more ...Cause) []Cause {
	for _, c := range more {
		at := slices.IndexFunc(list, c.sameGround)
		if at < 0 && len(list) < maxCauses-1 {
			c.RecordIDs, c.Fields = slices.Clone(c.RecordIDs), slices.Clone(c.Fields)
			list = append(list, c)
			continue
		}
		if at < 0 {
			if at = len(list) - 1; list[at].Action != ActionOther {
				at, list = len(list), append(list, Cause{Action: ActionOther})
			}
			list[at].Records += c.Records
			list[at].addFields(c.Fields)
			continue
		}
		known := &list[at]
		known.Records += c.Records
		if c.At.After(known.At) {
			known.At, known.By = c.At, c.By
		}
		known.addFields(c.Fields)
		for _, id := range c.RecordIDs {
			if len(known.RecordIDs) < maxCauseRecords && !slices.Contains(known.RecordIDs, id) {
				known.RecordIDs = append(known.RecordIDs, id)
			}
		}
	}
	return list
}

// orderedCauses returns causes in the order of their time, those of unknown time last.
func orderedCauses(causes []Cause) []Cause {
	rank := func(c Cause) int {
		switch c.Action {
		case ActionOther:
			return 2
		case ActionUnknown:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.At.Compare(b.At), strings.Compare(a.Action, b.Action), strings.Compare(a.By.ID, b.By.ID))
	})
	return causes
}

// causeOf returns the cause that a history entry of a record is.
func causeOf(id record.ID, e record.Entry) Cause {
	return Cause{Action: string(e.Move), By: e.By, At: e.At, Comment: e.Comment, Records: 1, RecordIDs: []record.ID{id}}
}

// manyChanged is the number of changed records of a segment from which on all of its records are read at once.
const manyChanged = 8

// causesOf returns why the contributions of a segment's records changed: for an added record or a new input, the
// decision that approved it; for a removed one, the move that removed it. A record with unchanged input has changed
// with the event or the engine, which is a cause of the result, not of the record.
func (r Recalculator) causesOf(ctx context.Context, d draft) ([]Cause, error) {
	node, known := d.node, d.known
	var came, went []record.ID
	for _, change := range node.Detail.Changed {
		if change.After.Key == "" {
			went = append(went, record.ID(change.Before.Key))
		} else if change.Before.Hash != change.After.Hash {
			came = append(came, record.ID(change.After.Key))
		}
	}
	if len(came) > manyChanged {
		all, err := r.Records.RecordRange(ctx, node.Org, record.Sub{Event: node.Event, Type: node.Type}, node.Index*r.Fanout+1, (node.Index+1)*r.Fanout)
		if err != nil {
			return nil, err
		}
		known = make(map[record.ID]record.Record, len(all))
		for _, found := range all {
			known[found.ID] = found
		}
	}
	var causes []Cause
	for _, id := range came {
		e, err := r.entryAt(ctx, node, id, d.revs[id], known)
		if err != nil {
			return nil, err
		}
		causes = MergeCauses(causes, causeOf(id, e))
	}
	for _, id := range went {
		e, err := r.leftBy(ctx, node, id, known)
		if err != nil {
			return nil, err
		}
		causes = MergeCauses(causes, causeOf(id, e))
	}
	return causes, nil
}

// entryAt returns the history entry of the counted revision of a record. The record may have moved on since it was
// read.
func (r Recalculator) entryAt(ctx context.Context, node Node, id record.ID, rev int64, known map[record.ID]record.Record) (record.Entry, error) {
	found, err := r.found(ctx, node, id, known)
	if err != nil {
		return record.Entry{}, err
	}
	if found.Last.Rev == rev {
		return found.Last, nil
	}
	entries, err := r.Records.EntryRange(ctx, node.Org, id, rev, rev)
	if err != nil || len(entries) == 0 {
		return record.Entry{Move: ActionUnknown}, err
	}
	return entries[0], nil
}

// leftBy returns the newest history entry by which a record left the approved ones. The record is read before its
// stored entries, which contain its newest one as soon as it has been replaced.
func (r Recalculator) leftBy(ctx context.Context, node Node, id record.ID, known map[record.ID]record.Record) (record.Entry, error) {
	found, err := r.found(ctx, node, id, known)
	if err != nil {
		return record.Entry{}, err
	}
	if found.Last.From == record.Approved {
		return found.Last, nil
	}
	entries, err := r.Records.Entries(ctx, node.Org, id)
	if err != nil {
		return record.Entry{}, err
	}
	for _, e := range slices.Backward(entries) {
		if e.From == record.Approved {
			return e, nil
		}
	}
	return record.Entry{Move: ActionUnknown}, nil
}

// found returns a record of a segment, empty if it does not exist any more.
func (r Recalculator) found(ctx context.Context, node Node, id record.ID, known map[record.ID]record.Record) (record.Record, error) {
	if found, ok := known[id]; ok {
		return found, nil
	}
	found, err := r.Records.FindRecord(ctx, node.Org, node.Event, id)
	if errors.Is(err, record.ErrNotFound) {
		return record.Record{}, nil
	}
	return found, err
}

// writtenNode is the state of a node written in this pass.
type writtenNode struct {
	version int64
	causes  []Cause
	hash    string
	before  int64 // the version that it has replaced
	// by is the difference from it, if known and if nothing has failed in either.
	by *difference
}

// causesBetween merges the causes of the versions that separate two lists of
// nodes; name returns the node of a key.
func (r Recalculator) causesBetween(ctx context.Context, org record.OrgID, event record.EventID, changed []Change, name func(key string) (NodeID, error)) ([]Cause, error) {
	var causes []Cause
	for _, c := range changed {
		id, err := name(c.key())
		if err != nil {
			return nil, err
		}
		after, to, err := span(c)
		if err != nil {
			return nil, err
		}
		if w := r.written[id]; w.version == to && after == to-1 {
			causes = MergeCauses(causes, w.causes...)
			continue
		}
		// The log has only stored versions.
		if err := r.writePending(ctx); err != nil {
			return nil, err
		}
		read := comparison{Comparer: Comparer{Results: r.Results}, org: org, event: event}
		log, err := read.log(ctx, id, after, to)
		if err != nil {
			return nil, err
		}
		for _, version := range log {
			causes = MergeCauses(causes, version.causes()...)
		}
	}
	return causes, nil
}

// causes returns why a version of a node differs from the previous one. A version that predates causes has unknown
// ones.
func (c NodeChanges) causes() []Cause {
	if len(c.Causes) > 0 || c.Level > 0 {
		return c.Causes
	}
	unknown := Cause{Action: ActionUnknown}
	for _, change := range c.Changed {
		if change.Before.Hash != change.After.Hash {
			unknown.Records++
			if len(unknown.RecordIDs) < maxCauseRecords {
				unknown.RecordIDs = append(unknown.RecordIDs, record.ID(change.key()))
			}
		}
	}
	if unknown.Records == 0 {
		return nil
	}
	return []Cause{unknown}
}

// resultCauses returns why a result differs from the stored one.
func (r Recalculator) resultCauses(ctx context.Context, stored, next Result) ([]Cause, error) {
	causes, err := r.causesBetween(ctx, next.Org, next.Event, changesBetween(stored.Children, next.Children), topID)
	if err != nil {
		return nil, err
	}
	// There is no revision before the first that a change of the event could have affected. An empty one was created
	// with the event.
	if stored.Version > 0 && stored.ContextRev != next.ContextRev || stored.Version == 0 && len(causes) == 0 {
		moves, err := r.eventCauses(ctx, stored, next)
		if err != nil {
			return nil, err
		}
		causes = MergeCauses(causes, moves...)
	}
	if stored.Version > 0 && stored.EngineVersion != next.EngineVersion {
		causes = MergeCauses(causes, Cause{Action: ActionEngine, At: next.CalculatedAt, Comment: stored.EngineVersion + " to " + next.EngineVersion})
	}
	if len(causes) == 0 {
		causes = []Cause{{Action: ActionUnknown}}
	}
	return orderedCauses(causes), nil
}

// EventMoves reads the changes of an event; see Recalculator.Events.
type EventMoves interface {
	// ContextMoves reads the changes that raised the event's ContextRev to a
	// number with after < ContextRev ≤ to, oldest first.
	ContextMoves(ctx context.Context, org record.OrgID, event record.EventID, after, to int64) ([]Cause, error)
}

// eventCauses returns the changes of the event between two results.
func (r Recalculator) eventCauses(ctx context.Context, stored, next Result) ([]Cause, error) {
	if r.Events != nil {
		moves, err := r.Events.ContextMoves(ctx, next.Org, next.Event, stored.ContextRev, next.ContextRev)
		if err != nil || len(moves) > 0 {
			return moves, err
		}
	}
	if stored.Version == 0 {
		return nil, nil
	}
	return []Cause{{Action: ActionEvent}}, nil
}
