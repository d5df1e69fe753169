package notify

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestHowLongATaskIsHeld verifies that a task is held once, for twice the duration of the last
// run, or for gathering if a notification found a task waiting.
func TestHowLongATaskIsHeld(t *testing.T) {
	t.Parallel()
	url, server := testkit.Redis(t)
	if !server.Real() {
		t.Skip("the clock of the embedded server stands still")
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	p, payload := Payload{Org: "o", Event: "e"}, []byte("payload")
	for _, c := range []struct {
		what        string
		took        time.Duration
		busy, again bool
		others      bool // are pending
		least, most time.Duration
	}{
		{"a short run", 0, false, false, false, 0, 0},
		{"a run that took 20 ms", 20 * time.Millisecond, false, false, false, time.Millisecond, 40 * time.Millisecond},
		{"a long run", time.Minute, false, false, false, time.Millisecond, gathering},
		{"a busy event", 0, true, false, false, time.Millisecond, gathering},
		{"a busy event, after it was held", 0, true, true, false, 0, 0},
		{"a busy event, while others have no worker", 0, true, false, true, 0, 0},
	} {
		// It is held only if the script runs in time.
		testkit.Eventually(t, 10*time.Second, func() error {
			if err := client.FlushAll(t.Context()).Err(); err != nil {
				return err
			}
			g := newGatherer(client)
			if wait := g.ask(t.Context(), "1", QueueInteractive, p, payload, true); wait != 0 {
				t.Fatalf("%s: the first run of an event is held for %s", c.what, wait)
			}
			g.ended(p, c.took)
			if c.busy {
				if err := client.Set(t.Context(), busyKey(QueueInteractive, p.Event), "", busyFor).Err(); err != nil {
					return err
				}
			}
			if c.others {
				if err := client.LPush(t.Context(), "asynq:{"+QueueInteractive+"}:pending", "3").Err(); err != nil {
					return err
				}
			}
			wait := g.ask(t.Context(), "2", QueueInteractive, p, payload, !c.again)
			if wait > c.most {
				t.Fatalf("%s: the next is held for %s, want %s at most", c.what, wait, c.most)
			}
			if wait < c.least {
				return errNotHeld
			}
			return nil
		})
	}
}

var errNotHeld = errors.New("the next run is not held")

// TestATaskGivesUpWaitingForItselfAlone verifies that a task does not delete the key of another
// waiting task of the event.
func TestATaskGivesUpWaitingForItselfAlone(t *testing.T) {
	t.Parallel()
	url, _ := testkit.Redis(t)
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	g, p, payload := newGatherer(client), Payload{Org: "o", Event: "e"}, []byte("payload")
	key := waitingKey(QueueInteractive, payload)
	if err := client.Set(t.Context(), key, "second", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	g.ask(t.Context(), "first", QueueInteractive, p, payload, false)
	if n := client.Exists(t.Context(), key).Val(); n != 1 {
		t.Errorf("after the beginning of an earlier task %d wait, want the later one", n)
	}
	g.ask(t.Context(), "second", QueueInteractive, p, payload, false)
	if n := client.Exists(t.Context(), key).Val(); n != 0 {
		t.Errorf("after the beginning of the task that waited %d wait", n)
	}
}
