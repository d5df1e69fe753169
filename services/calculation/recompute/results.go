package recompute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

func (v Verifier) results(ctx context.Context, org record.OrgID, t *Tally) error {
	for after := int64(0); ; {
		events, err := v.Records.StoredEvents(ctx, org, after, recordsAtOnce)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			after = e.Event.Slot
			if e.Damage != nil || e.Event.Deleted {
				continue
			}
			if err := v.result(ctx, org, e.Event.ID, t); err != nil {
				return fmt.Errorf("event %s: %w", e.Event.ID, err)
			}
		}
	}
}

// resultAttempts bounds how often an event is reread while it changes.
const resultAttempts = 5

// moment is the data that a result is compared with, from one read.
type moment struct {
	subject
	stored   resulttree.Result
	none     bool  // there is no result
	damage   error // why its result cannot be read
	waiting  bool
	approved int64
	headline record.Headline
}

// moment reads an event and its result. There is nothing to compare if the event does not exist any more.
func (v Verifier) moment(ctx context.Context, org record.OrgID, id record.EventID) (m moment, ok bool, err error) {
	if m.waiting, err = v.Records.HasMarks(ctx, org, id); err != nil {
		return m, false, err
	}
	if m.subject, ok, err = v.subject(ctx, org, id); err != nil || !ok || m.Deleted {
		return m, false, err
	}
	m.stored, err = v.Inputs.Results.Result(ctx, org, id)
	m.none = errors.Is(err, resulttree.ErrNotFound)
	if record.IsDamage(err) {
		m.damage = err
	} else if err != nil && !m.none {
		return m, false, err
	}
	summaries, err := v.Records.Summaries(ctx, org, []record.EventID{id})
	if record.IsDamage(err) {
		m.damage, err = errors.Join(m.damage, err), nil
	}
	m.approved, m.headline = summaries[id].Counts.Approved, summaries[id].Headline
	return m, err == nil, err
}

// alike reports whether a later read has the same state.
func (m moment) alike(later moment) bool {
	return m.Rev == later.Rev && m.ContextRev == later.ContextRev && m.stored.Version == later.stored.Version && m.none == later.none && m.waiting == later.waiting
}

// result compares the newest result of an event with the sum of its records.
func (v Verifier) result(ctx context.Context, org record.OrgID, id record.EventID, t *Tally) error {
	for range resultAttempts {
		m, ok, err := v.moment(ctx, org, id)
		if err != nil || !ok {
			return err
		}
		faults, err := v.compare(ctx, m)
		if err != nil {
			return err
		}
		if len(faults) > 0 {
			now, ok, err := v.moment(ctx, org, id)
			if err != nil || !ok {
				return err
			}
			if !m.alike(now) {
				continue
			}
		}
		return v.tell(m, faults, t)
	}
	t.Waiting++
	return nil
}

// tell counts and reports the findings of a result.
func (v Verifier) tell(m moment, faults []error, t *Tally) error {
	name := fmt.Sprintf("event %s, result of revision %d", m.ID, m.stored.Revision)
	if m.none || m.damage != nil {
		name = fmt.Sprintf("event %s", m.ID)
	}
	compared := !m.none
	for _, fault := range faults {
		switch {
		case errors.Is(fault, errOtherEngine):
			compared = false
			t.OtherEngine++
		default:
			if err := v.Report(fmt.Sprintf("%s: %v", name, fault)); err != nil {
				return err
			}
		}
	}
	switch {
	case m.waiting && (!m.none || m.approved > 0):
		t.Waiting++
	case compared:
		t.Results++
	}
	if !m.none && m.damage == nil {
		t.Revisions += m.stored.Revision - 1
	}
	return nil
}

// compare returns the faults of an event's result; err if they could not be determined.
func (v Verifier) compare(ctx context.Context, m moment) (faults []error, err error) {
	if unread := m.damage; unread != nil {
		return append(faults, fmt.Errorf("its result cannot be read: %w", unread)), nil
	}
	switch {
	case m.none && m.headline.Version > 0:
		return []error{fmt.Errorf("the result of revision %d, which lists show, is not there", m.headline.Revision)}, nil
	case m.none && m.approved > 0 && !m.waiting:
		return []error{fmt.Errorf("%d records are approved, there is no result, and nothing says that one is to be calculated", m.approved)}, nil
	case m.none:
		return nil, nil
	case m.stored.Revision < 1 || m.stored.Org != m.Org || m.stored.Event != m.ID:
		return []error{errors.New("it is another event's")}, nil
	}
	if faults, err = v.revisions(ctx, m); err != nil {
		return nil, err
	}
	if fault := m.state(); fault != nil || m.waiting {
		if fault != nil {
			faults = append(faults, fault)
		}
		return faults, nil
	}
	if fault := m.shown(); fault != nil {
		faults = append(faults, fault)
	}
	sums, err := v.sum(ctx, m.stored)
	return append(faults, sums...), err
}

// state returns an error if a result is not of the state it claims.
func (m moment) state() error {
	r := m.stored
	if !m.had(r.ContextRev) {
		return fmt.Errorf("it is of state %d of its event, which has had states 1 to %d", r.ContextRev, m.ContextRev)
	}
	if r.ContextRev != m.ContextRev && !m.waiting {
		return errors.New("it is of an earlier state of its event, and nothing says that it is to be calculated anew")
	}
	return m.made(r)
}

