package ratelimit_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func newClock() *testkit.Clock {
	return testkit.NewClock(time.Date(2026, 5, 30, 12, 0, 0, 0, time.UTC))
}

func connect(t *testing.T, address string) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: address, MaxRetries: -1, DialTimeout: 500 * time.Millisecond})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

var rule = ratelimit.Rule{Limit: 30, Window: 15 * time.Minute}

// logs returns every implementation of Log over one clock.
func logs(t *testing.T, c *testkit.Clock) map[string]ratelimit.Log {
	t.Helper()
	_, server := testkit.Redis(t)
	address := server.Addr()
	embedded := miniredis.RunT(t)
	return map[string]ratelimit.Log{
		"redis":    ratelimit.NewRedis(connect(t, address), "ecf:limit:", c.Now),
		"embedded": ratelimit.NewRedis(connect(t, embedded.Addr()), "ecf:limit:", c.Now),
		"local":    ratelimit.NewLocal(c.Now, 0),
	}
}

func take(t *testing.T, l ratelimit.Log, key string, rule ratelimit.Rule) ratelimit.Result {
	t.Helper()
	r, err := l.Take(t.Context(), key, rule)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWindowSlides(t *testing.T) {
	t.Parallel()
	c := newClock()
	for name, l := range logs(t, c) {
		rule := ratelimit.Rule{Limit: 3, Window: time.Minute}
		steps := []struct {
			after     time.Duration
			allowed   bool
			remaining int
			reset     time.Duration
		}{
			{0, true, 2, time.Minute},
			{20 * time.Second, true, 1, 40 * time.Second},
			{20 * time.Second, true, 0, 20 * time.Second},
			{time.Second, false, 0, 19 * time.Second},
			{18 * time.Second, false, 0, time.Second},
			// At 60 s the first event, at 0 s, has left the window: one more passes, not three.
			{time.Second, true, 0, 20 * time.Second},
			{0, false, 0, 20 * time.Second},
			{20 * time.Second, true, 0, 20 * time.Second},
			{5 * time.Minute, true, 2, time.Minute},
		}
		for i, s := range steps {
			c.Advance(s.after)
			r := take(t, l, "k", rule)
			if r.Allowed != s.allowed || r.Remaining != s.remaining || r.Reset != s.reset {
				t.Errorf("%s: step %d: got %+v, want %+v", name, i, r, s)
			}
		}
		if r := take(t, l, "another", rule); !r.Allowed || r.Remaining != 2 {
			t.Errorf("%s: another key: %+v", name, r)
		}
	}
}

// TestClockIsSetBack verifies that a clock which is set back, by little or much, admits no more than
// the limit again, refuses nobody for longer than two windows, and announces no longer wait than one.
func TestClockIsSetBack(t *testing.T) {
	t.Parallel()
	rule := ratelimit.Rule{Limit: 3, Window: time.Minute}
	for _, back := range []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour} {
		c := newClock()
		for name, l := range logs(t, c) {
			c.Advance(48 * time.Hour)
			for range rule.Limit {
				take(t, l, name, rule)
			}
			c.Advance(-back)
			passed := 0
			for range 2 * rule.Limit {
				r := take(t, l, name, rule)
				if r.Allowed {
					passed++
				}
				if r.Reset > rule.Window {
					t.Errorf("%s, %v back: it announces a wait of %v", name, back, r.Reset)
				}
			}
			if passed > rule.Limit || back <= rule.Window && passed > 0 {
				t.Errorf("%s, %v back: %d more passed", name, back, passed)
			}
			c.Advance(2 * rule.Window)
			if r := take(t, l, name, rule); !r.Allowed || r.Remaining != rule.Limit-1 {
				t.Errorf("%s, %v back: two windows later %+v", name, back, r)
			}
		}
	}
}

