package ratelimit

import (
	"strconv"
	"testing"
	"time"
)

// TestPace verifies that a caller has its burst at once, and then one unit after the other,
// independently of others.
func TestPace(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	p := NewPace[string](10*time.Millisecond, 50*time.Millisecond)
	for n := range 20 {
		if got, want := p.Reserve("greedy", 1, now), max(0, n-5)*10; got != time.Duration(want)*time.Millisecond {
			t.Errorf("the %dth waits %v, want %d ms", n+1, got, want)
		}
	}
	if got := p.Reserve("other", 1, now); got != 0 {
		t.Errorf("another caller waits %v", got)
	}
	// Time without use saves nothing up.
	now = now.Add(time.Hour)
	for n := range 10 {
		if got, want := p.Reserve("greedy", 1, now), max(0, n-5)*10; got != time.Duration(want)*time.Millisecond {
			t.Errorf("the %dth of another hour waits %v, want %d ms", n+1, got, want)
		}
	}
	if got := p.Reserve("several", 20, now); got != 0 {
		t.Errorf("20 units at once wait %v", got)
	}
	if got, want := p.Reserve("several", 1, now), 150*time.Millisecond; got != want {
		t.Errorf("what follows 20 units waits %v, want %v", got, want)
	}
}

// TestPaceWithin verifies that a caller waits for the limit at most, and that one who would wait longer has used nothing.
func TestPaceWithin(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	p := NewPace[string](10*time.Millisecond, 0)
	for n, want := range []struct {
		wait time.Duration
		ok   bool
	}{{0, true}, {10 * time.Millisecond, true}, {20 * time.Millisecond, true}, {0, false}, {0, false}} {
		if wait, ok := p.Within("a", 1, now, 20*time.Millisecond); wait != want.wait || ok != want.ok {
			t.Errorf("the %dth: %v, %v; want %v, %v", n+1, wait, ok, want.wait, want.ok)
		}
	}
	if wait := p.Reserve("a", 1, now); wait != 30*time.Millisecond {
		t.Errorf("after two refusals it waits %v, want 30ms", wait)
	}
}

// TestPaceIsBounded verifies that of too many callers those are forgotten that have nothing to wait for, and all of them
// where that is not enough.
func TestPaceIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	p := NewPace[string](10*time.Millisecond, 0)
	p.Reserve("waiting", 1000, now)
	for n := range maxPaced - 1 {
		p.Reserve(strconv.Itoa(n), 1, now)
	}
	now = now.Add(10 * time.Millisecond) // when the others' time is over
	p.Reserve("0", 1, now)
	if len(p.until) != maxPaced {
		t.Errorf("%d callers are remembered after one has returned, want all %d", len(p.until), maxPaced)
	}
	p.Reserve("new", 1, now)
	if got, want := p.Reserve("waiting", 1, now), 9990*time.Millisecond; got != want || len(p.until) != 3 {
		t.Errorf("the caller with something to wait for waits %v, want %v; %d are remembered, want 3", got, want, len(p.until))
	}
	for n := range 2 * maxPaced {
		p.Reserve(strconv.Itoa(n), 1, now)
		if len(p.until) > maxPaced {
			t.Fatalf("%d callers are remembered", len(p.until))
		}
	}
}

// TestPaceForgetsSeldom verifies that a flood of callers, of whom few have nothing to wait for, does not look through all
// of them for each new one.
func TestPaceForgetsSeldom(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	p := NewPace[string](time.Minute, 0)
	const step = time.Minute / (maxPaced - 1) // one caller's time is over whenever another comes
	swept := 0
	for n := range 3 * maxPaced {
		before := len(p.until)
		p.Reserve(strconv.Itoa(n), 1, now)
		if len(p.until) <= before {
			swept++
		}
		now = now.Add(step)
	}
	if swept > 10 {
		t.Errorf("looked through %d callers %d times for %d new ones", maxPaced, swept, 3*maxPaced)
	}
}
