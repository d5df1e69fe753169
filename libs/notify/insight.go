package notify

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/eventcarbon/ecf/libs/record"
)

const scope = "github.com/eventcarbon/ecf/libs/notify"

// Outcome is how a run ended.
type Outcome string

// The outcomes of a run.
const (
	// Written: a result was written and its marks were cleared.
	Written Outcome = "written"
	// NothingDue: another run had covered the marks.
	NothingDue Outcome = "nothing_due"
	// GaveWay: other workers were writing the event; the marks remain.
	GaveWay Outcome = "gave_way"
	// Failed: the marks remain.
	Failed Outcome = "failed"
)

func outcomes() []Outcome { return []Outcome{Written, NothingDue, GaveWay, Failed} }

const (
	// lookTimeout bounds a query of queue and marks, well below the timeout of a metrics
	// scrape.
	lookTimeout = 2 * time.Second
	// lookAgain is how long its result is cached: one scrape needs it many times.
	lookAgain = 500 * time.Millisecond
	// dueLimit bounds how many due events are counted.
	dueLimit = 1000
)

// DueEvents lists events that have a mark, those with the oldest mark first as far as the
// engine can; see record.Marks.
type DueEvents func(ctx context.Context, limit int) ([]record.MarkedEvent, error)

// Insight measures the recalculations of one process, and queries the queue and the marks that
// all processes share. It exports metrics to OpenTelemetry and serves a status page. Its errors
// never affect what it measures.
type Insight struct {
	now       func() time.Time
	began     time.Time
	inspector *inspector
	due       atomic.Pointer[DueEvents]
	watched   metric.Registration

	duration, lag                 metric.Float64Histogram
	durations, lags               *window
	startOvers, incomplete, swept counter
	runs                          map[Outcome]*atomic.Int64
	running, waiting              atomic.Int64

	mu   sync.Mutex // held during a query
	last Sight
}

// counter counts for the status page and for metrics.
type counter struct {
	n      atomic.Int64
	metric metric.Int64Counter
}

func (c *counter) add(ctx context.Context) {
	c.n.Add(1)
	c.metric.Add(ctx, 1)
}

// NewInsight returns the insight of a process into the queue at opt. A nil meter is the global
// one.
func NewInsight(opt asynq.RedisConnOpt, meter metric.Meter, now func() time.Time) (*Insight, error) {
	if meter == nil {
		meter = otel.Meter(scope)
	}
	i := &Insight{
		now: now, began: now(), inspector: newInspector(opt), durations: newWindow(), lags: newWindow(), runs: map[Outcome]*atomic.Int64{},
	}
	for _, o := range outcomes() {
		i.runs[o] = new(atomic.Int64)
	}
	if err := errors.Join(i.measures(meter), i.gauges(meter)); err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

// Close closes the connections and unregisters the gauges.
func (i *Insight) Close() error {
	if i.watched != nil {
		_ = i.watched.Unregister()
	}
	return i.inspector.client.Close()
}

// Watch sets the source of marks; before that only the queue is queried.
func (i *Insight) Watch(due DueEvents) { i.due.Store(&due) }

// measures creates the instruments of this process.
func (i *Insight) measures(meter metric.Meter) error {
	buckets := metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300)
	var err error
	failed := func(e error) { err = errors.Join(err, e) }
	var e error
	i.duration, e = meter.Float64Histogram("ecf.recalculation.duration", metric.WithUnit("s"), buckets,
		metric.WithDescription("How long one run over an event took, by outcome"))
	failed(e)
	i.lag, e = meter.Float64Histogram("ecf.recalculation.lag", metric.WithUnit("s"), buckets,
		metric.WithDescription("From a decision or change of an event to the result that has it"))
	failed(e)
	i.startOvers.metric, e = meter.Int64Counter("ecf.recalculation.start_overs", metric.WithUnit("{start_over}"),
		metric.WithDescription("Passes begun again because another worker wrote in between"))
	failed(e)
	i.incomplete.metric, e = meter.Int64Counter("ecf.recalculation.incomplete_results", metric.WithUnit("{result}"),
		metric.WithDescription("Results written that miss an approved record because it cannot be calculated"))
	failed(e)
	i.swept.metric, e = meter.Int64Counter("ecf.recalculation.sweeper_rings", metric.WithUnit("{ring}"),
		metric.WithDescription("Notifications of the sweeper for marks that stayed"))
	failed(e)
	return err
}

