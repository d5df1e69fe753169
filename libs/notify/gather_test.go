package notify_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// window is the time between runs of a busy event.
const window = 50 * time.Millisecond

// watched is a connection whose clients' commands are observed, and fail with an error if set.
type watched struct {
	asynq.RedisConnOpt
	saw func(redis.Cmder) error
}

func (w watched) MakeRedisClient() any {
	client := w.RedisConnOpt.MakeRedisClient().(redis.UniversalClient)
	client.AddHook(w)
	return client
}

func (w watched) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w watched) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if err := w.saw(cmd); err != nil {
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}

func (w watched) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		for _, cmd := range commands {
			if err := w.saw(cmd); err != nil {
				return err
			}
		}
		return next(ctx, commands)
	}
}

// counting returns the connection with a counter of its clients' commands.
func counting(opt asynq.RedisConnOpt) (asynq.RedisConnOpt, *atomic.Int64) {
	var commands atomic.Int64
	return watched{opt, func(redis.Cmder) error {
		commands.Add(1)
		return nil
	}}, &commands
}

func notifierOf(t *testing.T, opt asynq.RedisConnOpt, queue string) *notify.Queue {
	t.Helper()
	notifier := notify.NewQueue(opt, queue, quiet(), time.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	return notifier
}

// send notifies once, and retries while Redis is slow.
func send(t *testing.T, notifier notify.CheckedNotifier, event record.EventID) {
	t.Helper()
	testkit.Eventually(t, 30*time.Second, func() error { return notifier.TryNotify(t.Context(), "org", event) })
}

// TestAnEventAtRestIsNotHeld verifies that consecutive decisions, each after the previous run,
// are not delayed by a window.
func TestAnEventAtRestIsNotHeld(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	given := make(chan struct{}, 1)
	for range 2 {
		serve(t, opt, func(context.Context, record.OrgID, record.EventID) error {
			given <- struct{}{}
			return nil
		})
	}
	notifier := notifierOf(t, opt, notify.QueueInteractive)
	var last time.Time
	testkit.Eventually(t, 30*time.Second, func() error {
		send(t, notifier, "event")
		<-given
		before := last
		if last = time.Now(); last.Sub(before) > window/2 {
			return fmt.Errorf("the run began %s after the one before", last.Sub(before))
		}
		return nil
	})
}

// TestABusyEventIsGathered verifies that runs of a busy event are a window apart, across
// processes, and do take place.
func TestABusyEventIsGathered(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	var runs, sent atomic.Int64
	for range 2 {
		serve(t, opt, func(context.Context, record.OrgID, record.EventID) error {
			runs.Add(1)
			return nil
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var group sync.WaitGroup
	began := time.Now()
	for range 3 {
		notifier := notifierOf(t, opt, notify.QueueInteractive)
		group.Go(func() {
			for ctx.Err() == nil {
				if notifier.TryNotify(ctx, "org", "event") == nil {
					sent.Add(1)
				}
			}
		})
	}
	testkit.Eventually(t, time.Minute, func() error {
		if n := runs.Load(); n < 20 {
			return fmt.Errorf("%d runs", n)
		}
		return nil
	})
	n, took := runs.Load(), time.Since(began)
	stop()
	group.Wait()
	// Three more before the event counts as busy; and a task that has waited for a second, on a
	// stalled machine, does not keep others out.
	if most := 3 + int64(took/window) + int64(took/time.Second); n > most {
		t.Errorf("%d runs for %d notifications in %s, want %d at most", n, sent.Load(), took, most)
	}
	if sent.Load() < 2*n {
		t.Errorf("%d notifications for %d runs: the event was not busy", sent.Load(), n)
	}
}

// TestNoNotificationIsLost verifies that what is written before a notification is seen by a run
// that begins after it, without the sweeper, in every state of other tasks and in several
// processes.
func TestNoNotificationIsLost(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	random := testkit.Rand(t)
	const events, bursts = 4, 25
	var mu sync.Mutex
	written, seen := map[record.EventID]int{}, map[record.EventID]int{}
	pause := func(r *rand.Rand, most time.Duration) { testkit.Takes(t, time.Duration(r.Int64N(int64(most)))) }
	for range 2 {
		own := rand.New(rand.NewPCG(random.Uint64(), random.Uint64())) //nolint:gosec // repeatable
		serve(t, opt, func(_ context.Context, _ record.OrgID, event record.EventID) error {
			mu.Lock()
			seen[event] = max(seen[event], written[event])
			run, fails := rand.New(rand.NewPCG(own.Uint64(), 0)), own.IntN(5) == 0 //nolint:gosec // repeatable
			mu.Unlock()
			pause(run, 30*time.Millisecond)
			if fails {
				return errors.New("it was not to be")
			}
			return nil
		})
	}
	notifiers := make([]*notify.Queue, 3)
	for n := range notifiers {
		notifiers[n] = notifierOf(t, opt, notify.QueueInteractive)
	}
	for burst := range bursts {
		var group sync.WaitGroup
		for n := range events {
			event, own := record.EventID(fmt.Sprint("event", n)), rand.New(rand.NewPCG(random.Uint64(), random.Uint64())) //nolint:gosec // repeatable
			group.Go(func() {
				for range 1 + own.IntN(6) {
					pause(own, 20*time.Millisecond)
					mu.Lock()
					written[event]++
					mu.Unlock()
					send(t, notifiers[own.IntN(len(notifiers))], event)
				}
			})
		}
		group.Wait()
		testkit.Eventually(t, 20*time.Second, func() error {
			mu.Lock()
			defer mu.Unlock()
			for event, n := range written {
				if seen[event] != n {
					return fmt.Errorf("burst %d: of %d changes of %s %d were seen", burst, n, event, seen[event])
				}
			}
			return nil
		})
	}
}

// TestATaskWaitsAloneForASecond verifies that a waiting task whose worker has died does not
// keep out the sweeper's notification, which comes after a second at the earliest.
func TestATaskWaitsAloneForASecond(t *testing.T) {
	t.Parallel()
	opt, server := open(t)
	if !server.Real() {
		t.Skip("the clock of the embedded server stands still")
	}
	notifier := notifierOf(t, opt, notify.QueueInteractive)
	send(t, notifier, "event")
	began := time.Now()
	testkit.Eventually(t, 10*time.Second, func() error {
		send(t, notifier, "event")
		if n := pending(t, opt); n != 2 {
			return fmt.Errorf("%d tasks", n)
		}
		return nil
	})
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("another task was refused for %s", took)
	}
}

// TestCommandsOfANotification verifies that a notification takes one Redis command for an idle
// event, and two if a task is waiting.
func TestCommandsOfANotification(t *testing.T) {
	t.Parallel()
	plain, server := open(t)
	if !server.Real() {
		t.Skip("the embedded server's scripts are loaded otherwise")
	}
	opt, commands := counting(plain)
	notifier := notifierOf(t, opt, notify.QueueInteractive)
	send(t, notifier, "first") // loads the script, and registers the queue
	for _, c := range []struct {
		what  string
		event record.EventID
		want  int64
	}{{"at rest", "event", 1}, {"a task waits", "event", 2}, {"a task waits, again", "event", 2}} {
		before := commands.Load()
		send(t, notifier, c.event)
		if got := commands.Load() - before; got != c.want {
			t.Errorf("%s: %d commands, want %d", c.what, got, c.want)
		}
	}
}
