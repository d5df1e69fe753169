package fairshare_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestTryAcquireBeginsWhatNeedNotWait compares TryAcquire with Acquire whose waiting is
// canceled: the same work starts, at the same times.
func TestTryAcquireBeginsWhatNeedNotWait(t *testing.T) {
	t.Parallel()
	random := testkit.Rand(t)
	for _, o := range []fairshare.Options{
		{Slots: 4, Share: 2},
		{Slots: 6, Share: 2, Alone: 5, AloneAfter: 10 * time.Second},
		{Slots: 6, Share: 3, Alone: 4, AloneAfter: 10 * time.Second, Least: time.Second, Burst: time.Second, LeastTimes: 20},
		{Slots: 6, Share: 3, Pause: 1, Longest: time.Second, AloneAfter: 10 * time.Second},
	} {
		clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
		type timer struct {
			at time.Time
			f  func()
		}
		var timers []timer
		o.Now, o.After = clock.Now, func(d time.Duration, f func()) { timers = append(timers, timer{clock.Now().Add(d), f}) }
		tried, asked := fairshare.New(o), fairshare.New(o)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		type running struct {
			place fairshare.Place
			end   func()
		}
		var work []running
		begun := 0
		for step := range 3000 {
			switch random.IntN(5) {
			case 0, 1:
				key, cost := []string{"a", "b", "c"}[random.IntN(3)], 1+random.IntN(3)
				place, ok := tried.TryAcquire(key, cost, clock.Now())
				end, err := asked.Acquire(&waitsNot{Context: t.Context(), ended: over}, key, cost)
				if ok != (err == nil) {
					t.Fatalf("step %d of %+v: %s begins %t when tried; asked for: %v", step, o, key, ok, err)
				}
				if ok {
					work, begun = append(work, running{place, end}), begun+1
				}
			case 2, 3:
				if len(work) > 0 {
					i := random.IntN(len(work))
					work[i].place.Release()
					work[i].end()
					work = append(work[:i], work[i+1:]...)
				}
			case 4:
				clock.Advance(time.Duration(random.IntN(3000)) * time.Millisecond)
				due := timers
				timers = nil
				for _, r := range due {
					if r.at.After(clock.Now()) {
						timers = append(timers, r)
						continue
					}
					r.f()
				}
			}
			if tried.Running() != asked.Running() || tried.AllWaiting() != 0 {
				t.Fatalf("step %d: %d and %d run, %d wait", step, tried.Running(), asked.Running(), tried.AllWaiting())
			}
		}
		for _, w := range work {
			w.place.Release()
		}
		for _, r := range timers {
			r.f()
		}
		if tried.Running() != 0 || begun < 100 {
			t.Errorf("%d are left running of %d", tried.Running(), begun)
		}
	}
}

// waitsNot is a context that is canceled once work waits.
type waitsNot struct {
	context.Context
	ended context.Context
	asked bool
}

func (w *waitsNot) Done() <-chan struct{} { return w.ended.Done() }

func (w *waitsNot) Err() error {
	if w.asked {
		return w.ended.Err()
	}
	w.asked = true
	return nil
}

// TestTryAcquireForgetsWhoFindsNoPlace verifies that keys whose work does not start use no
// memory.
func TestTryAcquireForgetsWhoFindsNoPlace(t *testing.T) {
	t.Parallel()
	s := fairshare.New(fairshare.Options{Slots: 1})
	now := time.Now()
	if _, ok := s.TryAcquire("a", 1, now); !ok {
		t.Fatal("the first does not begin")
	}
	for i := range 100 {
		if _, ok := s.TryAcquire(fmt.Sprint(i), 1, now); ok {
			t.Fatal("two begin in one place")
		}
	}
	if n := s.Keys(); n != 1 {
		t.Errorf("%d keys are remembered, want 1", n)
	}
}

// TestAllocationsOfTryAcquire verifies that there are none for a key with work.
func TestAllocationsOfTryAcquire(t *testing.T) {
	testkit.WithoutRace(t)
	s := fairshare.New(fairshare.Options{Slots: 4, Share: 4})
	now := time.Now()
	if _, ok := s.TryAcquire("a", 1, now); !ok {
		t.Fatal("the first does not begin")
	}
	if n := testing.AllocsPerRun(100, func() {
		p, ok := s.TryAcquire("a", 1, now)
		if !ok {
			t.Fatal("it does not begin")
		}
		p.Release()
	}); n > 0 {
		t.Errorf("it allocates %v times", n)
	}
}
