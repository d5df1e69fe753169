package notify_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestInteractiveNotificationsGoBeforeBulk verifies that few bulk tasks run before a later
// interactive one, and that bulk tasks are not starved.
func TestInteractiveNotificationsGoBeforeBulk(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	bulk := notify.NewQueue(opt, notify.QueueBulk, quiet(), time.Now)
	interactive := notify.NewQueue(opt, notify.QueueInteractive, quiet(), time.Now)
	t.Cleanup(func() { _, _ = bulk.Close(), interactive.Close() })
	const many = 200
	send := func(notifier notify.CheckedNotifier, event record.EventID) {
		testkit.Eventually(t, 30*time.Second, func() error { return notifier.TryNotify(t.Context(), "org", event) })
	}
	for n := range many {
		send(bulk, record.EventID(fmt.Sprint("bulk", n)))
	}
	send(interactive, "waited for")
	order := make(chan record.EventID, 4*many)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		// One worker: tasks are handled in the order in which it takes them.
		done <- notify.Serve(ctx, opt, 1, notify.Often, 5*time.Second, quiet(), func(_ context.Context, _ record.OrgID, event record.EventID) error {
			order <- event
			return nil
		})
	}()
	before, seen := 0, false
	for range many + 1 {
		select {
		case event := <-order:
			if event == "waited for" {
				seen = true
			}
			if !seen {
				before++
			}
		case <-time.After(time.Minute):
			t.Fatalf("after %d tasks none comes any more", before)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	// The weights are nine to one: more than ten in a row have a probability of one in ten
	// thousand million.
	if before > 10 {
		t.Errorf("%d of %d tasks of the bulk went first", before, many)
	}
}

// TestNotificationsOfManyReplicasCoalesce verifies that concurrent notifications of sweepers on
// several replicas are one task.
func TestNotificationsOfManyReplicasCoalesce(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	moment := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	var notifiers []*notify.Queue
	for range 4 {
		notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), func() time.Time { return moment })
		t.Cleanup(func() { _ = notifier.Close() })
		notifiers = append(notifiers, notifier)
	}
	for range 3 {
		for _, notifier := range notifiers {
			_ = notifier.TryNotify(t.Context(), "org", "event") // a lost one does not matter
		}
	}
	if n := pending(t, opt); n != 1 {
		t.Errorf("%d tasks of 12 notifications", n)
	}
}
