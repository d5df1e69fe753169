// Package notify carries notifications from the services that change records to the workers
// that calculate: a task in a queue that says "this event changed" and nothing more. What is
// due is stored in the marks of the records themselves (libs/record), so a notification may be
// lost, duplicated or late without harm: the sweeper notifies again for every remaining mark.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/eventcarbon/ecf/libs/breaker"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// The names of the queues. Interactive notifications come from people who wait; bulk ones from
// work over many events, which must not delay them. No braces: they have a meaning in the keys
// of a Redis cluster.
const (
	TaskType         = "event:changed"
	QueueInteractive = "interactive"
	QueueBulk        = "bulk"
)

const (
	// notifyTimeout bounds the time that a notification takes of its request.
	notifyTimeout = 300 * time.Millisecond
	// silence is how long no notification is attempted after one has failed, so that an
	// unreachable queue does not slow down every write.
	silence = time.Second
	// taskTimeout bounds one run. It is generous: a run that times out leaves its marks, and
	// the sweeper starts another.
	taskTimeout = 10 * time.Minute
)

// Notifier tells the workers that an event has changed. Notify never fails: errors are logged,
// and the sweeper notifies again.
type Notifier interface {
	Notify(ctx context.Context, org record.OrgID, event record.EventID)
}

// CheckedNotifier is a Notifier that also reports failure, for the sweeper, behind which no
// other component would notify again.
type CheckedNotifier interface {
	Notifier
	// TryNotify is Notify, but returns an error if no notification was sent.
	TryNotify(ctx context.Context, org record.OrgID, event record.EventID) error
}

// errSilent is returned during the pause after a failed notification.
var errSilent = errors.New("notify: not sent, the queue could not be reached a moment ago")

// Payload is the content of a task. It contains the tenant, which the worker passes to every
// store call; it never contains a token.
type Payload struct {
	Org   record.OrgID   `json:"org"`
	Event record.EventID `json:"event"`
}

// Queue is the Notifier over asynq.
type Queue struct {
	client redis.UniversalClient
	tasks  *asynq.Client // over client
	queue  string
	now    func() time.Time
	// reachable is open for a while after a notification has failed.
	reachable *breaker.Breaker
	outage    *telemetry.Outage
	sent      metric.Int64Counter
	// fast selects the events for the interactive queue; nil: there is only one queue.
	fast *fastLane
}

// NewQueue returns a notifier that adds its tasks to the named queue.
func NewQueue(opt asynq.RedisConnOpt, queue string, log *slog.Logger, now func() time.Time) *Queue {
	sent, err := otel.Meter(scope).Int64Counter("ecf.recalculation.rings", metric.WithUnit("{ring}"),
		metric.WithDescription("Notifications, by outcome: those lost are made up for by the sweeper"))
	if err != nil {
		// An instrument returned with an error is still usable.
		otel.Handle(err)
	}
	var fast *fastLane
	if queue == QueueInteractive {
		fast = &fastLane{}
	}
	client := clientOf(opt)
	return &Queue{
		client: client, tasks: asynq.NewClientFromRedisClient(client), fast: fast, queue: queue, now: now, sent: sent,
		reachable: breaker.New(silence, now), outage: telemetry.NewOutage(log.With("queue", queue), now, "queueing recalculations"),
	}
}

// Close closes the connections.
func (q *Queue) Close() error { return q.client.Close() }

// Notify implements Notifier.
func (q *Queue) Notify(ctx context.Context, org record.OrgID, event record.EventID) {
	_ = q.TryNotify(ctx, org, event) // it has logged the error
}

// TryNotify implements CheckedNotifier.
func (q *Queue) TryNotify(ctx context.Context, org record.OrgID, event record.EventID) error {
	now := q.now()
	if !q.reachable.Allow() {
		q.count(ctx, "lost")
		return errSilent
	}
	// The write is done: notify even if its caller has disconnected.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyTimeout)
	defer cancel()
	ctx, span := telemetry.StartProducer(ctx, q.queue)
	err := q.enqueue(ctx, org, event, now)
	telemetry.Finish(span, err)
	q.outage.Report(ctx, err)
	if err != nil {
		q.count(ctx, "lost")
		q.reachable.Trip()
		return fmt.Errorf("notify of event %s: %w", event, err)
	}
	q.count(ctx, "rung")
	return nil
}

func (q *Queue) count(ctx context.Context, outcome string) {
	q.sent.Add(ctx, 1, metric.WithAttributes(attribute.String("queue", q.queue), attribute.String("outcome", outcome)))
}

