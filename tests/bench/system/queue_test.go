package system

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestQueue prints the latency of notifications of a change from the request to the
// worker, compared with tasks of the library on the same Redis. The workers do nothing.
// Each notification is of another event and organization, so that none are merged.
func TestQueue(t *testing.T) {
	p := planned(t)
	url, _ := testkit.Redis(t)
	ours := overQueue(t, url)
	bare := overTasks(t, url)
	var our, their []float64
	for range p.rounds {
		our = append(our, repeated(ours.trip)(t.Context(), p.each))
		their = append(their, repeated(bare.trip)(t.Context(), p.each))
	}
	r := Row{Work: "a notification, until a worker has it", Beside: "a bare task of asynq", Rate: median(our), BesideRate: median(their), Ratio: median(ratios(our, their))}
	r.P50, r.P99 = ours.latency(t, r.Rate/2, p.each)
	t.Logf("%-38s %8.0f a second, %s %8.0f, ratio %.3f; at half of that p50 %v, p99 %v", r.Work, r.Rate, r.Beside, r.BesideRate, r.Ratio, r.P50, r.P99)
	s := &system{t: t, rows: []Row{r}}
	s.keep("queue")
}

// trips sends keys through a queue and waits until its workers have received them.
type trips struct {
	send func(ctx context.Context, key string) error

	last    atomic.Int64
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

var errLost = errors.New("no worker was given the task")

func (s *trips) trip(ctx context.Context) error {
	key, given := strconv.FormatInt(s.last.Add(1), 10), make(chan struct{})
	s.mu.Lock()
	s.waiting[key] = given
	s.mu.Unlock()
	if err := s.send(ctx, key); err != nil {
		return err
	}
	select {
	case <-given:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return errLost
	}
}

// handled is called by the workers.
func (s *trips) handled(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if given, ok := s.waiting[key]; ok {
		delete(s.waiting, key)
		close(given)
	}
}

// latency sends at a rate, however long delivery takes, and returns the latencies from
// the time at which each was due.
func (s *trips) latency(t *testing.T, rate float64, d time.Duration) (p50, p99 time.Duration) {
	t.Helper()
	took := make([]time.Duration, max(1, int(rate*d.Seconds())))
	began := time.Now()
	var group sync.WaitGroup
	for i := range took {
		due := began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		<-time.After(time.Until(due))
		group.Go(func() {
			if err := s.trip(t.Context()); err != nil {
				t.Error(err)
			}
			took[i] = time.Since(due)
		})
	}
	group.Wait()
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}

// overQueue sends through the product's queue.
func overQueue(t *testing.T, url string) *trips {
	t.Helper()
	opt, err := redisx.AsynqOpt(url)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	queue := notify.NewQueue(opt, notify.QueueInteractive, log, time.Now)
	s := &trips{waiting: map[string]chan struct{}{}, send: func(ctx context.Context, key string) error {
		return queue.TryNotify(ctx, record.OrgID(key), record.EventID(key))
	}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- notify.Serve(ctx, opt, clients, notify.Often, time.Second, log, func(_ context.Context, _ record.OrgID, event record.EventID) error {
			s.handled(string(event))
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, queue.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// overTasks sends tasks with the library alone, to the same number of workers, which
// poll as often as the product's do if Redis cannot notify them of a task.
func overTasks(t *testing.T, url string) *trips {
	t.Helper()
	const kind, name = "bare", "bare"
	opt, err := redisx.AsynqOpt(url)
	if err != nil {
		t.Fatal(err)
	}
	client := asynq.NewClient(opt)
	s := &trips{waiting: map[string]chan struct{}{}, send: func(ctx context.Context, key string) error {
		_, err := client.EnqueueContext(ctx, asynq.NewTask(kind, []byte(key)), asynq.Queue(name), asynq.MaxRetry(0))
		return err
	}}
	server := asynq.NewServer(opt, asynq.Config{
		Concurrency: clients, Queues: map[string]int{name: 1}, TaskCheckInterval: notify.Often, LogLevel: asynq.FatalLevel,
	})
	mux := asynq.NewServeMux()
	mux.HandleFunc(kind, func(_ context.Context, task *asynq.Task) error {
		s.handled(string(task.Payload()))
		return nil
	})
	if err := server.Start(mux); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Shutdown()
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
