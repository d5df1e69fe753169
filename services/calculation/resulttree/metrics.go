package resulttree

import (
	"context"
	"errors"
	"log/slog"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
)

// errHandOver ends a run that leaves the rest of its work to another.
var errHandOver = errors.New("resulttree: handed over")

// meteredRecalculator measures a Recalculator from outside, by its reads and writes, so that the protocol does not
// depend on it. It also ends runs that would continue for as long as the event changes: after its share of passes a
// run releases the worker, and during shutdown after its pass. Both notify the workers of the rest.
type meteredRecalculator struct {
	Recalculator
	insight  *notify.Insight
	notifier notify.Notifier
	// ending is closed when the process is to end.
	ending <-chan struct{}
	log    *slog.Logger
}

func (m meteredRecalculator) recalculate(ctx context.Context, org record.OrgID, event record.EventID) (err error) {
	outcome := notify.Failed // also of a panic
	ended := m.insight.Began()
	defer func() { ended(ctx, outcome) }()
	run := m.Recalculator
	written := &meteredResults{Results: run.Results, insight: m.insight, log: m.log}
	run.Results = written
	run.Records = meteredRecords{Records: run.Records, results: written, handOver: func() bool {
		select {
		case <-m.ending:
			return written.some
		default:
			return false
		}
	}}
	err = run.Recalculate(ctx, org, event)
	switch {
	case errors.Is(err, errHandOver), errors.Is(err, errContended) && written.some:
		outcome = notify.Written
		m.notifier.Notify(ctx, org, event)
		return nil
	case errors.Is(err, errContended):
		outcome = notify.GaveWay
	case err != nil:
	case written.some:
		outcome = notify.Written
	default:
		outcome = notify.NothingDue
	}
	return err
}

// meteredRecords measures how long marks stayed.
type meteredRecords struct {
	Records
	results *meteredResults
	// handOver reports, before each pass, whether the run is to end.
	handOver func() bool
}

// MarkedRecords implements Records.
func (r meteredRecords) MarkedRecords(ctx context.Context, org record.OrgID, event record.EventID, limit int) ([]record.MarkedRecord, error) {
	if r.handOver() {
		return nil, errHandOver
	}
	return r.Records.MarkedRecords(ctx, org, event, limit)
}

// ClearRecordMarks implements Records.
func (r meteredRecords) ClearRecordMarks(ctx context.Context, org record.OrgID, event record.EventID, marked []record.MarkedRecord) error {
	r.results.whenWritten(func(ctx context.Context) {
		for _, m := range marked {
			r.results.insight.Cleared(ctx, m.Mark)
		}
	})
	return r.Records.ClearRecordMarks(ctx, org, event, marked)
}

// ClearEventMark implements Records.
func (r meteredRecords) ClearEventMark(ctx context.Context, org record.OrgID, id record.EventID, mark string) error {
	r.results.whenWritten(func(ctx context.Context) { r.results.insight.Cleared(ctx, mark) })
	return r.Records.ClearEventMark(ctx, org, id, mark)
}

// meteredResults counts lost races and results that miss something. It serves
// one run.
type meteredResults struct {
	Results
	insight *notify.Insight
	log     *slog.Logger
	some    bool // a result was written
	// noted are the measurements of the current writes.
	noted []func(ctx context.Context)
}

// whenWritten makes a measurement once the current writes are done.
func (r *meteredResults) whenWritten(measure func(ctx context.Context)) {
	r.noted = append(r.noted, measure)
}

// Together implements Results.
func (r *meteredResults) Together(ctx context.Context, fn func(ctx context.Context) error) error {
	r.noted = nil
	err := r.Results.Together(ctx, fn)
	if errors.Is(err, ErrConflict) {
		r.insight.StartedOver(ctx)
	}
	if err != nil {
		return err
	}
	for _, measure := range r.noted {
		measure(ctx)
	}
	return nil
}

// PutResult implements Results.
func (r *meteredResults) PutResult(ctx context.Context, result Result, prevVersion int64) error {
	r.whenWritten(func(ctx context.Context) {
		r.some = true
		if len(result.Failed) > 0 {
			r.insight.Incomplete(ctx)
			r.log.ErrorContext(ctx, "approved records cannot be calculated; the result is without them", "event", string(result.Event),
				"records", result.Failures(), "first", string(result.Failed[0]))
		}
	})
	return r.Results.PutResult(ctx, result, prevVersion)
}

// sweepNotifier counts the notifications of the sweeper.
type sweepNotifier struct {
	notifier notify.CheckedNotifier
	insight  *notify.Insight
}

// TryNotify implements notify.CheckedNotifier.
func (b sweepNotifier) TryNotify(ctx context.Context, org record.OrgID, event record.EventID) error {
	err := b.notifier.TryNotify(ctx, org, event)
	if err == nil {
		b.insight.Swept(ctx)
	}
	return err
}
