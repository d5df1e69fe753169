package fairshare_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// bench runs work one by one, so that its order can be observed.
type bench struct {
	t     *testing.T
	s     *fairshare.Scheduler
	begun chan begun
}

type begun struct {
	name    string
	release func()
}

func newBench(t *testing.T, o fairshare.Options) *bench {
	return &bench{t: t, s: fairshare.New(o), begun: make(chan begun, 100)}
}

// wants adds work and waits until it runs or waits in its queue.
func (b *bench) wants(key string, cost int) { b.wantsBy(b.s.Acquire, key, cost) }

func (b *bench) wantsBy(acquire func(context.Context, string, int) (func(), error), key string, cost int) {
	b.t.Helper()
	b.wantsAs(key, acquire, key, cost)
}

// wantsAs is wantsBy for work whose name differs from its key.
func (b *bench) wantsAs(name string, acquire func(context.Context, string, int) (func(), error), key string, cost int) {
	b.t.Helper()
	before := b.s.AllWaiting() + b.s.Running()
	go func() {
		release, err := acquire(b.t.Context(), key, cost)
		if err != nil {
			return
		}
		b.begun <- begun{name, release}
	}()
	testkit.Eventually(b.t, 10*time.Second, func() error {
		if n := b.s.AllWaiting() + b.s.Running(); n != before+1 {
			return fmt.Errorf("%d run or wait, want %d", n, before+1)
		}
		return nil
	})
}

// order ends the work one by one, in the order it began, and returns that order.
func (b *bench) order(n int) string {
	b.t.Helper()
	var names []string
	for range n {
		select {
		case w := <-b.begun:
			names = append(names, w.name)
			w.release()
			w.release() // the second call has no effect
		case <-time.After(20 * time.Second):
			b.t.Fatalf("only %v began", names)
		}
	}
	return strings.Join(names, "")
}

// TestTheGreedyDoNotPushOthersBack verifies that a key that arrives after a flood is next.
func TestTheGreedyDoNotPushOthersBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 1, Share: 1})
	for range 6 {
		b.wants("a", 1)
	}
	b.wants("b", 1)
	b.wants("b", 1)
	b.wants("c", 1)
	if got := b.order(9); got != "abcabaaaa" {
		t.Errorf("order %s", got)
	}
}

// TestWorkBehind verifies that low-priority work waits for all other, however little its key
// has used, and is shared fairly among itself.
func TestWorkBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 1, Share: 1})
	b.wants("a", 1)
	for _, key := range []string{"x", "x", "x", "y"} {
		b.wantsBy(b.s.AcquireLowPriority, key, 1)
	}
	for range 3 {
		b.wants("a", 5)
	}
	b.wants("x", 9) // ordinary work of a key that also has low-priority work
	if got := b.order(9); got != "axaaaxyxx" {
		t.Errorf("order %s", got)
	}
	if n := b.s.Waiting("x"); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// TestWorkThatCompletes verifies that AcquireFirst precedes all waiting work of its key, and
// takes nothing from other keys.
func TestWorkThatCompletes(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 1, Share: 1, Waiting: 4})
	b.wants("z", 1)
	b.wants("a", 1)
	b.wants("b", 1)
	b.wants("a", 2) // the limit of waiting work
	b.wants("a", 1)
	b.wantsAs("A", b.s.AcquireFirst, "a", 1)
	if got := b.order(6); got != "zAbaaa" {
		t.Errorf("order %s", got)
	}
}

// TestExpensiveKeysGetFewerSlots verifies that a key with expensive work gets slots less often.
func TestExpensiveKeysGetFewerSlots(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 1, Share: 1})
	for range 3 {
		b.wants("a", 3)
	}
	for range 6 {
		b.wants("b", 1)
	}
	if got := b.order(9); got != "abbbabbba" {
		t.Errorf("order %s", got)
	}
}

