// Package testkit gives tests what they need from outside the process: a MongoDB
// engine, a Redis server, binaries of this workspace running as real processes, free
// ports; and from inside: a manual clock, a logged random seed and a way to wait for a
// condition.
//
// Every resource lasts for one test and is released at its end, even if the test
// process dies. The package needs a Unix system.
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

// pollInterval is the interval between checks of a condition: short compared with the
// wait, long enough to leave the CPU to the work waited for.
const pollInterval = 10 * time.Millisecond

// Eventually waits until cond returns nil. After limit it fails the test with cond's
// last error.
func Eventually(t testing.TB, limit time.Duration, cond func() error) {
	t.Helper()
	if err := poll(limit, cond); err != nil {
		t.Fatalf("after %v: %v", limit, err)
	}
}

// Takes sleeps for d in code that stands for work, such as a handler or a read that
// others run concurrently with. It must not be used to wait for a condition; that is
// Eventually.
func Takes(t testing.TB, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// poll is Eventually for callers that add to the error.
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
// reproduced. It is ECF_TEST_SEED if that is set.
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

// Rand returns a random source seeded with Seed.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := Seed(t)
	return rand.New(rand.NewPCG(seed, seed))
}

// Clock is a manual clock, whose Now replaces time.Now. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock set to start.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d, backwards if d is negative, and returns the new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// Set sets the clock.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Ports below the ephemeral range, so that no outgoing connection of another test uses
// one by chance.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// FreePort returns a TCP port of 127.0.0.1 on which nothing listens and that no other
// test of this user, in any process, is given until this one ends.
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
	t.Fatal("no free port")
	return 0
}

func canListen(port int) bool {
	l, err := net.Listen("tcp", localAddr(port))
	if err != nil {
		return false
	}
	return unlisten(l) == nil
}

func localAddr(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// unlisten closes a listener so that its port is free at once. A process that is being
// started at that time has a copy of the socket until it executes its program, and
// closing alone would leave the port in use until then.
func unlisten(l net.Listener) error {
	if tcp, ok := l.(*net.TCPListener); ok {
		if socket, err := tcp.SyscallConn(); err == nil {
			_ = socket.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) })
		}
	}
	return l.Close()
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

// findRoot searches upwards from the working directory of the test, which is its
// package, and from this file, whose name is a path only without -trimpath.
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
