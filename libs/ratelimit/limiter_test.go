package ratelimit_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestExactOverTwoReplicas verifies a limit of thirty with a hundred concurrent requests to two
// limiters with separate connections.
func TestExactOverTwoReplicas(t *testing.T) {
	t.Parallel()
	_, server := testkit.Redis(t)
	address := server.Addr()
	replicas := []*ratelimit.Limiter{limiter(t, address, nil, true), limiter(t, address, nil, true)}
	var passed atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range 100 {
		wg.Go(func() {
			<-start
			if replicas[i%2].Take(context.Background(), "203.0.113.7").Allowed {
				passed.Add(1)
			}
		})
	}
	close(start)
	wg.Wait()
	if n := passed.Load(); n != 30 {
		t.Errorf("%d of 100 passed, want exactly 30", n)
	}
}

func limiter(t *testing.T, address string, c *testkit.Clock, strict bool) *ratelimit.Limiter {
	t.Helper()
	o := ratelimit.Options{Name: "auth", Rule: rule, Strict: strict, Timeout: 10 * time.Second, Logger: slog.New(slog.DiscardHandler)}
	var now func() time.Time
	if c != nil {
		now, o.Now = c.Now, c.Now
	}
	o.Shared = ratelimit.NewRedis(connect(t, address), "ecf:limit:", now)
	return ratelimit.New(o)
}

// forgetful is a shared log that lost its counts, as a Redis that was restarted without its data.
type forgetful struct{ ratelimit.Log }

func (forgetful) Take(context.Context, string, ratelimit.Rule) (ratelimit.Result, error) {
	return ratelimit.Result{Allowed: true, Remaining: rule.Limit - 1, Reset: rule.Window}, nil
}

// TestSharedCountsAreLost: a strict limiter rejects what its own process has counted, though the shared log permits it.
func TestSharedCountsAreLost(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := ratelimit.New(ratelimit.Options{Name: "auth", Rule: rule, Strict: true, Shared: forgetful{}, Now: c.Now, Logger: slog.New(slog.DiscardHandler)})
	for n := range 2 * rule.Limit {
		if r := l.Take(t.Context(), "k"); r.Allowed != (n < rule.Limit) {
			t.Fatalf("attempt %d: %+v", n+1, r)
		}
	}
	c.Advance(rule.Window)
	if r := l.Take(t.Context(), "k"); !r.Allowed {
		t.Errorf("a window later: %+v", r)
	}
}

func TestWithoutRedis(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{true, false} {
		t.Run("strict="+strconv.FormatBool(strict), func(t *testing.T) {
			t.Parallel()
			_, server := testkit.Redis(t)
			address := server.Addr()
			c := newClock()
			l := limiter(t, address, c, strict)
			for range 10 {
				if r := l.Take(t.Context(), "k"); !r.Allowed || r.Unknown {
					t.Fatalf("with Redis: %+v", r)
				}
			}
			server.Kill()
			passed, unknown := 0, 0
			for range 100 {
				c.Advance(100 * time.Millisecond)
				r := l.Take(t.Context(), "k")
				if r.Allowed {
					passed++
				}
				if r.Unknown {
					unknown++
				}
			}
			switch {
			case strict && (passed != 20 || unknown != 0):
				// What had passed before counts: the limit is the same one.
				t.Errorf("strict: %d more passed, %d unknown; want 20 and 0", passed, unknown)
			case !strict && (passed != 100 || unknown != 100):
				t.Errorf("open: %d passed, %d unknown; want all", passed, unknown)
			}
		})
	}
}

// failing is a shared log that counts its calls.
type failing struct {
	asked atomic.Int64
	fail  atomic.Bool
	ratelimit.Log
}

func (f *failing) Take(ctx context.Context, key string, rule ratelimit.Rule) (ratelimit.Result, error) {
	f.asked.Add(1)
	if f.fail.Load() {
		return ratelimit.Result{}, errors.New("no connection")
	}
	return f.Log.Take(ctx, key, rule)
}

// TestFailedStoreIsLeftAlone verifies that a store that hangs does not delay every request by
// its timeout, and is used again after the pause.
func TestFailedStoreIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := newClock()
	f := &failing{Log: ratelimit.NewLocal(c.Now, 0)}
	var log strings.Builder
	l := ratelimit.New(ratelimit.Options{Name: "write", Rule: rule, Shared: f, Now: c.Now,
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	f.fail.Store(true)
	for range 50 {
		if r := l.Take(t.Context(), "k"); !r.Allowed || !r.Unknown {
			t.Fatalf("%+v", r)
		}
	}
	if n := f.asked.Load(); n != 1 {
		t.Errorf("asked %d times during the pause, want once", n)
	}
	if got := strings.Count(log.String(), "asking the rate limit store fails"); got != 1 {
		t.Errorf("noted %d times, want once:\n%s", got, log.String())
	}
	f.fail.Store(false)
	c.Advance(time.Second)
	if r := l.Take(t.Context(), "k"); r.Unknown || f.asked.Load() != 2 {
		t.Errorf("after the pause: %+v, asked %d times", r, f.asked.Load())
	}
	// Nor does the pause last an hour if the clock is set back by one.
	f.fail.Store(true)
	l.Take(t.Context(), "k")
	f.fail.Store(false)
	c.Advance(-time.Hour)
	if r := l.Take(t.Context(), "k"); r.Unknown {
		t.Error("the pause goes on after the clock was put back")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	f.fail.Store(true)
	l.Take(ended, "k")
	f.fail.Store(false)
	if r := l.Take(t.Context(), "k"); r.Unknown {
		t.Error("a caller that ran out of time made the store look failed")
	}
}

// TestRefusedEverywhere verifies that an event rejected by Redis is not counted in the process
// either; otherwise two replicas would block a client for longer than the window.
func TestRefusedEverywhere(t *testing.T) {
	t.Parallel()
	_, server := testkit.Redis(t)
	address := server.Addr()
	c := newClock()
	a, b := limiter(t, address, c, true), limiter(t, address, c, true)
	for range 30 {
		a.Take(t.Context(), "k")
	}
	c.Advance(rule.Window / 2)
	if b.Take(t.Context(), "k").Allowed {
		t.Fatal("the 31st passed")
	}
	c.Advance(rule.Window / 2)
	for i := range 30 {
		if !b.Take(t.Context(), "k").Allowed {
			t.Fatalf("take %d of the next window was refused", i+1)
		}
	}
}

// TestPeek verifies that a limiter shows what remains without counting, also of what other processes have counted, and
// says so if it does not know.
func TestPeek(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{true, false} {
		t.Run("strict="+strconv.FormatBool(strict), func(t *testing.T) {
			t.Parallel()
			_, server := testkit.Redis(t)
			c := newClock()
			l, other := limiter(t, server.Addr(), c, strict), limiter(t, server.Addr(), c, strict)
			for n := range rule.Limit {
				for range 2 {
					if r := l.Peek(t.Context(), "k"); !r.Allowed || r.Unknown || r.Remaining != rule.Limit-n {
						t.Fatalf("after %d: %+v", n, r)
					}
				}
				other.Take(t.Context(), "k")
			}
			if r := l.Peek(t.Context(), "k"); r.Allowed || r.Remaining != 0 || r.Reset != rule.Window {
				t.Errorf("after all: %+v", r)
			}
			server.Kill()
			if r := l.Peek(t.Context(), "k"); !r.Allowed || !r.Unknown {
				t.Errorf("without Redis: %+v", r)
			}
		})
	}
}
