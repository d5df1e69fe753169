package ratelimit

import (
	"fmt"
	"testing"
	"time"
)

// TestPace verifies that a caller has its burst at once, and then one unit after the other,
// independently of others.
func TestPace(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	p := NewPace(10*time.Millisecond, 50*time.Millisecond)
	for n := range 20 {
		if got, want := p.Reserve("greedy", 1, now), max(0, n-5)*10; got != time.Duration(want)*time.Millisecond {
			t.Errorf("the %dth waits %v, want %d ms", n+1, got, want)
		}
	}
	if got := p.Reserve("other", 1, now); got != 0 {
		t.Errorf("another caller waits %v", got)
	}
	if got := p.Reserve("greedy", 1, now.Add(time.Hour)); got != 0 {
		t.Errorf("after an hour it waits %v", got)
	}
	for n := range 3 * maxPaced {
		p.Reserve(fmt.Sprint(n), 1, now)
	}
	if len(p.until) > maxPaced {
		t.Errorf("%d callers are remembered", len(p.until))
	}
}
