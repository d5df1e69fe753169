// Package recompute calculates again what is stored of an organization: the
// figures of each record from its inputs, and each event's result from the records
// that it counts. The chains of histories prove inputs and decisions; this proves
// what was calculated from them.
package recompute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// recordsAtOnce bounds what is held in memory beside one event's inputs.
const recordsAtOnce = 256

// Records is what is read of records and events.
type Records interface {
	RecordsAfter(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.Record, error)
	RecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.Record, error)
	EventsAfter(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.Event, error)
	EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
	HasMarks(ctx context.Context, org record.OrgID, event record.EventID) (bool, error)
}

// Tally is what a verification has gone through. Waiting counts records and
// results that belong to a state before the newest change: the worker replaces
// them, so there is nothing to compare with. OtherEngine counts those that were
// calculated by an engine that this program does not have.
type Tally struct{ Records, Results, Waiting, OtherEngine int64 }

// Verifier compares what is stored with what it comes to. It works beside running
// servers: what differs is read again before it is reported.
type Verifier struct {
	Records Records
	Inputs  eventreader.Reader
	// Report takes each fault, in one sentence.
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

func (v Verifier) records(ctx context.Context, org record.OrgID, t *Tally) error {
	var at record.Place
	var ev record.Event
	for {
		batch, err := v.Records.RecordsAfter(ctx, org, at, recordsAtOnce)
		if err != nil || len(batch) == 0 {
			return err
		}
		for _, r := range batch {
			at = record.PlaceOf(r)
			if ev.ID != r.Event {
				if ev, err = v.Records.EventContext(ctx, org, r.Event); err != nil {
					return fmt.Errorf("event %s: %w", r.Event, err)
				}
			}
			if err := v.record(ctx, ev, r, t); err != nil {
				return err
			}
		}
	}
}

// record compares the figures of one record.
func (v Verifier) record(ctx context.Context, ev record.Event, r record.Record, t *Tally) error {
	if r.Deleted || len(r.Contribution) == 0 {
		return nil
	}
	fault := figures(ev, r)
	if fault != nil {
		// It, or its event, may have been changed since it was read.
		now, err := v.Records.EventContext(ctx, r.Org, r.Event)
		if err != nil {
			return err
		}
		again, err := v.Records.RecordsByID(ctx, r.Org, []record.ID{r.ID})
		if err != nil || len(again) == 0 || again[0].Deleted {
			return err
		}
		ev, r = now, again[0]
		fault = figures(ev, r)
	}
	if r.ContextRev != ev.ContextRev {
		t.Waiting++
		return nil
	}
	if errors.Is(fault, errOtherEngine) {
		t.OtherEngine++
		return nil
	}
	t.Records++
	if fault == nil {
		return nil
	}
	return v.Report(fmt.Sprintf("event %s, %s, record %s: %v", r.Event, r.Type, r.ID, fault))
}

var errOtherEngine = errors.New("calculated by another engine")

// figures returns what differs between the stored figures of a record and what
// its inputs come to; nil also where they belong to an earlier state of the event.
func figures(ev record.Event, r record.Record) error {
	if r.ContextRev != ev.ContextRev {
		return nil
	}
	var sum total.Contribution
	if err := json.Unmarshal(r.Contribution, &sum); err != nil {
		return fmt.Errorf("its contribution cannot be read: %w", err)
	}
	if sum.Records() > 0 && sum.Engine() != ev.Context().EngineVersion() {
		return errOtherEngine // of an event that nobody has changed since the engine has
	}
	preview, contribution, err := record.Evaluate(r.Type, r.Fields, nil, ev.Context())
	if err != nil {
		return fmt.Errorf("its inputs cannot be calculated: %w", err)
	}
	if same, err := sameSum(r.Contribution, contribution); err != nil || !same {
		return errors.Join(errors.New("its contribution is not what its inputs come to"), err)
	}
	var stored, again total.Preview
	if err := errors.Join(json.Unmarshal(r.Preview, &stored), json.Unmarshal(preview, &again)); err != nil {
		return fmt.Errorf("the figure shown cannot be read: %w", err)
	}
	if stored.KgCO2e != again.KgCO2e || stored.Low != again.Low || stored.High != again.High || stored.FactorSet != again.FactorSet {
		return fmt.Errorf("the figure shown is %s kg CO2e, and its inputs come to %s", stored.KgCO2e.Kilograms(), again.KgCO2e.Kilograms())
	}
	return nil
}

// sameSum reports whether two sums have the same figures, in whatever form they
// were stored.
func sameSum(stored, again json.RawMessage) (bool, error) {
	var sum total.Contribution
	if err := json.Unmarshal(stored, &sum); err != nil {
		return false, err
	}
	text, err := json.Marshal(sum)
	return bytes.Equal(text, again), err
}

func (v Verifier) results(ctx context.Context, org record.OrgID, t *Tally) error {
	for after := int64(0); ; {
		events, err := v.Records.EventsAfter(ctx, org, after, recordsAtOnce)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			after = e.Slot
			if err := v.result(ctx, org, e.ID, t); err != nil {
				return fmt.Errorf("event %s: %w", e.ID, err)
			}
		}
	}
}

