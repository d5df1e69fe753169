package resulttree

import (
	"context"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
)

// WorkerRecords is the part of the records' store that a worker uses.
type WorkerRecords interface {
	Records
	MarkedEvents(ctx context.Context, limit int) ([]record.MarkedEvent, error)
}

// WorkerDeps are the dependencies of the role work.
type WorkerDeps struct {
	Records  WorkerRecords
	Results  Store
	Queue    asynq.RedisConnOpt
	Notifier notify.CheckedNotifier
	// Direct, if not nil, carries notifications of this process's own services, bypassing the queue.
	Direct  *notify.Direct
	Workers int
	// Sweep is the interval of the sweeper.
	Sweep time.Duration
	// Looked, if set, is called with the sweeper's progress.
	Looked func()
	// Grace is how long running tasks may take to end after ctx.
	Grace time.Duration
	// Insight measures the work. The caller closes it.
	Insight *notify.Insight
	Logger  *slog.Logger
	Now     func() time.Time
}

// Work recalculates for every notification, and sweeps for those that were lost,
// until ctx ends.
func Work(ctx context.Context, d WorkerDeps) error {
	d.Insight.Watch(d.Records.MarkedEvents)
	metered := meteredRecalculator{
		Recalculator: NewRecalculator(d.Records, d.Results, d.Now), insight: d.Insight, notifier: d.Notifier, ending: ctx.Done(), log: d.Logger,
	}
	coalescer := newCoalescer(newTurns(d.Workers).of(d.Insight.Waits, metered.recalculate))
	workers := taken * d.Workers
	sweeper := &Sweeper{Records: d.Records, Notifier: sweepNotifier{d.Notifier, d.Insight}, Logger: d.Logger, Looked: d.Looked}
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		sweeper.Run(ctx, d.Sweep)
	}()
	direct, look := make(chan struct{}), notify.Often
	go func() {
		defer close(direct)
		if d.Direct != nil {
			d.Direct.Serve(ctx, workers, d.Grace, d.Logger, coalescer.do)
		}
	}()
	if d.Direct != nil {
		look = notify.Seldom
	}
	err := notify.Serve(ctx, d.Queue, workers, look, d.Grace, d.Logger, coalescer.do)
	if err != nil {
		return err // the process ends
	}
	<-swept
	<-direct
	return nil
}
