// Package recompute recalculates the stored figures of an organization: the
// figures of each record from its inputs, and each event's result from its counted
// records. The chains of histories prove inputs and decisions; this verifies
// the calculations.
package recompute

import (
	"context"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// recordsAtOnce bounds the records in memory, in addition to one event's inputs.
const recordsAtOnce = 256

// Records is what is read of records and events.
type Records interface {
	StoredRecords(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.StoredRecord, error)
	StoredRecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.StoredRecord, error)
	StoredEvents(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.StoredEvent, error)
	EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
	EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error)
	HasMarks(ctx context.Context, org record.OrgID, event record.EventID) (bool, error)
	Summaries(ctx context.Context, org record.OrgID, events []record.EventID) (map[record.EventID]record.Summary, error)
}

// Results is what is read of the results of events but what eventreader reads.
type Results interface {
	Retention(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Retention, error)
	Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]resulttree.Result, error)
}

// Tally is what a verification has gone through. Records, Results and Revisions were
// compared with what they come to.
type Tally struct {
	Records, Results, Revisions int64
	// Waiting are pending recalculation, according to a mark in the store, so they cannot be compared.
	Waiting int64
	// Earlier belong to a state of their event that predates its history.
	Earlier int64
	// OtherEngine were calculated by an engine that this program lacks, so they cannot be verified.
	OtherEngine int64
}

// Verifier compares stored figures with a recalculation. It works beside running
// servers: what differs is read again before it is reported. What cannot be read is
// package histories' to report, but for results.
type Verifier struct {
	Records Records
	Inputs  eventreader.Reader
	Results Results
	// Report is called with each error, in one sentence.
	Report func(fault string) error
}

// Verify goes through all records and results of an organization.
func (v Verifier) Verify(ctx context.Context, org record.OrgID) (Tally, error) {
	var t Tally
	if err := v.records(ctx, org, &t); err != nil {
		return t, fmt.Errorf("recompute records: %w", err)
	}
	if err := v.results(ctx, org, &t); err != nil {
		return t, fmt.Errorf("recompute results: %w", err)
	}
	return t, nil
}

// subject is an event as far as figures depend on it.
type subject struct {
	record.Event
	// contexts are its known contexts by ContextRev.
	contexts map[int64]footprint.EventContext
}

// subject reads an event, if it exists and can be read.
func (v Verifier) subject(ctx context.Context, org record.OrgID, id record.EventID) (s subject, ok bool, err error) {
	s.Event, err = v.Records.EventContext(ctx, org, id)
	if errors.Is(err, record.ErrNotFound) || record.IsDamage(err) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	s.contexts = map[int64]footprint.EventContext{s.ContextRev: s.Context()}
	if s.ContextRev == 1 || s.Last.Rev == 0 {
		return s, true, nil
	}
	entries, err := v.Records.EventEntries(ctx, org, id, 0, s.Last.Rev-1)
	if err != nil && !record.IsDamage(err) {
		return s, false, err
	}
	if err == nil {
		// Unreadable histories are reported by package histories.
		if all, unfit := record.ContextsOf(s.Event, append(entries, s.Last)); unfit == nil {
			s.contexts = all
		}
	}
	return s, true, nil
}

// had reports whether the event has had a context of a number.
func (s subject) had(contextRev int64) bool {
	return min(1, s.ContextRev) <= contextRev && contextRev <= s.ContextRev
}

func (v Verifier) records(ctx context.Context, org record.OrgID, t *Tally) error {
	var at record.Place
	var of subject
	known := false
	for {
		batch, err := v.Records.StoredRecords(ctx, org, at, recordsAtOnce)
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, stored := range batch {
			r := stored.Record
			if at.Event != r.Event {
				if of, known, err = v.subject(ctx, org, r.Event); err != nil {
					return fmt.Errorf("event %s: %w", r.Event, err)
				}
			}
			at = record.PlaceOf(r)
			if !known || stored.Damage != nil || r.Deleted {
				continue
			}
			if err := v.record(ctx, of, r, t); err != nil {
				return err
			}
		}
	}
}

// recordAttempts bounds how often a record is reread while it changes.
const recordAttempts = 5

// record compares the figures of one record.
func (v Verifier) record(ctx context.Context, of subject, r record.Record, t *Tally) error {
	found := of.figures(r)
	if found == nil && of.stale(r) {
		found = errStale
	}
	for range recordAttempts {
		if found == nil {
			break
		}
		// It, or its event, may have been changed since it was read.
		marked, err := v.Records.HasMarks(ctx, r.Org, r.Event)
		if err != nil {
			return err
		}
		now, ok, err := v.subject(ctx, r.Org, r.Event)
		if err != nil || !ok {
			return err
		}
		again, err := v.Records.StoredRecordsByID(ctx, r.Org, []record.ID{r.ID})
		if err != nil || len(again) == 0 || again[0].Damage != nil || again[0].Record.Deleted {
			return err
		}
		still := now.Rev == of.Rev && again[0].Record.Rev == r.Rev && again[0].Record.ContextRev == r.ContextRev
		of, r = now, again[0].Record
		found = of.figures(r)
		if found == nil && of.stale(r) {
			if marked {
				t.Waiting++
				return nil
			}
			found = errStale
		}
		if still {
			break
		}
	}
	switch {
	case errors.Is(found, errOtherEngine):
		t.OtherEngine++
		return nil
	case errors.Is(found, errEarlier):
		t.Earlier++
		return nil
	}
	t.Records++
	if found == nil {
		return nil
	}
	return v.Report(fmt.Sprintf("event %s, %s, record %s: %v", r.Event, r.Type, r.ID, found))
}