// resultAttempts bounds how often an event that changes meanwhile is read again.
const resultAttempts = 5

// result compares the newest result of an event with the sum of its records.
func (v Verifier) result(ctx context.Context, org record.OrgID, id record.EventID, t *Tally) error {
	for range resultAttempts {
		ev, err := v.Records.EventContext(ctx, org, id)
		if err != nil || ev.Deleted {
			return err
		}
		stored, err := v.Inputs.Results.Result(ctx, org, id)
		if errors.Is(err, resulttree.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		waiting, err := v.Records.HasMarks(ctx, org, id)
		if err != nil {
			return err
		}
		if waiting || stored.ContextRev != ev.ContextRev {
			t.Waiting++
			return nil
		}
		if !footprint.KnownEngine(stored.EngineVersion) {
			t.OtherEngine++
			return nil
		}
		fault, err := v.sum(ctx, stored)
		if err != nil {
			return err
		}
		now, err := v.Inputs.Results.Result(ctx, org, id)
		if err != nil {
			return err
		}
		if waiting, err = v.Records.HasMarks(ctx, org, id); err != nil {
			return err
		}
		if fault != nil && (waiting || now.Version != stored.Version) {
			continue
		}
		t.Results++
		if fault == nil {
			return nil
		}
		return v.Report(fmt.Sprintf("event %s, result of revision %d: %v", id, stored.Revision, fault))
	}
	t.Waiting++
	return nil
}

// sum returns what is wrong with a result; err where that could not be found out.
func (v Verifier) sum(ctx context.Context, stored resulttree.Result) (fault, err error) {
	_, counted, err := v.Inputs.Inputs(ctx, stored.Org, stored.Event, eventreader.Limits{Records: math.MaxInt64, Bytes: math.MaxInt})
	if refused := new(apperr.Error); errors.As(err, &refused) {
		return errors.New("the records that are approved are not those whose hash it states"), nil
	}
	if err != nil {
		return nil, err
	}
	failed := make(map[record.ID]bool, len(stored.Failed))
	for _, id := range stored.Failed {
		failed[id] = true
	}
	unnamed := stored.Failures() - int64(len(stored.Failed))
	summer, err := total.NewSummer(stored.Context)
	if err != nil {
		return fmt.Errorf("it cannot be calculated: %w", err), nil
	}
	for _, c := range counted {
		if failed[c.ID] {
			continue
		}
		if err := summer.Add(c.Type, c.Fields); err != nil {
			if unnamed--; unnamed >= 0 {
				continue
			}
			return fmt.Errorf("record %s, which it counts, cannot be calculated: %w", c.ID, err), nil
		}
	}
	text, err := json.Marshal(summer.Contribution())
	if err != nil {
		return nil, err
	}
	if same, err := sameSum(stored.Contribution, text); err != nil || !same {
		return errors.Join(errors.New("its figures are not what the approved records come to"), err), nil
	}
	return nil, nil
}
