// Package testkit provides the dependencies of tests outside the process: a
// MongoDB engine, a Redis server, binaries of this workspace running as real
// processes, free ports; and inside it: a manual clock, a printed
// seed, and a way to wait for a condition.
//
// Everything is released at the end of the test, even if the test process
// crashes. It requires a Unix system.
package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// pollInterval is how often a condition is looked at: short beside what is
// waited for, long enough to leave the processor to it.
const pollInterval = 10 * time.Millisecond

// Eventually waits until cond returns nil, and fails the test with cond's last
// error when that takes longer than limit.
func Eventually(t testing.TB, limit time.Duration, cond func() error) {
	t.Helper()
	if err := poll(limit, cond); err != nil {
		t.Fatalf("after %v: %v", limit, err)
	}
}

// Takes simulates the duration of work in a test, such as a handler or a read
// that others overlap. To wait for a condition use Eventually.
func Takes(t testing.TB, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// poll is Eventually for callers that have more to say about a failure.
func poll(limit time.Duration, cond func() error) error {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := cond()
		if err == nil {
			return nil
		}
		select {
		case <-deadline.C:
			return err
		case <-tick.C:
		}
	}
}

// Seed returns the seed of a random test and logs it, so that a failure can be
// repeated: ECF_TEST_SEED, when set, is the seed.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if set := os.Getenv("ECF_TEST_SEED"); set != "" {
		var err error
		if seed, err = strconv.ParseUint(set, 10, 64); err != nil {
			t.Fatalf("ECF_TEST_SEED: %v", err)
		}
	}
	t.Logf("to repeat this test set ECF_TEST_SEED=%d", seed)
	return seed
}

// Rand returns a source of random numbers that starts from Seed.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := Seed(t)
	return rand.New(rand.NewPCG(seed, seed))
}

// Clock is a manual clock. Its Now replaces time.Now. It is safe for
// concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at start.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now is the time the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance advances the clock by d, which may be negative, and returns the new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// Set puts the clock at a time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Ports below those that systems hand out to outgoing connections, so that no
// client of another test sits on one by chance.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// FreePort returns an unused TCP port of 127.0.0.1 that is not given to any
// other test of this user, in any process, until this one ends.
func FreePort(t testing.TB) int {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("ecf-test-ports-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatalf("reserve a port: %v", err)
	}
	for range 1000 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		claim, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatalf("reserve a port: %v", err)
		}
		if syscall.Flock(int(claim.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || !canListen(port) {
			_ = claim.Close()
			continue
		}
		t.Cleanup(func() { _ = claim.Close() })
		return port
	}
	t.Fatal("found no free port")
	return 0
}

func canListen(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// Root returns the directory of the workspace, where go.work is.
func Root(t testing.TB) string {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// findRoot looks upwards from where the test runs, which is its package's
// directory, and from this file, whose name is only a path without -trimpath.
func findRoot() (string, error) {
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		starts = append(starts, filepath.Dir(file))
	}
	for _, dir := range starts {
		for ; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", fmt.Errorf("found no go.work above %v", starts)
}
