package testkit

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder is a test that records its failure.
type recorder struct {
	testing.TB
	failure string
	logged  string
}

func (r *recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logged += fmt.Sprintf(format, args...) + "\n"
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failureOf runs test and returns the message with which it failed.
func failureOf(t *testing.T, test func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	var wg sync.WaitGroup
	wg.Go(func() { test(r) })
	wg.Wait()
	return r.failure
}

func TestEventually(t *testing.T) {
	t.Parallel()
	calls := 0
	Eventually(t, time.Minute, func() error {
		if calls++; calls < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if calls != 3 {
		t.Errorf("called %d times, want 3", calls)
	}
	failure := failureOf(t, func(t testing.TB) {
		Eventually(t, 3*pollInterval, func() error { return errors.New("never") })
	})
	if !strings.Contains(failure, "never") {
		t.Errorf("failed with %q, want the last error", failure)
	}
}

func TestSeedIsToldAndTaken(t *testing.T) {
	t.Setenv("ECF_TEST_SEED", "")
	r := &recorder{TB: t}
	seed := Seed(r)
	if want := "ECF_TEST_SEED=" + strconv.FormatUint(seed, 10); !strings.Contains(r.logged, want) {
		t.Errorf("logged %q, want %s", r.logged, want)
	}
	t.Setenv("ECF_TEST_SEED", strconv.FormatUint(seed, 10))
	if again := Seed(t); again != seed {
		t.Errorf("with ECF_TEST_SEED set: %d, want %d", again, seed)
	}
	if a, b := Rand(t).Uint64(), Rand(t).Uint64(); a != b {
		t.Errorf("the same seed gave %d and %d", a, b)
	}
	t.Setenv("ECF_TEST_SEED", "-1")
	if failure := failureOf(t, func(t testing.TB) { Seed(t) }); failure == "" {
		t.Error("an invalid seed was accepted")
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := NewClock(start)
	if !clock.Now().Equal(start) || !clock.Now().Equal(start) {
		t.Error("the clock advances by itself")
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { clock.Advance(time.Second) })
	}
	wg.Wait()
	if want := start.Add(10 * time.Second); !clock.Now().Equal(want) {
		t.Errorf("after ten seconds: %v, want %v", clock.Now(), want)
	}
	clock.Set(start)
	if got := clock.Advance(-time.Hour); !got.Equal(start.Add(-time.Hour)) {
		t.Errorf("an hour earlier: %v", got)
	}
}

func TestFreePortIsGivenOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	given := map[int]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				port := FreePort(t)
				mu.Lock()
				if given[port] {
					t.Errorf("port %d was returned twice", port)
				}
				given[port] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for port := range given {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Errorf("port %d is not free: %v", port, err)
			continue
		}
		_ = l.Close()
	}
}

// TestAllocationsAreTheSameOnEveryHeap counts those of a function that takes from a pool, and that allocates so much that
// collections would empty it. It does not run in parallel, since allocations of other tests would count.
func TestAllocationsAreTheSameOnEveryHeap(t *testing.T) {
	WithoutRace(t)
	pool := sync.Pool{New: func() any { return new([64]byte) }}
	var sink []byte
	got := Allocations(5, func() {
		pool.Put(pool.Get())
		for range 4 {
			sink = make([]byte, 8<<20)
		}
	})
	if got != 4 || len(sink) == 0 {
		t.Errorf("%v allocations, want 4", got)
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(Root(t), engineModule, "go.mod")); err != nil {
		t.Error(err)
	}
}
