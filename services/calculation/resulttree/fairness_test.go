package resulttree

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// A slow event that is notified repeatedly occupies one worker: the results of others are calculated before it ends,
// and all notifications meanwhile cause one more run.
func TestALargeEventDelaysNobody(t *testing.T) {
	t.Parallel()
	url, _ := testkit.Redis(t)
	opt, err := redisx.AsynqOpt(url)
	if err != nil {
		t.Fatal(err)
	}
	clock := testkit.NewClock(time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC))
	notifier := notify.NewQueue(opt, notify.QueueInteractive, slog.New(slog.DiscardHandler), clock.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	var runs atomic.Int64
	begun, release, small := make(chan struct{}, 8), make(chan struct{}), make(chan record.EventID, 8)
	work := newCoalescer(func(_ context.Context, _ record.OrgID, event record.EventID) error {
		if event != "large" {
			small <- event
			return nil
		}
		runs.Add(1)
		begun <- struct{}{}
		<-release
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- notify.Serve(ctx, opt, 2, notify.Often, 5*time.Second, slog.New(slog.DiscardHandler), work.do)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	send := func(event record.EventID) {
		testkit.Eventually(t, 30*time.Second, func() error {
			clock.Advance(2 * time.Second) // so that none is coalesced
			return notifier.TryNotify(t.Context(), "org", event)
		})
	}
	send("large")
	await(t, begun)
	for range 50 {
		send("large")
	}
	for n := range 5 {
		send(record.EventID(fmt.Sprint("small", n)))
	}
	for range 5 {
		await(t, small)
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("%d runs of the large event at once", n)
	}
	close(release)
	await(t, begun)
	testkit.Eventually(t, 20*time.Second, func() error {
		work.mu.Lock()
		defer work.mu.Unlock()
		if len(work.again) > 0 {
			return errors.New("it still runs")
		}
		return nil
	})
	if n := runs.Load(); n != 2 {
		t.Errorf("%d runs for 51 notifications, 50 of them during the first", n)
	}
}

func await[T any](t *testing.T, c <-chan T) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatal("it does not come")
	}
}