// TestLogsAgree plays random histories on all implementations at once and compares them with
// the definition: an event passes if fewer than the limit have passed within the window before
// it.
func TestLogsAgree(t *testing.T) {
	t.Parallel()
	random := testkit.Rand(t)
	c := newClock()
	all := logs(t, c)
	rule := ratelimit.Rule{Limit: 5, Window: 10 * time.Second}
	var passed []time.Time
	for i := range 400 {
		c.Advance(time.Duration(random.IntN(4000)) * time.Millisecond)
		if random.IntN(10) == 0 {
			c.Advance(-500 * time.Millisecond) // setting the clock back must not circumvent the limit
		}
		action := random.IntN(10)
		now := c.Now()
		if len(passed) > 0 && passed[len(passed)-1].After(now) {
			now = passed[len(passed)-1]
		}
		// What has left the window does not return when the clock is set back.
		passed = slices.DeleteFunc(passed, func(p time.Time) bool { return !p.After(now.Add(-rule.Window)) })
		within := len(passed)
		want := within < rule.Limit
		for name, l := range all {
			var r ratelimit.Result
			var err error
			if action == 0 {
				r, err = l.Peek(t.Context(), "k", rule)
			} else {
				r, err = l.Take(t.Context(), "k", rule)
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Allowed != want {
				t.Fatalf("%s, step %d: allowed %v with %d of %d in the window", name, i, r.Allowed, within, rule.Limit)
			}
			if action == 1 && r.Allowed {
				if err := l.Refund(t.Context(), "k", r); err != nil {
					t.Fatal(err)
				}
			}
		}
		if want && action > 1 {
			passed = append(passed, now)
		}
	}
}

// TestFailuresOfRedis verifies that nothing passes for counted, or for taken back, which was not.
func TestFailuresOfRedis(t *testing.T) {
	t.Parallel()
	_, server := testkit.Redis(t)
	l := ratelimit.NewRedis(connect(t, server.Addr()), "ecf:limit:", nil)
	taken := take(t, l, "k", rule)
	if err := l.Refund(t.Context(), "k", taken); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	_, takeErr := l.Take(t.Context(), "k", rule)
	_, peekErr := l.Peek(t.Context(), "k", rule)
	_, pourErr := l.Pour(t.Context(), "k", rule, 1)
	for name, err := range map[string]error{"take": takeErr, "peek": peekErr, "refund": l.Refund(t.Context(), "k", taken), "volume": pourErr} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s without Redis: error %v", name, err)
		}
	}
}

func TestLocalIsBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := ratelimit.NewLocal(c.Now, 3)
	one := ratelimit.Rule{Limit: 1, Window: time.Minute}
	for _, key := range []string{"a", "b", "c", "a", "d"} { // b is the least recently used
		take(t, l, key, one)
	}
	for key, want := range map[string]bool{"a": false, "c": false, "d": false} {
		if r, _ := l.Peek(t.Context(), key, one); r.Allowed != want {
			t.Errorf("%s: allowed %v", key, r.Allowed)
		}
	}
	if r, _ := l.Peek(t.Context(), "b", one); !r.Allowed {
		t.Error("b was remembered beyond the bound")
	}
}

func TestAddressKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"203.0.113.7":          "203.0.113.7",
		"::ffff:203.0.113.7":   "203.0.113.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::1":      "2001:db8:1:2::/64",
		"fe80::1%eth0":         "fe80::/64",
	} {
		if got := ratelimit.AddressKey(netip.MustParseAddr(in)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	if got := ratelimit.AddressKey(netip.Addr{}); got != "unknown" {
		t.Errorf("no address: %s", got)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	if got := ratelimit.PolicyField("auth", rule); got != `"auth";q=30;w=900` {
		t.Error(got)
	}
	if got := ratelimit.Field("auth", ratelimit.Result{Remaining: 12, Reset: 1500 * time.Millisecond}); got != `"auth";r=12;t=2` {
		t.Error(got)
	}
}
