package gateway

import (
	"errors"
	"net"
	"time"
)

// freshConn is a kept connection that makes sure, before a request is written
// to it, that the other side has not closed it while it was idle. If it has,
// the request goes over a new one. Nothing of the request was sent by then, so
// this is no retry: without it the first write after a service was restarted
// would fail, since a write is never tried again.
//
// A request that fits in one piece is sent when its answer is asked for: looking,
// sending and waiting are then one call of the network, and the answer is not asked
// for before it can be there.
//
// Like any connection of an HTTP client it is used by one goroutine at a time.
type freshConn struct {
	net.Conn
	redial func() (net.Conn, error)
	// kept: something was read, so that the connection has waited for its next request;
	// begun: something of a request was written since.
	kept, begun bool
	// held is a request that is to be sent.
	held []byte
	// unreached is why there is no connection to send a request over: readers of answers do
	// not tell it from the end of a connection.
	unreached error
	// deadline is that of the request, which exchange sets for both directions, and until is
	// the one that the connection has.
	deadline, until time.Time
	socket          socket
}

// errGone is returned where the other side has closed a connection, or has sent what nobody
// asked for, before a request was sent.
var errGone = errors.New("the connection was closed while it waited")

// heldMost is what a request that is held is smaller than: a piece of that size is one that
// has filled the buffer of its writer, and others follow.
const heldMost = 4096

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
	if len(c.held) > 0 {
		return c.ask(b)
	}
	c.kept, c.begun = true, false
	return c.Conn.Read(b)
}

// ask sends the request that is held, and reads what comes first of its answer.
func (c *freshConn) ask(b []byte) (int, error) {
	request := c.held
	c.held = c.held[:0]
	n, rest, err := c.socket.ask(request, b, c.kept)
	if errors.Is(err, errGone) {
		if err = c.replace(); err != nil {
			return 0, err
		}
		return c.sendAndRead(request, b)
	}
	if err == nil && len(rest) > 0 {
		return c.sendAndRead(rest, b)
	}
	c.kept, c.begun = true, false
	return n, err
}

// sendAndRead is ask in two calls.
func (c *freshConn) sendAndRead(request, b []byte) (int, error) {
	if _, err := c.Conn.Write(request); err != nil {
		return 0, err
	}
	return c.Read(b)
}

func (c *freshConn) Write(b []byte) (int, error) {
	begins := !c.begun
	c.begun = true
	switch {
	case begins && len(b) < heldMost && c.socket.of(c.Conn):
		c.held = append(c.held, b...)
		return len(b), nil
	case begins || len(c.held) > 0:
		if err := c.refresh(); err != nil {
			return 0, err
		}
		if len(c.held) > 0 {
			first := c.held
			c.held = c.held[:0]
			if _, err := c.Conn.Write(first); err != nil {
				return 0, err
			}
		}
	}
	return c.Conn.Write(b)
}

// refresh replaces the connection where the other side has closed it.
func (c *freshConn) refresh() error {
	if !c.kept || !c.socket.of(c.Conn) || c.socket.quiet() {
		return nil
	}
	return c.replace()
}

// replace makes the connection a new one. The deadlines are those of the request that is
// about to be written.
func (c *freshConn) replace() error {
	_ = c.Conn.Close()
	conn, err := c.redial()
	if err != nil {
		c.unreached = err
		return err
	}
	c.Conn, c.socket, c.kept, c.until = conn, socket{}, false, time.Time{}
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