// gauges creates the instruments of what all processes share.
func (i *Insight) gauges(meter metric.Meter) error {
	var err error
	failed := func(e error) { err = errors.Join(err, e) }
	gauge := func(name, unit, description string) metric.Int64ObservableGauge {
		g, e := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description))
		failed(e)
		return g
	}
	seconds := func(name, description string) metric.Float64ObservableGauge {
		g, e := meter.Float64ObservableGauge(name, metric.WithUnit("s"), metric.WithDescription(description))
		failed(e)
		return g
	}
	counter := func(name, description string) metric.Int64ObservableCounter {
		c, e := meter.Int64ObservableCounter(name, metric.WithUnit("{task}"), metric.WithDescription(description))
		failed(e)
		return c
	}
	tasks := gauge("ecf.recalculation.queue.tasks", "{task}", "Tasks of a queue, by state; active ones are taken up, and may still wait for their turn")
	runs := gauge("ecf.recalculation.runs", "{run}", "Runs of this process: those that are made, and those that wait for the turn of their organization")
	wait := seconds("ecf.recalculation.queue.wait", "How long the oldest pending task of a queue has waited")
	processed := counter("ecf.recalculation.queue.processed", "Tasks a queue has had done, failed ones included")
	failures := counter("ecf.recalculation.queue.failed", "Tasks of a queue that failed")
	reachable := gauge("ecf.recalculation.queue.reachable", "1", "1 while the queue answers, else 0")
	workers := gauge("ecf.recalculation.workers", "{process}", "Processes that take tasks from the queue")
	events := gauge("ecf.recalculation.due.events", "{event}", "Events whose result is due, counted up to 1000")
	age := seconds("ecf.recalculation.due.age", "Age of the oldest mark: how long the latest result has been due")
	if err != nil {
		return err
	}
	i.watched, err = meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		o.ObserveInt64(runs, i.running.Load(), metric.WithAttributes(attribute.String("state", "running")))
		o.ObserveInt64(runs, i.waiting.Load(), metric.WithAttributes(attribute.String("state", "waiting")))
		s := i.Look(ctx)
		if s.QueueErr != nil {
			o.ObserveInt64(reachable, 0)
		} else {
			o.ObserveInt64(reachable, 1)
			o.ObserveInt64(workers, int64(len(s.Workers)))
		}
		for _, q := range s.Queues {
			name := attribute.String("queue", q.Name)
			for state, n := range map[string]int{"pending": q.Pending, "active": q.Active, "retry": q.Retry, "archived": q.Archived} {
				o.ObserveInt64(tasks, int64(n), metric.WithAttributes(name, attribute.String("state", state)))
			}
			o.ObserveFloat64(wait, q.Wait.Seconds(), metric.WithAttributes(name))
			o.ObserveInt64(processed, int64(q.Processed), metric.WithAttributes(name))
			o.ObserveInt64(failures, int64(q.Failed), metric.WithAttributes(name))
		}
		if s.DueErr == nil {
			o.ObserveInt64(events, int64(len(s.Due)))
			o.ObserveFloat64(age, s.Age().Seconds())
		}
		return nil
	}, tasks, runs, wait, processed, failures, reachable, workers, events, age)
	return err
}

// Waits counts a task that was taken from the queue and waits for its run. The returned
// function ends the wait.
func (i *Insight) Waits() (ended func()) {
	i.waiting.Add(1)
	return func() { i.waiting.Add(-1) }
}

// Began counts a run that has begun. The returned function is called with its outcome at its
// end.
func (i *Insight) Began() (ended func(ctx context.Context, o Outcome)) {
	start := i.now()
	i.running.Add(1)
	return func(ctx context.Context, o Outcome) {
		took := i.now().Sub(start)
		i.running.Add(-1)
		i.runs[o].Add(1)
		if o != NothingDue {
			i.durations.add(took)
		}
		i.duration.Record(ctx, took.Seconds(), metric.WithAttributes(attribute.String("outcome", string(o))))
	}
}

// Cleared records the age of a mark whose result has been written. The two times are from
// different clocks: negative ages count as zero.
func (i *Insight) Cleared(ctx context.Context, mark string) {
	made := record.MarkTime(mark)
	if made.IsZero() {
		return
	}
	lag := max(0, i.now().Sub(made))
	i.lags.add(lag)
	i.lag.Record(ctx, lag.Seconds())
}

// StartedOver counts an attempt that lost against another worker.
func (i *Insight) StartedOver(ctx context.Context) { i.startOvers.add(ctx) }

// Incomplete counts a result in which a record is missing.
func (i *Insight) Incomplete(ctx context.Context) { i.incomplete.add(ctx) }

// Swept counts a notification of the sweeper.
func (i *Insight) Swept(ctx context.Context) { i.swept.add(ctx) }

// Sight is the result of a query.
type Sight struct {
	At      time.Time
	Queues  []QueueState
	Workers []WorkerProcess
	// QueueErr is the error if both are missing.
	QueueErr error
	// Due are the events whose result is due, up to 1000, with the oldest mark of each.
	Due    []record.MarkedEvent
	DueErr error
}

// Age returns the age of the oldest mark.
func (s Sight) Age() time.Duration {
	var age time.Duration
	for _, e := range s.Due {
		if made := record.MarkTime(e.Mark); !made.IsZero() {
			age = max(age, s.At.Sub(made))
		}
	}
	return age
}

// Look queries the queue and the marks, or returns a cached result. It takes two seconds at
// most.
func (i *Insight) Look(ctx context.Context) Sight {
	i.mu.Lock()
	defer i.mu.Unlock()
	// A negative age means that the clock was set back.
	if age := i.now().Sub(i.last.At); !i.last.At.IsZero() && age >= 0 && age < lookAgain {
		return i.last
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	var s Sight
	var both sync.WaitGroup
	both.Go(func() { s.Queues, s.Workers, s.QueueErr = i.inspector.look(ctx) })
	both.Go(func() {
		if due := i.due.Load(); due != nil {
			s.Due, s.DueErr = (*due)(ctx, dueLimit)
		} else {
			s.DueErr = errNotWatching
		}
	})
	both.Wait()
	s.At = i.now()
	i.last = s
	return s
}

var errNotWatching = errors.New("notify: the database has not been opened yet")
