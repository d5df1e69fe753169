package gateway

import (
	"errors"
	"io"
	"net"
	"time"
)

// endedConn tells the end of a connection in the middle of an answer from the end of the
// answer. fasthttp reports both as io.EOF where a connection ends between two chunks of a
// body that is read as it comes, which is how a service says that an export has failed: what
// there was of it would be taken for all.
//
// Like any connection of an HTTP client it is used by one goroutine at a time.
type endedConn struct {
	net.Conn
	answering bool // something was read since the last write
}

// ended makes the connections of dial tell.
func ended(dial fasthttpDial) fasthttpDial {
	return func(addr string, timeout time.Duration) (net.Conn, error) {
		conn, err := dial(addr, timeout)
		if err != nil {
			return nil, err
		}
		if secure, ok := conn.(handshaker); ok {
			return &endedTLS{endedConn{Conn: conn}, secure}, nil
		}
		return &endedConn{Conn: conn}, nil
	}
}

// handshaker is what fasthttp knows a connection by that is one of TLS already.
type handshaker interface{ Handshake() error }

type endedTLS struct {
	endedConn
	handshaker
}

func (c *endedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.answering && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	c.answering = c.answering || n > 0
	return n, err
}

func (c *endedConn) Write(b []byte) (int, error) {
	c.answering = false
	return c.Conn.Write(b)
}

// notReached returns the error of a connection that could not be made anew, or nil.
func (c *endedConn) notReached() error {
	if kept, ok := c.Conn.(*freshConn); ok {
		return kept.unreached
	}
	return nil
}
