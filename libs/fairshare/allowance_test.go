package fairshare_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAllowance verifies that costs are deducted per key, replenished evenly, and rejected
// beyond the allowance, with the time until there is enough.
func TestAllowance(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	s := fairshare.New(fairshare.Options{Slots: 1, Pause: 1, AloneAfter: time.Hour, Allowance: 120, Within: time.Minute, Now: clock.Now})
	s.Seen("other")
	s.Seen("a")
	spend := func(key string, cost int, ok bool, left int, whole, wait time.Duration) {
		t.Helper()
		a, got := s.Spend(key, cost)
		if want := (fairshare.Allowance{Left: left, Whole: whole, Wait: wait}); got != ok || a != want {
			t.Errorf("%s spends %d: %t, %+v; want %t, %+v", key, cost, got, a, ok, want)
		}
	}
	for n := 1; n <= 29; n++ {
		spend("a", 4, true, 120-4*n, time.Duration(2*n)*time.Second, 0)
	}
	spend("a", 2, true, 2, 59*time.Second, 0)
	spend("a", 4, false, 2, 59*time.Second, time.Second) // two more are replenished in it
	spend("a", 2, true, 0, time.Minute, 0)
	spend("a", 2, false, 0, time.Minute, time.Second)
	spend("other", 4, true, 116, 2*time.Second, 0)
	clock.Advance(time.Second)
	spend("a", 4, false, 2, 59*time.Second, time.Second)
	s.Refund("a", 2)
	spend("a", 4, true, 0, time.Minute, 0)
	clock.Advance(time.Minute)
	spend("a", 4, true, 116, 2*time.Second, 0)
}

// TestAKeyAloneIsNotRefused verifies that a key without others is never rejected.
func TestAKeyAloneIsNotRefused(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	s := fairshare.New(fairshare.Options{Slots: 1, Pause: 1, AloneAfter: time.Minute, Allowance: 8, Within: time.Hour, Now: clock.Now})
	s.Seen("a")
	for range 100 {
		if a, ok := s.Spend("a", 4); !ok || a.Left > 4 {
			t.Fatalf("%t, %+v", ok, a)
		}
	}
	s.Seen("other")
	if a, ok := s.Spend("a", 4); ok || a.Left != 0 || a.Whole != time.Hour {
		t.Errorf("beside another: %t, %+v", ok, a)
	}
	clock.Advance(time.Minute)
	s.Seen("a")
	if _, ok := s.Spend("a", 4); !ok {
		t.Error("alone again it is refused")
	}
}

// TestSpendersAreForgotten verifies that replenished keys use no memory.
func TestSpendersAreForgotten(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	s := fairshare.New(fairshare.Options{Slots: 1, Allowance: 8, Within: time.Minute, Now: clock.Now})
	for n := range 10_000 {
		clock.Advance(time.Second)
		s.Spend(fmt.Sprint(n), 4)
	}
	if n := s.Spenders(); n > 200 {
		t.Errorf("%d are remembered", n)
	}
}

// TestWaitingIsLimitedByCost verifies that waiting work is limited by its cost.
func TestWaitingIsLimitedByCost(t *testing.T) {
	t.Parallel()
	for cost, want := range map[int]int{1: 8, 2: 4, 4: 2, 100: 1} {
		b := newBench(t, fairshare.Options{Slots: 1, Share: 1, Waiting: 8})
		for range 1 + want {
			b.wants("a", cost)
		}
		if _, err := b.s.Acquire(t.Context(), "a", cost); !errors.Is(err, fairshare.ErrFull) {
			t.Errorf("cost %d: after %d that wait: %v", cost, want, err)
		}
		if room := b.s.Room("a"); room >= cost || room < 0 {
			t.Errorf("cost %d: room for %d", cost, room)
		}
		if b.order(1 + want); b.s.Room("a") != 8 || b.s.Room("b") != 8 {
			t.Errorf("cost %d: room for %d and %d when nothing waits", cost, b.s.Room("a"), b.s.Room("b"))
		}
	}
}
