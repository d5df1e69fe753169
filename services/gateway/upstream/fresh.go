package upstream

import (
	"errors"
	"net"
	"time"
)

// freshConn is a keep-alive connection that verifies, before it writes a request, that
// the peer has not closed it while it was idle. If it has, the request is sent over a
// new connection. Nothing has been sent by then, so this is not a retry; without it the
// first write after a restart of a service would fail, since writes are never retried.
//
// A request that fits into one write is sent by the first read of its response:
// verifying, sending and reading then take one pass through the network poller, and
// nothing is read before it can have arrived.
//
// Like any connection of an HTTP client it is used by one goroutine at a time.
type freshConn struct {
	net.Conn
	redial func() (net.Conn, error)
	// kept is set once something was read, so the connection has been idle before the
	// next request; begun is set once part of a request was written since.
	kept, begun bool
	// held is a request that has not been sent yet.
	held []byte
	// unreached is the error of a failed reconnection, which readers of responses
	// cannot tell from the end of a connection.
	unreached error
	// deadline is that of the request, which exchange sets for both directions; until
	// is the one in effect.
	deadline, until time.Time
	socket          socket
}

// errGone is returned, before a request is sent, if the peer has closed the connection
// or has sent unsolicited data.
var errGone = errors.New("the connection was closed while it waited")

// heldMost is the size that a held request must be smaller than: a write of that size
// has filled the writer's buffer, and more follow.
const heldMost = 4096

// fresh makes dial return connections of type freshConn.
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

// ask sends the held request and reads the beginning of its response.
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

// sendAndRead is ask with separate calls for writing and reading.
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

// refresh reconnects if the peer has closed the connection.
func (c *freshConn) refresh() error {
	if !c.kept || !c.socket.of(c.Conn) || c.socket.quiet() {
		return nil
	}
	return c.replace()
}

// replace reconnects, with the deadlines of the request about to be written.
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

// deadlineStep is how late a deadline may be. A deadline in effect that is at most this
// much later is kept; otherwise a busy connection would set timers for each request.
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