// TestShare verifies that no key exceeds its share, even if slots are free.
func TestShare(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 3, Share: 2})
	for range 5 {
		b.wants("a", 1)
	}
	if b.s.Running() != 2 || b.s.AllWaiting() != 3 {
		t.Errorf("%d running, %d waiting", b.s.Running(), b.s.AllWaiting())
	}
	b.wants("b", 1) // gets a slot at once
	if b.s.Running() != 3 {
		t.Errorf("%d running", b.s.Running())
	}
	b.wants("b", 1)
	if got := b.order(7); strings.Count(got, "a") != 5 || strings.Count(got, "b") != 2 {
		t.Errorf("order %s", got)
	}
}

// TestIdleKeysGainNoAdvantage verifies that a key gains nothing by being away.
func TestIdleKeysGainNoAdvantage(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 1, Share: 1})
	b.wants("z", 1)
	for range 5 {
		b.wants("a", 1)
	}
	if got := b.order(6); got != "zaaaaa" {
		t.Errorf("order %s", got)
	}
	for range 3 {
		b.wants("a", 1)
		b.wants("z", 1)
	}
	if got := b.order(6); got != "azazaz" {
		t.Errorf("order %s", got)
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 1, Share: 1, Waiting: 2})
	for range 3 {
		b.wants("a", 1)
	}
	if _, err := b.s.Acquire(t.Context(), "a", 1); !errors.Is(err, fairshare.ErrFull) {
		t.Errorf("the fourth: %v", err)
	}
	b.wants("b", 1) // has its own queue
	if got := b.order(4); got != "abaa" {
		t.Errorf("order %s", got)
	}
}

// TestCancelledCallersHoldNoSlot: who leaves before its turn takes no slot, and keeps none.
func TestCancelledCallersHoldNoSlot(t *testing.T) {
	t.Parallel()
	b := newBench(t, fairshare.Options{Slots: 1, Share: 1})
	b.wants("a", 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.s.Acquire(ctx, "z", 1) // after all others of equal use
		done <- err
	}()
	testkit.Eventually(t, 10*time.Second, func() error {
		if b.s.AllWaiting() != 1 {
			return errors.New("nobody waits")
		}
		return nil
	})
	b.wants("c", 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("left: %v", err)
	}
	if _, err := b.s.Acquire(ctx, "b", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("came with an ended context: %v", err)
	}
	if b.s.Running() != 1 || b.s.Waiting("c") != 1 || b.s.Waiting("z") != 0 {
		t.Errorf("after who waited has left %d run, and %d and %d wait", b.s.Running(), b.s.Waiting("c"), b.s.Waiting("z"))
	}
	if got := b.order(2); got != "ac" {
		t.Errorf("order %s", got)
	}
	if b.s.Running() != 0 || b.s.AllWaiting() != 0 || b.s.Keys() != 0 {
		t.Errorf("%d running, %d waiting, %d keys are left", b.s.Running(), b.s.AllWaiting(), b.s.Keys())
	}
}

// TestRandom verifies the limits under random load, and that no state is left.
func TestRandom(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	s := fairshare.New(fairshare.Options{Slots: 4, Share: 2})
	var mu sync.Mutex
	running := map[string]int{}
	var all sync.WaitGroup
	for range 300 {
		key, cost, leaves := string(rune('a'+rng.IntN(5))), 1+rng.IntN(4), rng.IntN(4) == 0
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if leaves {
				go cancel()
			}
			release, err := s.Acquire(ctx, key, cost)
			if err != nil {
				return
			}
			mu.Lock()
			running[key]++
			total := 0
			for _, n := range running {
				total += n
			}
			if running[key] > 2 || total > 4 {
				t.Errorf("%d of %s and %d of all in flight", running[key], key, total)
			}
			mu.Unlock()
			mu.Lock()
			running[key]--
			mu.Unlock()
			release()
		})
	}
	all.Wait()
	if s.Running() != 0 || s.AllWaiting() != 0 || s.Keys() != 0 {
		t.Errorf("%d running, %d waiting, %d keys are left", s.Running(), s.AllWaiting(), s.Keys())
	}
}