// made returns an error if the context or the engine of a result or a revision is wrong.
func (s subject) made(r resulttree.Result) error {
	context, known := s.contexts[r.ContextRev]
	if !known {
		return nil
	}
	if err := engineOf(r.EngineVersion, context); err != nil {
		return err
	}
	if r.Context != context {
		return fmt.Errorf("its context is not that of state %d of its event", r.ContextRev)
	}
	return nil
}

// shown returns an error if lists show other figures than the result. Events of an earlier version have none until
// their next result.
func (m moment) shown() error {
	if m.headline.Version == 0 {
		return nil
	}
	want, err := resulttree.HeadlineOf(m.stored)
	if err != nil {
		return nil //nolint:nilerr // that the contribution cannot be read is said of the result
	}
	if m.headline.Version != want.Version || m.headline.Revision != want.Revision || !bytes.Equal(m.headline.Total, want.Total) {
		return fmt.Errorf("lists show revision %d with %s, which is not this result", m.headline.Revision, m.headline.Total)
	}
	return nil
}

// sum returns the faults of the figures of a result and of its nodes. Its inputs are without the records that could not
// be calculated, which its segments name.
func (v Verifier) sum(ctx context.Context, stored resulttree.Result) (faults []error, err error) {
	_, counted, err := v.Inputs.Inputs(ctx, stored.Org, stored.Event, eventreader.Limits{Records: math.MaxInt64, Bytes: math.MaxInt})
	if refused := new(apperr.Error); errors.As(err, &refused) {
		return []error{errors.New("the records that are approved are not those whose hash it states")}, nil
	}
	if record.IsDamage(err) {
		return []error{fmt.Errorf("what it was summed from cannot be read: %w", err)}, nil
	}
	if err != nil {
		return nil, err
	}
	segments := map[resulttree.NodeID]*total.Summer{}
	for _, c := range counted {
		id := resulttree.NodeID{Type: c.Type, Index: (c.Seq - 1) / resulttree.Fanout}
		if segments[id] == nil {
			if segments[id], err = total.NewSummer(stored.Context); err != nil {
				return []error{fmt.Errorf("it cannot be calculated: %w", err)}, nil
			}
		}
		if err := segments[id].Add(c.Type, c.Fields); err != nil {
			return []error{fmt.Errorf("record %s, which it counts, cannot be calculated: %w", c.ID, err)}, nil
		}
	}
	sums := make(map[resulttree.NodeID]total.Contribution, len(segments))
	for id, s := range segments {
		sums[id] = s.Contribution()
	}
	for level := 0; ; level++ {
		if err := v.nodes(ctx, stored, level, sums, &faults); err != nil || level == resulttree.TopLevel {
			return append(faults, whole(stored, sums)...), err
		}
		above := map[resulttree.NodeID]total.Contribution{}
		for id, sum := range sums {
			parent := resulttree.NodeID{Type: id.Type, Level: level + 1, Index: id.Index / resulttree.Fanout}
			above[parent] = above[parent].Add(sum)
		}
		sums = above
	}
}

// whole compares a result with the sums of the top nodes.
func whole(stored resulttree.Result, sums map[resulttree.NodeID]total.Contribution) []error {
	var sum total.Contribution
	for _, part := range sums {
		sum = sum.Add(part)
	}
	if err := holds(stored.Contribution, sum); err != nil {
		return []error{errors.Join(errors.New("its figures are not what the approved records come to"), err)}
	}
	return nil
}

// errOtherSum reports a stored sum that differs from the recalculated one.
var errOtherSum = errors.New("it is another sum")

func holds(stored json.RawMessage, sum total.Contribution) error {
	text, err := json.Marshal(sum)
	if err != nil {
		return err
	}
	same, err := sameSum(stored, text)
	if err == nil && !same {
		err = errOtherSum
	}
	return err
}

// nodes compares the nodes of one level with those below. Nodes of an earlier state are recalculated before they are
// added.
func (v Verifier) nodes(ctx context.Context, stored resulttree.Result, level int, sums map[resulttree.NodeID]total.Contribution, faults *[]error) error {
	nodes, err := v.Inputs.Results.Nodes(ctx, stored.Org, stored.Event, "", level, 0, math.MaxInt64)
	if record.IsDamage(err) {
		*faults = append(*faults, fmt.Errorf("what it was summed from cannot be read: %w", err))
		return nil
	}
	if err != nil {
		return err
	}
	there := map[resulttree.NodeID]bool{}
	for _, n := range nodes {
		there[n.NodeID] = true
		if n.ContextRev == stored.ContextRev && holds(n.Contribution, sums[n.NodeID]) != nil {
			*faults = append(*faults, fmt.Errorf("the sum of %s that is kept for it (level %d, %d) is not what the approved records come to", n.Type, n.Level, n.Index))
		}
	}
	for id := range sums {
		if !there[id] {
			*faults = append(*faults, fmt.Errorf("the sum of %s that is kept for it (level %d, %d) is not there", id.Type, id.Level, id.Index))
		}
	}
	return nil
}
