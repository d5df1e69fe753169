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

// directRoom is how many events may wait for a worker of their own process. Those
// beyond it go into the queue.
const directRoom = 1024

// directOfOrganization is how many of them may be of one organization.
const directOfOrganization = 64

// Direct is a Notifier to workers of the same process, which start at once instead of
// polling a queue. It coalesces only while that saves
// runs: if a run of an event covered several notifications, the next one begins
// 50 ms after it, and notifications in between share one run. If each has a run of its own,
// as for sequential decisions of one person, the next one begins after
// twice the duration of the last one, so that no event occupies a worker
// permanently.
//
// While there is no worker, and if too many wait, notifications go to the queue. Pending
// ones end with the process, like tasks of the embedded queue; the marks
// remain, and the sweeper notifies again.
type Direct struct {
	queue *Queue
	now   func() time.Time
	ready chan direct

	mu      sync.Mutex
	serving bool
	waiting map[Payload]int      // and how many notifications each stands for
	of      map[record.OrgID]int // how many of them are of an organization
	begun   map[Payload]lately
}

// lately is the last run of an event.
type lately struct {
	began time.Time
	// pause is how long after it the next one begins at the earliest.
	pause time.Duration
}

type direct struct {
	Payload
	headers map[string]string
}

// NewDirect returns a Direct before a queue.
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

// take lets the event wait for a worker, and reports whether there was room.
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
		return true // the run that is to come will see what was written before this
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
	d.ready <- one // there is room for all that wait
	return true
}

// directlySent are the labels of a notification that needed no queue.
var directlySent = metric.WithAttributes(attribute.String("queue", QueueInteractive), attribute.String("outcome", "rung"))

// Serve runs workers that call handle for each event, until ctx ends; then it waits
// up to grace for the running ones and ends their contexts.
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

// begin notes that the event is begun: what changes from here on is for another run.
// Call the function when the run has ended.
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
		// Not one that another worker has begun meanwhile.
		if last, ok := d.begun[p]; ok && last.began.Equal(began) {
			d.begun[p] = lately{began, min(gathering, 2*d.now().Sub(began))}
		}
	}
}

// run makes one run; a panic is its failure, as that of a task is.
func (d *Direct) run(ctx context.Context, one direct, log *slog.Logger, handle func(ctx context.Context, org record.OrgID, event record.EventID) error) {
	ctx, cancel := context.WithTimeout(ctx, taskTimeout)
	defer cancel()
	_ = consume(ctx, QueueInteractive, one.headers, log, func(ctx context.Context) (Payload, error) {
		return one.Payload, handle(ctx, one.Org, one.Event)
	})
}
