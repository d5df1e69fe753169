package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// directRoom is how many events may wait for a worker of the same process. Further ones go into
// the queue.
const directRoom = 1024

// directOfOrganization is how many of them may belong to one organization.
const directOfOrganization = 64

// Direct is a Notifier to workers of the same process. They start at once, while those of a
// queue find a task at their next poll. Notifications are batched only if that saves runs: if a
// run of an event has covered several notifications, the next one starts 50 ms after its start,
// and covers all that arrive until then. If each notification has a run of its own, as when one
// person decides on one record after the other, the next one starts after twice the duration of
// the last one, so that no event occupies a worker permanently.
//
// Without running workers, and if too many events wait, notifications go into the queue. What
// waits here is lost with the process, like a task of the embedded queue; the marks remain, and
// the sweeper notifies again.
type Direct struct {
	queue *Queue
	now   func() time.Time
	ready chan direct

	mu      sync.Mutex
	serving bool
	waiting map[Payload]int      // the number of notifications of each
	of      map[record.OrgID]int // by organization
	begun   map[Payload]lately
}

// lately is the last run of an event.
type lately struct {
	began time.Time
	// pause is the minimum time from its start to that of the next one.
	pause time.Duration
}

type direct struct {
	Payload
	headers map[string]string
}

// NewDirect returns a Direct in front of a queue.
func NewDirect(queue *Queue, now func() time.Time) *Direct {
	return &Direct{queue: queue, now: now, ready: make(chan direct, directRoom), waiting: map[Payload]int{}, of: map[record.OrgID]int{}, begun: map[Payload]lately{}}
}

// Notify implements Notifier.
func (d *Direct) Notify(ctx context.Context, org record.OrgID, event record.EventID) {
	if !d.take(ctx, Payload{Org: org, Event: event}) {
		d.queue.Notify(ctx, org, event)
	}
}

// TryNotify implements CheckedNotifier.
func (d *Direct) TryNotify(ctx context.Context, org record.OrgID, event record.EventID) error {
	if d.take(ctx, Payload{Org: org, Event: event}) {
		return nil
	}
	return d.queue.TryNotify(ctx, org, event)
}

// take adds an event to those waiting for a worker, and reports whether there was room.
func (d *Direct) take(ctx context.Context, p Payload) bool {
	ctx, span := telemetry.StartProducer(context.WithoutCancel(ctx), QueueInteractive)
	defer telemetry.Finish(span, nil)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !d.serving:
		return false
	case d.waiting[p] > 0:
		d.waiting[p]++
		d.queue.sent.Add(ctx, 1, directlySent)
		return true // the pending run will see what was written before this
	case len(d.waiting) >= directRoom, d.of[p.Org] >= directOfOrganization:
		return false
	}
	d.waiting[p] = 1
	d.of[p.Org]++
	d.queue.sent.Add(ctx, 1, directlySent)
	one := direct{p, telemetry.InjectHeaders(ctx)}
	last := d.begun[p]
	if passed := d.now().Sub(last.began); passed >= 0 && passed < last.pause {
		time.AfterFunc(last.pause-passed, func() { d.ready <- one })
		return true
	}
	d.ready <- one // never blocks: it has room for all waiting events
	return true
}

// directlySent are the labels of a notification that did not use the queue.
var directlySent = metric.WithAttributes(attribute.String("queue", QueueInteractive), attribute.String("outcome", "rung"))

// Serve runs workers that call handle for each event, until ctx ends; then it waits up to grace
// for running ones, and cancels their contexts.
func (d *Direct) Serve(ctx context.Context, workers int, grace time.Duration, log *slog.Logger, handle func(ctx context.Context, org record.OrgID, event record.EventID) error) {
	d.serve(true)
	defer d.serve(false)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case one := <-d.ready:
					ended := d.begin(one.Payload)
					d.run(working, one, log, handle)
					ended()
				}
			}
		})
	}
	<-ctx.Done()
	d.serve(false)
	timer := time.AfterFunc(grace, stop)
	defer timer.Stop()
	group.Wait()
}

func (d *Direct) serve(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.serving = on
}

// begin records the start of a run: later changes are for another run. The returned function is
// called at its end.
func (d *Direct) begin(p Payload) (ended func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	began, gathered := d.now(), d.waiting[p]
	delete(d.waiting, p)
	if d.of[p.Org]--; d.of[p.Org] <= 0 {
		delete(d.of, p.Org)
	}
	if len(d.begun) >= directRoom {
		for other, last := range d.begun {
			if began.Sub(last.began) >= gathering {
				delete(d.begun, other)
			}
		}
	}
	d.begun[p] = lately{began, gathering}
	if gathered > 1 {
		return func() {}
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		// Unless another worker has started a run since.
		if last, ok := d.begun[p]; ok && last.began.Equal(began) {
			d.begun[p] = lately{began, min(gathering, 2*d.now().Sub(began))}
		}
	}
}

// run makes one run. A panic fails it, as it does for a task.
func (d *Direct) run(ctx context.Context, one direct, log *slog.Logger, handle func(ctx context.Context, org record.OrgID, event record.EventID) error) {
	ctx, cancel := context.WithTimeout(ctx, taskTimeout)
	defer cancel()
	_ = consume(ctx, QueueInteractive, one.headers, log, func(ctx context.Context) (Payload, error) {
		return one.Payload, handle(ctx, one.Org, one.Event)
	})
}
