package upstream

import (
	"errors"
	"io"
	"net"
	"time"
)

// endedConn distinguishes a connection that ends in the middle of a response from the
// end of the response. fasthttp reports both as io.EOF if a connection ends between two
// chunks of a streamed body, which is how a service signals that an export has failed;
// a truncated export would look complete.
//
// Like any connection of an HTTP client it is used by one goroutine at a time.
type endedConn struct {
	net.Conn
	answering bool // something was read since the last write
}

// ended makes dial return connections of type endedConn.
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

// handshaker is the interface by which fasthttp recognizes a TLS connection.
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

// notReached returns the error of a failed attempt to reconnect, or nil.
func (c *endedConn) notReached() error {
	if kept, ok := c.Conn.(*freshConn); ok {
		return kept.unreached
	}
	return nil
}