// TestAKeyAloneHasMore verifies that a key exceeds its share only while it is alone.
func TestAKeyAloneHasMore(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	b := newBench(t, fairshare.Options{Slots: 8, Share: 1, Alone: 4, AloneAfter: time.Minute, Now: clock.Now})
	running := func(want int, when string) {
		t.Helper()
		if n := b.s.Running(); n != want {
			t.Fatalf("%s: %d run, want %d", when, n, want)
		}
	}
	for range 10 {
		b.wants("greedy", 1)
	}
	running(4, "alone")
	b.wants("other", 1)
	running(5, "beside another")
	for range 5 { // four of greedy and one of other; none of greedy follows
		(<-b.begun).release()
	}
	running(1, "the other one has been there")
	b.wants("other", 1)
	running(2, "the other one comes back")
	for range 2 {
		(<-b.begun).release()
	}
	clock.Advance(time.Minute)
	running(1, "before anything ends")
	(<-b.begun).release()
	running(4, "alone again")
}

// TestShortWorkKeepsItsPlace verifies that while another key has work, short work holds its
// slot for Least. Longer work, AcquireFirst, a key alone and one with a single piece at a time
// are not delayed.
func TestShortWorkKeepsItsPlace(t *testing.T) {
	t.Parallel()
	const least = 2 * time.Millisecond
	r := newResting(t, fairshare.Options{Slots: 4, Share: 2, AloneAfter: time.Minute, Least: least})
	r.s.Seen("other")
	r.work(r.s.Acquire, "greedy", 0)
	r.rested() // one at a time
	r.hold("greedy")()
	r.clock.Advance(time.Minute)
	more := r.hold("greedy")
	for range 3 {
		r.work(r.s.Acquire, "greedy", 0)
	}
	r.rested() // alone
	r.s.Seen("other")
	r.work(r.s.Acquire, "greedy", least)
	r.rested()
	r.work(r.s.Acquire, "greedy", least/4)
	r.rested(least - least/4)
	// While that slot is held:
	r.work(r.s.AcquireFirst, "greedy", 0)
	r.work(r.s.Acquire, "other", 0)
	r.work(r.s.Acquire, "a third", 0)
	begun := make(chan func(), 1)
	go func() {
		if end, err := r.s.Acquire(t.Context(), "greedy", 1); err == nil {
			begun <- end
		}
	}()
	testkit.Eventually(t, 20*time.Second, func() error {
		if n := r.s.Waiting("greedy"); n != 1 {
			return fmt.Errorf("%d wait, want 1", n)
		}
		return nil
	})
	r.over[0]()
	(<-begun)()
	r.rested(least-least/4, least)
	r.over[1]()
	r.clock.Advance(time.Minute)
	r.work(r.s.Acquire, "greedy", 0)
	r.rested(least-least/4, least) // alone again
	more()
	r.clock.Advance(2 * time.Second)
	r.s.Seen("other")
	r.work(r.s.Acquire, "greedy", 0)
	r.rested(least-least/4, least) // one at a time again
	if n := r.s.Keys(); n != 0 || r.s.Running() != 0 {
		t.Errorf("%d keys and %d running are left", n, r.s.Running())
	}
}

// TestTheShortestWorkKeepsItsPlaceForLess verifies that LeastTimes limits Least.
func TestTheShortestWorkKeepsItsPlaceForLess(t *testing.T) {
	t.Parallel()
	const least, times = 2 * time.Millisecond, 10
	r := newResting(t, fairshare.Options{Slots: 4, Share: 2, AloneAfter: time.Minute, Least: least, LeastTimes: times})
	r.hold("greedy")
	r.s.Seen("other")
	want := []time.Duration{}
	for _, took := range []time.Duration{least / 100, least / 20, least / times, least / 2} {
		r.work(r.s.Acquire, "greedy", took)
		want = append(want, min(times*took, least)-took)
		r.rested(want...)
		r.over[len(r.over)-1]()
	}
}

