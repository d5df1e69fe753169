package embedded

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/redisx"
)

func TestEmbedded(t *testing.T) {
	t.Parallel()
	address, stop, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	client, err := redisx.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if err := client.Set(t.Context(), "short", "1", 150*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.Set(t.Context(), "long", "1", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the key to expire", func() bool { return errors.Is(client.Get(t.Context(), "short").Err(), redis.Nil) })
	if left := client.TTL(t.Context(), "long").Val(); left < 59*time.Minute {
		t.Errorf("an hour has become %s", left)
	}

	opt, err := redisx.AsynqOpt(address)
	if err != nil {
		t.Fatal(err)
	}
	queue := asynq.NewClient(opt)
	defer func() { _ = queue.Close() }()
	if _, err := queue.EnqueueContext(t.Context(), asynq.NewTask("t", nil)); err != nil {
		t.Errorf("the queue refuses a task: %v", err)
	}

	stranger, err := redisx.Open("redis://" + client.(*redis.Client).Options().Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Close() }()
	if err := stranger.Get(t.Context(), "long").Err(); err == nil || errors.Is(err, redis.Nil) {
		t.Errorf("the server is open to everybody: %v", err)
	}

	stop()
	stop() // again is fine
	if err := client.Ping(t.Context()).Err(); err == nil {
		t.Error("the server goes on after stop")
	}
}

func TestEmbeddedRefusesAnEndedContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Start(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

type stopwatch struct{ moved chan time.Duration }

func (s stopwatch) FastForward(d time.Duration) { s.moved <- d }

// TestKeepTime: the clock moves by the real time between ticks, delayed ones
// included, and never backwards.
func TestKeepTime(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	ticks, quit, watch := make(chan time.Time), make(chan struct{}), stopwatch{make(chan time.Duration, 10)}
	done := make(chan struct{})
	go func() { defer close(done); keepTime(watch, ticks, quit, start) }()
	for _, at := range []time.Duration{100, 200, 1200, 1100, 1300} {
		ticks <- start.Add(at * time.Millisecond)
	}
	close(quit)
	<-done
	close(watch.moved)
	var total time.Duration
	for d := range watch.moved {
		if d <= 0 {
			t.Errorf("moved by %s", d)
		}
		total += d
	}
	if total != 1300*time.Millisecond {
		t.Errorf("moved by %s in all, want 1.3s", total)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-deadline:
			t.Fatalf("waited too long for %s", what)
		case <-tick.C:
		}
	}
}
