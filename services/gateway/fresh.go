package gateway

import (
	"net"
	"time"
)

// freshConn is a kept connection that makes sure, before a request is written
// to it, that the other side has not closed it while it was idle. If it has,
// the request goes over a new one. Nothing of the request was sent by then, so
// this is no retry: without it the first write after a service was restarted
// would fail, since a write is never tried again.
//
// Like any connection of an HTTP client it is used by one goroutine at a time.
type freshConn struct {
	net.Conn
	redial func() (net.Conn, error)
	// answered: something was read since the last write, so the next write
	// begins a new request.
	answered bool
	// deadline is that of the request, which exchange sets for both directions, and until is
	// the one that the connection has.
	deadline, until time.Time
	gone            peek
}

// fresh makes the connections of dial fresh ones.
func fresh(dial fasthttpDial) fasthttpDial {
	return func(addr string, timeout time.Duration) (net.Conn, error) {
		conn, err := dial(addr, timeout)
		if err != nil {
			return nil, err
		}
		return &freshConn{Conn: conn, redial: func() (net.Conn, error) { return dial(addr, timeout) }}, nil
	}
}

type fasthttpDial = func(addr string, timeout time.Duration) (net.Conn, error)

func (c *freshConn) Read(b []byte) (int, error) {
	c.answered = true
	return c.Conn.Read(b)
}

func (c *freshConn) Write(b []byte) (int, error) {
	if c.answered {
		c.answered = false
		if err := c.refresh(); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(b)
}

// refresh replaces the connection where the other side has closed it. The deadlines are
// those of the request that is about to be written.
func (c *freshConn) refresh() error {
	if !c.gone.byPeer(c.Conn) {
		return nil
	}
	_ = c.Conn.Close()
	conn, err := c.redial()
	if err != nil {
		return err
	}
	c.Conn, c.gone, c.until = conn, peek{}, time.Time{}
	return c.SetDeadline(c.deadline)
}

// deadlineStep is by how much a deadline may be late. One that the connection has already, but
// for that, is not set again: a connection that is busy would else set timers with each request.
const deadlineStep = 50 * time.Millisecond

// SetDeadline implements net.Conn.
func (c *freshConn) SetDeadline(t time.Time) error {
	c.deadline = t
	if late := c.until.Sub(t); late >= 0 && late <= deadlineStep {
		return nil
	}
	c.until = t.Add(deadlineStep)
	return c.Conn.SetDeadline(c.until)
}
