package upstream

import (
	"net"
	"testing"
	"time"
)

// timed is a connection that records its deadlines.
type timed struct {
	net.Conn
	set []time.Time
}

func (c *timed) SetDeadline(t time.Time) error {
	c.set = append(c.set, t)
	return nil
}

// TestADeadlineIsKeptWithinAStep verifies that the deadline in effect is never earlier than
// requested, at most one step later, and not set again within it.
func TestADeadlineIsKeptWithinAStep(t *testing.T) {
	t.Parallel()
	conn := &timed{}
	c := &freshConn{Conn: conn}
	base := time.Now()
	for _, after := range []time.Duration{4 * time.Second, 4010 * time.Millisecond, 4050 * time.Millisecond, 4051 * time.Millisecond, 9 * time.Second, time.Second, time.Second} {
		if err := c.SetDeadline(base.Add(after)); err != nil {
			t.Fatal(err)
		}
		if late := conn.set[len(conn.set)-1].Sub(base.Add(after)); late < 0 || late > deadlineStep {
			t.Errorf("a deadline after %v is late by %v", after, late)
		}
	}
	if len(conn.set) != 4 {
		t.Errorf("%d deadlines were set, want 4", len(conn.set))
	}
}
