package connections

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// timers counts the deadlines that a connection is given.
type timers struct {
	net.Conn
	set []time.Time
}

func (c *timers) SetReadDeadline(t time.Time) error {
	c.set = append(c.set, t)
	return c.Conn.SetReadDeadline(t)
}

// TestBusyConnectionsSetNoDeadlines verifies that a busy connection sets none of the server's
// three deadlines, and a waiting one that of its operation.
func TestBusyConnectionsSetNoDeadlines(t *testing.T) {
	t.Parallel()
	theirs, ours := net.Pipe()
	defer theirs.Close() //nolint:errcheck // it is in memory
	kept := &timers{Conn: ours}
	c := &lingeringConn{Conn: kept}
	go func() {
		for b := []byte("x"); ; {
			if _, err := theirs.Write(b); err != nil {
				return
			}
		}
	}()
	began := time.Now()
	for range 100 {
		idle := time.Now().Add(2 * time.Minute)
		if err := c.SetReadDeadline(idle); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if late := kept.set[len(kept.set)-1].Sub(idle); late < 0 || late > deadlineStep {
			t.Fatalf("the deadline is late by %v", late)
		}
		if err := c.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil { // for the rest of the request, which has arrived
			t.Fatal(err)
		}
	}
	if most := 1 + int(time.Since(began)/deadlineStep); len(kept.set) > most {
		t.Errorf("%d deadlines set, want %d", len(kept.set), most)
	}
	// The rest has not arrived: its own deadline applies, and none after it.
	for _, next := range []time.Time{time.Now().Add(30 * time.Second), {}} {
		if err := c.SetReadDeadline(next); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if is := kept.set[len(kept.set)-1]; is.Sub(next) < 0 || is.Sub(next) > deadlineStep || is.IsZero() != next.IsZero() {
			t.Errorf("the deadline is %v, want %v", is, next)
		}
	}
}

// TestDeadlinesEndWhatWaits verifies that a past deadline ends a pending read and the next one.
func TestDeadlinesEndWhatWaits(t *testing.T) {
	t.Parallel()
	theirs, ours := net.Pipe()
	defer theirs.Close() //nolint:errcheck // it is in memory
	c := &lingeringConn{Conn: ours}
	if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		for range 2 {
			_, err := c.Read(make([]byte, 1))
			read <- err
		}
	}()
	testkit.Eventually(t, time.Minute, func() error {
		if !c.waits.Load() {
			return errors.New("nobody reads")
		}
		return nil
	})
	if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v", err)
		}
	}
	if err := c.SetWriteDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
