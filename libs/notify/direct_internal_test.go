package notify

import (
	"log/slog"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestDirectWaitsOnlyWhereItGathers verifies that consecutive decisions are not delayed, and
// concurrent ones are batched.
func TestDirectWaitsOnlyWhereItGathers(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	queue := NewQueue(asynq.RedisClientOpt{Addr: "127.0.0.1:1"}, QueueInteractive, slog.New(slog.DiscardHandler), clock.Now)
	t.Cleanup(func() { _ = queue.Close() })
	d := NewDirect(queue, clock.Now)
	d.serve(true)
	event := Payload{Org: "o", Event: "e"}
	notify := func(n int) {
		for range n {
			if !d.take(t.Context(), event) {
				t.Fatal("a notification was not taken")
			}
		}
	}
	for _, c := range []struct {
		what          string
		notifications int
		took, pause   time.Duration
	}{
		{"the first", 1, 4 * time.Millisecond, 8 * time.Millisecond},
		{"another one", 1, 5 * time.Millisecond, 10 * time.Millisecond},
		{"a long one", 1, 40 * time.Millisecond, gathering},
		{"several", 2, 5 * time.Millisecond, gathering},
		{"the first after them", 1, 4 * time.Millisecond, 8 * time.Millisecond},
	} {
		notify(c.notifications)
		if n := len(d.ready); n != 1 {
			t.Fatalf("%s: %d runs begin at once, want 1", c.what, n)
		}
		<-d.ready
		ended := d.begin(event)
		if got := d.begun[event].pause; got != gathering {
			t.Errorf("%s: while it runs the next one waits for %s, want %s", c.what, got, gathering)
		}
		clock.Advance(c.took)
		ended()
		if got := d.begun[event].pause; got != c.pause {
			t.Errorf("%s: the next one begins after %s, want %s", c.what, got, c.pause)
		}
		clock.Advance(c.pause)
	}
	// Another worker has started a run before this one has ended.
	notify(1)
	<-d.ready
	ended := d.begin(event)
	clock.Advance(time.Millisecond)
	d.waiting[event] = 2
	d.begin(event)
	ended()
	if got := d.begun[event].pause; got != gathering {
		t.Errorf("the end of an earlier run lets the next one begin after %s, want %s", got, gathering)
	}
}
