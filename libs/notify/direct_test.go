package notify_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// unreachable is a queue without a server.
func unreachable(t *testing.T, now func() time.Time) *notify.Queue {
	t.Helper()
	q := notify.NewQueue(asynq.RedisClientOpt{Addr: "127.0.0.1:1"}, notify.QueueInteractive, quiet(), now)
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// TestDirect verifies that every notification is followed by a run that starts after it, without a queue. The clock
// does not advance.
func TestDirect(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	d := notify.NewDirect(unreachable(t, clock.Now), clock.Now)
	if err := d.TryNotify(t.Context(), "o", "before"); err == nil {
		t.Error("a notification was taken while nobody serves")
	}
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	runs, written, seen := map[record.EventID]int{}, map[record.EventID]int{}, map[record.EventID]int{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Serve(ctx, 3, time.Minute, quiet(), func(_ context.Context, _ record.OrgID, event record.EventID) error {
			mu.Lock()
			defer mu.Unlock()
			runs[event]++
			seen[event] = written[event]
			if event == "e1" {
				panic("this one always fails")
			}
			return errors.New("another failure")
		})
	}()
	testkit.Eventually(t, 10*time.Second, func() error { return d.TryNotify(t.Context(), "o", "e0") })
	const each, events = 100, 4
	var group sync.WaitGroup
	for i := range events {
		group.Go(func() {
			event := record.EventID(fmt.Sprint("e", i))
			for range each {
				mu.Lock()
				written[event]++
				mu.Unlock()
				if err := d.TryNotify(t.Context(), "o", event); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	testkit.Eventually(t, 10*time.Second, func() error {
		mu.Lock()
		defer mu.Unlock()
		for event, n := range written {
			if seen[event] != n {
				return fmt.Errorf("%s: %d of %d were seen", event, seen[event], n)
			}
		}
		return nil
	})
	mu.Lock()
	for event, n := range runs {
		if n > each {
			t.Errorf("%s: %d runs for %d notifications", event, n, each)
		}
	}
	mu.Unlock()
	stop()
	<-done
	if err := d.TryNotify(t.Context(), "o", "after"); err == nil {
		t.Error("a notification was taken after the end")
	}
}

// TestDirectGathers verifies that notifications of a waiting event share a run.
func TestDirectGathers(t *testing.T) {
	t.Parallel()
	d := notify.NewDirect(unreachable(t, time.Now), time.Now)
	ctx, stop := context.WithCancel(t.Context())
	running, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	order := make(chan record.EventID, 100)
	go func() {
		defer close(done)
		d.Serve(ctx, 1, time.Minute, quiet(), func(_ context.Context, _ record.OrgID, event record.EventID) error {
			if order <- event; event == "first" {
				close(running)
				<-end
			}
			return nil
		})
	}()
	testkit.Eventually(t, 10*time.Second, func() error { return d.TryNotify(t.Context(), "o", "first") })
	<-running
	for _, event := range []record.EventID{"second", "second", "second", "third", "second"} {
		if err := d.TryNotify(t.Context(), "o", event); err != nil {
			t.Error(err)
		}
	}
	close(end)
	for _, want := range []record.EventID{"first", "second", "third"} {
		if got := <-order; got != want {
			t.Errorf("%s was run, want %s", got, want)
		}
	}
	stop()
	<-done
	if n := len(order); n > 0 {
		t.Errorf("%d runs more", n)
	}
}

// TestDirectWaitsForWhatRuns verifies that Serve lets runs end, up to its grace.
func TestDirectWaitsForWhatRuns(t *testing.T) {
	t.Parallel()
	for name, grace := range map[string]time.Duration{"long": time.Minute, "short": time.Millisecond} {
		d := notify.NewDirect(unreachable(t, time.Now), time.Now)
		ctx, stop := context.WithCancel(t.Context())
		running, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var cut atomic.Bool
		go func() {
			defer close(done)
			d.Serve(ctx, 1, grace, quiet(), func(ctx context.Context, _ record.OrgID, _ record.EventID) error {
				close(running)
				select {
				case <-end:
				case <-ctx.Done():
					cut.Store(true)
				}
				return ctx.Err()
			})
		}()
		testkit.Eventually(t, 10*time.Second, func() error { return d.TryNotify(t.Context(), "o", "e") })
		<-running
		stop()
		if name == "long" {
			close(end)
		}
		<-done
		if cut.Load() != (name == "short") {
			t.Errorf("%s grace: cut %v", name, cut.Load())
		}
	}
}