// TestALittleShortWorkIsNotDelayed verifies that Burst allows some short work at once, and
// again after a while.
func TestALittleShortWorkIsNotDelayed(t *testing.T) {
	t.Parallel()
	const least, burst = 2 * time.Millisecond, 10 * time.Millisecond
	for _, share := range []int{1, 4} {
		r := newResting(t, fairshare.Options{Slots: 3 * share, Share: share + 1, AloneAfter: time.Minute, Least: least, Burst: burst})
		r.hold("greedy")
		times := func() (n int) {
			before := len(r.rests)
			for r.s.Seen("other"); len(r.rests) == before; n++ {
				r.work(r.s.Acquire, "greedy", 0)
			}
			r.over[before]()
			return n - 1
		}
		most := (share + 1) * int(burst/least)
		if n := times(); n != most {
			t.Errorf("share %d: %d were not delayed, want %d", share, n, most)
		}
		for _, c := range []struct {
			after time.Duration
			want  int
		}{{0, 0}, {burst / 2, most / 2}, {time.Second, most}} {
			r.clock.Advance(c.after)
			if n := times(); n < c.want-2*(share+1) || n > c.want {
				t.Errorf("share %d, %v later: %d were not delayed, want %d", share, c.after, n, c.want)
			}
		}
	}
}

// TestWorkPauses verifies that while another key has work, a slot is held after its work in
// proportion to it, within the limit, also for AcquireFirst, but not for a key that is alone or
// has one piece at a time.
func TestWorkPauses(t *testing.T) {
	t.Parallel()
	const took = 10 * time.Millisecond
	r := newResting(t, fairshare.Options{Slots: 4, Share: 1, AloneAfter: time.Minute, Least: time.Millisecond, Pause: 0.5, Longest: 20 * time.Millisecond})
	both := func(acquire func(context.Context, string, int) (func(), error), takes time.Duration) {
		t.Helper()
		end, err := acquire(t.Context(), "greedy", 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		given := make(chan struct{})
		go func() {
			defer close(given)
			_, _ = r.s.Acquire(ctx, "greedy", 1) // several at a time
		}()
		testkit.Eventually(t, 20*time.Second, func() error {
			if r.s.Waiting("greedy") != 1 {
				return errors.New("nothing waits")
			}
			return nil
		})
		cancel()
		<-given
		r.clock.Advance(takes)
		end()
	}
	both(r.s.Acquire, took)
	r.rested() // alone
	r.s.Seen("other")
	both(r.s.Acquire, took)
	r.rested(took / 2)
	waits, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.s.AcquireFirst(waits, "greedy", 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("what completes something does not pause: %v", err)
	}
	r.work(r.s.Acquire, "other", took)
	r.rested(took / 2)
	r.over[0]()
	both(r.s.AcquireFirst, time.Second)
	r.rested(took/2, 20*time.Millisecond)
	r.over[1]()
	r.clock.Advance(2 * time.Second)
	r.s.Seen("other")
	r.work(r.s.Acquire, "greedy", took)
	r.rested(took/2, 20*time.Millisecond) // one at a time again
	if n := r.s.Keys(); n != 0 || r.s.Running() != 0 {
		t.Errorf("%d keys and %d running are left", n, r.s.Running())
	}
}

// resting does work of a scheduler and records when slots are released.
type resting struct {
	t     *testing.T
	s     *fairshare.Scheduler
	clock *testkit.Clock
	rests []time.Duration
	over  []func()
}

func newResting(t *testing.T, o fairshare.Options) *resting {
	r := &resting{t: t, clock: testkit.NewClock(time.Unix(1_800_000_000, 0))}
	o.Now, o.After = r.clock.Now, func(d time.Duration, f func()) { r.rests, r.over = append(r.rests, d), append(r.over, f) }
	r.s = fairshare.New(o)
	return r
}

func (r *resting) work(acquire func(context.Context, string, int) (func(), error), key string, takes time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	end, err := acquire(ctx, key, 1)
	if err != nil {
		r.t.Fatalf("work of %s: %v", key, err)
	}
	r.clock.Advance(takes)
	end()
}

// hold starts work of a key that runs until end is called.
func (r *resting) hold(key string) (end func()) {
	r.t.Helper()
	end, err := r.s.AcquireFirst(r.t.Context(), key, 1)
	if err != nil {
		r.t.Fatalf("work of %s: %v", key, err)
	}
	return end
}

func (r *resting) rested(want ...time.Duration) {
	r.t.Helper()
	if fmt.Sprint(r.rests) != fmt.Sprint(want) {
		r.t.Fatalf("places are kept for %v, want %v", r.rests, want)
	}
}
