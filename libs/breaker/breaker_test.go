package breaker_test

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/breaker"
)

func TestPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := breaker.New(time.Second, func() time.Time { return now })
	if !b.Allow() {
		t.Error("not allowed before any failure")
	}
	b.Trip()
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{0, false}, {999 * time.Millisecond, false}, {time.Second, true}, {-time.Millisecond, true}, {-time.Hour, true}} {
		begun := now
		now = begun.Add(c.after)
		if got := b.Allow(); got != c.want {
			t.Errorf("%s after a failure: allowed %t, want %t", c.after, got, c.want)
		}
		now = begun
	}
	now = now.Add(500 * time.Millisecond)
	b.Trip() // another failure starts another pause
	now = now.Add(700 * time.Millisecond)
	if b.Allow() {
		t.Error("allowed within the second pause")
	}
}
