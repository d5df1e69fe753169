package ratelimit_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// dayRule lets a bucket of 2,400 drain in a day, 100 an hour.
var dayRule = ratelimit.Rule{Limit: 2400, Window: 24 * time.Hour}

func newVolume(clock *testkit.Clock, buckets ratelimit.Buckets) *ratelimit.Volume {
	return ratelimit.NewVolume(ratelimit.Options{Name: "stored", Rule: dayRule, Now: clock.Now, Logger: slog.New(slog.DiscardHandler)}, buckets)
}

// sharedBuckets returns new shared buckets on a Redis, with the clock of the test.
func sharedBuckets(t *testing.T, clock *testkit.Clock) *ratelimit.Redis {
	t.Helper()
	_, server := testkit.Redis(t)
	return ratelimit.NewRedis(connect(t, server.Addr()), "ecf:limit:", clock.Now)
}

// TestVolume verifies the limit of a process with shared buckets and without.
func TestVolume(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]bool{"alone": false, "shared": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
			var buckets ratelimit.Buckets
			if shared {
				buckets = sharedBuckets(t, clock)
			}
			v := newVolume(clock, buckets)
			look := func(key string, want ratelimit.Result) {
				t.Helper()
				if got := v.Look(t.Context(), key); got.Allowed != want.Allowed || got.Remaining != want.Remaining || got.Reset.Round(time.Second) != want.Reset {
					t.Errorf("%+v, want %+v", got, want)
				}
			}
			look("a", ratelimit.Result{Allowed: true, Remaining: 2400})
			v.Add("a", 2399)
			look("a", ratelimit.Result{Allowed: true, Remaining: 1, Reset: 24*time.Hour - 36*time.Second})
			v.Add("a", 1)
			look("a", ratelimit.Result{})
			v.Add("a", 100) // of an event that was under way
			look("a", ratelimit.Result{Reset: time.Hour})
			look("b", ratelimit.Result{Allowed: true, Remaining: 2400})
			clock.Advance(time.Hour)
			look("a", ratelimit.Result{})
			clock.Advance(time.Hour)
			look("a", ratelimit.Result{Allowed: true, Remaining: 100, Reset: 23 * time.Hour})
			clock.Advance(48 * time.Hour)
			look("a", ratelimit.Result{Allowed: true, Remaining: 2400})
			v.Add("a", 1<<40)
			look("a", ratelimit.Result{Reset: 24 * time.Hour}) // no more, so that nobody waits for years
			clock.Advance(24 * time.Hour)
			look("a", ratelimit.Result{})
		})
	}
}

// TestVolumeOfSeveralProcesses verifies that processes learn within a second what others have added, that one that
// begins anew knows it, and that nothing is counted twice.
func TestVolumeOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	buckets := sharedBuckets(t, clock)
	one, other := newVolume(clock, buckets), newVolume(clock, buckets)
	for range 24 {
		for _, v := range []*ratelimit.Volume{one, other} {
			if got := v.Look(t.Context(), "a"); !got.Allowed {
				t.Fatalf("%+v", got)
			}
			v.Add("a", 51)
		}
		clock.Advance(time.Second)
	}
	one.Look(t.Context(), "a")
	if got := other.Look(t.Context(), "a"); got.Allowed {
		t.Errorf("the other process has added the rest: %+v", got)
	}
	// 24 × 2 × 51 are 48 more than a bucket holds, of which 0.7 have drained.
	const want = (2448-2400)*time.Hour/100 - 24*time.Second
	if got := newVolume(clock, buckets).Look(t.Context(), "a"); got.Allowed || (got.Reset-want).Abs() > 2*time.Second {
		t.Errorf("a new process: %+v, want %s", got, want)
	}
	clock.Advance(-72 * time.Hour)
	if got := newVolume(clock, buckets).Look(t.Context(), "a"); !got.Allowed {
		t.Errorf("after the clock was set back by days: %+v", got)
	}
}

// TestVolumeAfterTheClockWasSetBack: a process goes on learning what others add, not only when its clock has caught up.
func TestVolumeAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	buckets := sharedBuckets(t, clock)
	one, other := newVolume(clock, buckets), newVolume(clock, buckets)
	one.Look(t.Context(), "a")
	clock.Advance(-time.Hour)
	other.Add("a", 2500)
	other.Look(t.Context(), "a")
	if got := one.Look(t.Context(), "a"); got.Allowed {
		t.Errorf("%+v", got)
	}
}

// TestVolumeOfCallersThatLeave: a client that closes its connection during the question does not make the process count
// alone.
func TestVolumeOfCallersThatLeave(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	buckets := &brokenBuckets{Buckets: sharedBuckets(t, clock)}
	v := newVolume(clock, buckets)
	left, leave := context.WithCancel(t.Context())
	leave()
	v.Look(left, "a")
	v.Look(t.Context(), "b")
	if buckets.calls != 2 {
		t.Errorf("the shared buckets were asked %d times, want for both", buckets.calls)
	}
}

// brokenBuckets fail while down is set.
type brokenBuckets struct {
	ratelimit.Buckets
	down  bool
	calls int
}

func (b *brokenBuckets) Pour(ctx context.Context, key string, rule ratelimit.Rule, n int64) (time.Duration, error) {
	if b.calls++; b.down {
		return 0, errors.New("connection refused")
	}
	return b.Buckets.Pour(ctx, key, rule, n)
}

// TestVolumeWithoutItsStore verifies that a process counts alone while the shared store is away, and tells it afterwards,
// and that it asks it once a second.
func TestVolumeWithoutItsStore(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	buckets := &brokenBuckets{Buckets: sharedBuckets(t, clock), down: true}
	v := newVolume(clock, buckets)
	for range 3 {
		if got := v.Look(t.Context(), "a"); !got.Allowed {
			t.Fatalf("%+v", got)
		}
		v.Add("a", 900)
	}
	if got := v.Look(t.Context(), "a"); got.Allowed || buckets.calls != 1 {
		t.Errorf("%+v after %d calls", got, buckets.calls)
	}
	buckets.down = false
	clock.Advance(2 * time.Second)
	v.Look(t.Context(), "a")
	if got := newVolume(clock, buckets).Look(t.Context(), "a"); got.Allowed || got.Reset.Round(time.Minute) != 3*time.Hour {
		t.Errorf("another process learns %+v", got)
	}
}
