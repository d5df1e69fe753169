package notify_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestThousandsOfEventsLeaveTheFastLaneFree verifies that of many events of one organization
// the first ones are interactive, repeatedly, and others bulk, so that another organization's
// approval is not delayed.
func TestThousandsOfEventsLeaveTheFastLaneFree(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	clock := testkit.NewClock(time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC))
	notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), clock.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	looking := asynq.NewInspector(opt)
	t.Cleanup(func() { _ = looking.Close() })
	pending := func(queue string) int {
		info, err := looking.GetQueueInfo(queue)
		if errors.Is(err, asynq.ErrQueueNotFound) {
			return 0
		}
		if err != nil {
			t.Fatal(err)
		}
		return info.Pending
	}
	send := func(org record.OrgID, event string) {
		t.Helper()
		testkit.Eventually(t, 30*time.Second, func() error { return notifier.TryNotify(t.Context(), org, record.EventID(event)) })
	}
	const fast, all = 64, 300
	for n := range all {
		send("greedy", fmt.Sprint("event", n))
	}
	if interactive, bulk := pending(notify.QueueInteractive), pending(notify.QueueBulk); interactive != fast || bulk != all-fast {
		t.Errorf("%d interactive and %d in bulk, want %d and %d", interactive, bulk, fast, all-fast)
	}
	// begun removes the waiting keys, as workers do.
	client := opt.MakeRedisClient().(redis.UniversalClient)
	t.Cleanup(func() { _ = client.Close() })
	begun := func() {
		t.Helper()
		if err := errors.Join(client.FlushAll(t.Context()).Err(), client.SAdd(t.Context(), "asynq:queues", notify.QueueInteractive, notify.QueueBulk).Err()); err != nil {
			t.Fatal(err)
		}
	}
	begun()
	send("other", "theirs")
	clock.Advance(time.Second)
	send("greedy", "event0") // somebody is still waiting for it
	send("greedy", "event299")
	if interactive, bulk := pending(notify.QueueInteractive), pending(notify.QueueBulk); interactive != 2 || bulk != 1 {
		t.Errorf("%d interactive and %d in bulk, want %d and %d", interactive, bulk, 2, 1)
	}
	begun()
	clock.Advance(time.Minute)
	send("greedy", "event299")
	if interactive := pending(notify.QueueInteractive); interactive != 1 {
		t.Errorf("%d interactive a minute later, want %d", interactive, 1)
	}
}
