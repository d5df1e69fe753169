package calculation

import (
	"context"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"

	"github.com/eventcarbon/ecf/libs/recalc"
	"github.com/eventcarbon/ecf/libs/record"
)

// WorkerDeps is what the role work is made of.
type WorkerDeps struct {
	Records RecordStore
	Results Store
	Queue   asynq.RedisConnOpt
	Bell    recalc.SureBell
	Workers int
	// Sweep is how often lost rings are looked for.
	Sweep time.Duration
	// Grace is how long running tasks may take to end after ctx has.
	Grace time.Duration
	// Insight measures the work. The caller closes it.
	Insight *recalc.Insight
	Logger  *slog.Logger
	Now     func() time.Time
}

// Work recalculates for every ring, and sweeps for the rings that were lost,
// until ctx ends.
func Work(ctx context.Context, d WorkerDeps) error {
	d.Insight.Watch(d.Records.MarkedEvents)
	measured := measuredRecalculator{
		Recalculator: NewRecalculator(d.Records, d.Results, d.Now), insight: d.Insight, bell: d.Bell, ending: ctx.Done(), log: d.Logger,
	}
	apart := newApart(measured.recalculate)
	sweeper := &Sweeper{Records: d.Records, Bell: sweptBell{d.Bell, d.Insight}, Logger: d.Logger}
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		sweeper.Run(ctx, d.Sweep)
	}()
	err := recalc.Serve(ctx, d.Queue, d.Workers, d.Grace, d.Logger, apart.do)
	<-swept
	return err
}

// sweepLimit bounds how many due events one sweep looks at, oldest first.
const sweepLimit = 1000

// longestSilence is the most sweeps between two rings for a mark that stays.
const longestSilence = 32

// Sweeper rings for events whose marks stay: the ring was lost, or the worker
// died. It compares no clocks, only what it saw one sweep ago, so it may run
// in any number of processes, and a wrong clock does no harm.
type Sweeper struct {
	Records interface {
		MarkedEvents(ctx context.Context, limit int) ([]record.MarkedEvent, error)
	}
	Bell interface {
		TryRing(ctx context.Context, org record.OrgID, event record.EventID) error
	}
	Logger *slog.Logger

	seen map[record.EventID]sighting
}

// sighting is how often in a row an event was seen with the same oldest mark.
type sighting struct {
	mark  string
	times int
}

// Run sweeps at each tick until ctx ends.
func (s *Sweeper) Run(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "sweep failed; the next one tries again", "error", err.Error())
			}
		}
	}
}

// Sweep looks once. It rings for a mark at its second sighting, then at the
// fourth, the eighth and so on, so that an event which cannot be calculated
// does not fill the queue. A ring that could not be made is made at the next
// sweep: when the queue comes back, nobody must wait for the next power of two.
func (s *Sweeper) Sweep(ctx context.Context) error {
	due, err := s.Records.MarkedEvents(ctx, sweepLimit)
	if err != nil {
		return err
	}
	seen := make(map[record.EventID]sighting, len(due))
	for _, e := range due {
		now := sighting{mark: e.Mark, times: 1}
		if before := s.seen[e.Event]; before.mark == e.Mark {
			now.times = before.times + 1
		}
		if rings(now.times) && s.Bell.TryRing(ctx, e.Org, e.Event) != nil {
			now.times--
		}
		seen[e.Event] = now
	}
	s.seen = seen
	return nil
}

// rings says at which sightings of a mark the sweeper rings.
func rings(times int) bool {
	if times >= longestSilence {
		return times%longestSilence == 0
	}
	return times >= 2 && times&(times-1) == 0
}