// enqueue adds a task, unless one of the event is waiting that has not begun (waitingKey): its
// run will see what was written before this. It uses neither one id per event, nor asynq's
// Unique option unchanged: both reject a new task while the old one runs, and an id also while
// the old one is archived, and a change would be lost.
func (q *Queue) enqueue(ctx context.Context, org record.OrgID, event record.EventID, now time.Time) error {
	payload, err := json.Marshal(Payload{Org: org, Event: event})
	if err != nil {
		return err
	}
	queue := q.queue
	if !q.fast.takes(org, event, now) {
		queue = QueueBulk
	}
	task := asynq.NewTaskWithHeaders(TaskType, payload, telemetry.InjectHeaders(ctx))
	_, err = q.tasks.EnqueueContext(ctx, task, asynq.Unique(waitsAlone), asynq.Queue(queue), asynq.MaxRetry(0), asynq.Timeout(taskTimeout))
	if errors.Is(err, asynq.ErrDuplicateTask) {
		// The task is enqueued. If this fails, the event has more runs than necessary.
		_ = q.client.Set(ctx, busyKey(queue, event), "", busyFor).Err()
		return nil
	}
	return err
}

// The poll interval of an idle worker where Redis cannot notify it of the next task (pickup).
// Each poll runs a script in Redis, which the embedded one interprets; so beside a Direct,
// which carries the interactive notifications, the queue is polled rarely.
const (
	Often  = 20 * time.Millisecond
	Seldom = 500 * time.Millisecond
)

// Serve runs workers that call handle for each task, until ctx ends; then it waits up to grace
// for running ones. A task still running after that goes back into the queue. Any error of
// handle ends the task: the event's marks remain, and the sweeper notifies again.
func Serve(ctx context.Context, opt asynq.RedisConnOpt, workers int, look, grace time.Duration, log *slog.Logger, handle func(ctx context.Context, org record.OrgID, event record.EventID) error) error {
	connection, outage := clientOf(opt), telemetry.NewOutage(log, nil, "the queue of recalculations")
	connection.AddHook(reached{outage})
	client := newPickup(connection, ctx.Done(), look)
	defer func() { _ = client.Close() }()
	gathered := newGatherer(client)
	server := asynq.NewServerFromRedisClient(client, asynq.Config{
		Concurrency: workers,
		// Weighted, not strict: bulk work is slowed down, but never starved.
		Queues:            map[string]int{QueueInteractive: 9, QueueBulk: 1},
		TaskCheckInterval: between,
		ShutdownTimeout:   grace,
		Logger:            &asynqLog{log: log, outage: outage},
		LogLevel:          asynq.WarnLevel,
		BaseContext:       func() context.Context { return context.WithoutCancel(ctx) },
	})
	mux := asynq.NewServeMux()
	mux.HandleFunc(TaskType, func(taskCtx context.Context, t *asynq.Task) error {
		queue := queueOf(taskCtx)
		id, _ := asynq.GetTaskID(taskCtx)
		var p Payload
		invalid := json.Unmarshal(t.Payload(), &p) != nil || p.Org == "" || p.Event == ""
		if !invalid {
			ended := gathered.begin(taskCtx, ctx.Done(), id, queue, p, t.Payload())
			defer ended()
		}
		return consume(taskCtx, queue, t.Headers(), log, func(ctx context.Context) (Payload, error) {
			if invalid {
				return p, fmt.Errorf("task has no valid payload: %w", asynq.SkipRetry)
			}
			return p, handle(ctx, p.Org, p.Event)
		})
	})
	if err := server.Start(mux); err != nil {
		return fmt.Errorf("start workers: %w", err)
	}
	<-ctx.Done()
	server.Stop()
	server.Shutdown()
	return nil
}

// consume runs a task in a span of its own and logs a line about it. A panic of the task
// becomes its error.
func consume(ctx context.Context, queue string, headers map[string]string, log *slog.Logger, task func(context.Context) (Payload, error)) (err error) {
	ctx, span := telemetry.StartConsumer(ctx, headers, queue)
	var p Payload
	began := time.Now()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("task panicked: %v\n%s", v, debug.Stack())
		}
		telemetry.Finish(span, err)
		attrs := []any{"queue", queue, "org", p.Org, "event", p.Event, "ms", float64(time.Since(began).Microseconds()) / 1000}
		if err != nil {
			log.ErrorContext(ctx, "recalculation failed; its marks stay", append(attrs, "error", err.Error())...)
			return
		}
		log.InfoContext(ctx, "task", attrs...)
	}()
	p, err = task(ctx)
	return err
}

func queueOf(ctx context.Context) string {
	name, ok := asynq.GetQueueName(ctx)
	if !ok {
		return QueueInteractive
	}
	return name
}
