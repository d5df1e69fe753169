package calculation

import (
	"context"
	"errors"
	"log/slog"

	"github.com/eventcarbon/ecf/libs/recalc"
	"github.com/eventcarbon/ecf/libs/record"
)

// errHandOver ends a run that has done something and is to leave the rest to
// another.
var errHandOver = errors.New("calculation: handed over")

// measuredRecalculator is a Recalculator that is watched from outside: by what
// it reads and writes, so that nothing of the protocol depends on it. It also
// ends runs that would go on for as long as people change the event: a run that
// has had its share of passes leaves the worker to other events, and one whose
// process is to end leaves it after its pass. Both ring for what is left.
type measuredRecalculator struct {
	Recalculator
	insight *recalc.Insight
	bell    recalc.Bell
	// ending is closed when the process is to end.
	ending <-chan struct{}
	log    *slog.Logger
}

func (m measuredRecalculator) recalculate(ctx context.Context, org record.OrgID, event record.EventID) (err error) {
	outcome := recalc.Failed // also of a panic
	ended := m.insight.Began()
	defer func() { ended(ctx, outcome) }()
	run := m.Recalculator
	written := &measuredResults{Results: run.Results, insight: m.insight, log: m.log}
	run.Results = written
	run.Records = measuredRecords{Records: run.Records, insight: m.insight, handOver: func() bool {
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
		outcome = recalc.Written
		m.bell.Ring(ctx, org, event)
		return nil
	case errors.Is(err, errContended):
		outcome = recalc.GaveWay
	case err != nil:
	case written.some:
		outcome = recalc.Written
	default:
		outcome = recalc.NothingDue
	}
	return err
}

// measuredRecords measures how long marks stood.
type measuredRecords struct {
	Records
	insight *recalc.Insight
	// handOver says, before each pass, whether the run is to end.
	handOver func() bool
}

// MarkedRecords implements Records.
func (r measuredRecords) MarkedRecords(ctx context.Context, org record.OrgID, event record.EventID, limit int) ([]record.MarkedRecord, error) {
	if r.handOver() {
		return nil, errHandOver
	}
	return r.Records.MarkedRecords(ctx, org, event, limit)
}

// ClearRecordMarks implements Records.
func (r measuredRecords) ClearRecordMarks(ctx context.Context, org record.OrgID, event record.EventID, marked []record.MarkedRecord) error {
	err := r.Records.ClearRecordMarks(ctx, org, event, marked)
	if err == nil {
		for _, m := range marked {
			r.insight.Cleared(ctx, m.Mark)
		}
	}
	return err
}

// ClearEventMark implements Records.
func (r measuredRecords) ClearEventMark(ctx context.Context, org record.OrgID, id record.EventID, mark string) error {
	err := r.Records.ClearEventMark(ctx, org, id, mark)
	if err == nil {
		r.insight.Cleared(ctx, mark)
	}
	return err
}

// measuredResults counts lost races and results that miss something. It serves
// one run.
type measuredResults struct {
	Results
	insight *recalc.Insight
	log     *slog.Logger
	some    bool // a result was written
}

// PutNode implements Results.
func (r *measuredResults) PutNode(ctx context.Context, n Node, prevVersion int64) error {
	return r.lost(ctx, r.Results.PutNode(ctx, n, prevVersion))
}

// PutResult implements Results.
func (r *measuredResults) PutResult(ctx context.Context, result Result, prevVersion int64) error {
	err := r.lost(ctx, r.Results.PutResult(ctx, result, prevVersion))
	if err != nil {
		return err
	}
	r.some = true
	if len(result.Failed) > 0 {
		r.insight.Incomplete(ctx)
		r.log.ErrorContext(ctx, "approved records cannot be calculated; the result is without them", "event", string(result.Event),
			"records", len(result.Failed), "first", string(result.Failed[0]))
	}
	return nil
}

func (r *measuredResults) lost(ctx context.Context, err error) error {
	if errors.Is(err, ErrConflict) {
		r.insight.StartedOver(ctx)
	}
	return err
}

// sweptBell counts what the sweeper rings for.
type sweptBell struct {
	bell    recalc.SureBell
	insight *recalc.Insight
}

// TryRing rings.
func (b sweptBell) TryRing(ctx context.Context, org record.OrgID, event record.EventID) error {
	err := b.bell.TryRing(ctx, org, event)
	if err == nil {
		b.insight.Swept(ctx)
	}
	return err
}
