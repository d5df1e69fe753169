package app

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// startNotice is how long a connection may take, after the shutdown has begun, to send what a request is handled
// with: its header, and what fasthttp reads of its body in advance.
const startNotice = 5 * time.Second

// handledListener tracks on which connections a request is being handled. At its shutdown fasthttp waits for every
// connection that is not between two requests, so a proxy that connects in advance, or a client that never sends the
// rest of a header, would delay the end of the program until the read timeout.
type handledListener struct {
	net.Listener
	ending atomic.Bool // connections without a byte are no longer waited for
	ended  atomic.Bool // nor are those whose request is not handled yet
	mu     sync.Mutex
	conns  map[*handledConn]struct{}
}

// listenHandled returns ln for a server, which must not have been started.
func listenHandled(ln net.Listener, server *fasthttp.Server) *handledListener {
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		c, ok := rc.Conn().(interface {
			begin()
			finish()
		})
		if !ok {
			next(rc)
			return
		}
		c.begin()
		defer c.finish()
		next(rc)
	}
	return &handledListener{Listener: ln, conns: map[*handledConn]struct{}{}}
}

func (l *handledListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &handledConn{Conn: conn, listener: l}
	l.mu.Lock()
	l.conns[c] = struct{}{}
	l.mu.Unlock()
	if secure, ok := conn.(secureConn); ok {
		return &handledTLS{handledConn: c, secure: secure}, nil
	}
	return c, nil
}

// end stops waiting for the first byte of connections, and after notice for requests that are not handled yet. A
// request that arrives at this moment is either served or rejected, never cut off.
func (l *handledListener) end(notice time.Duration) {
	l.ending.Store(true)
	l.giveUp()
	time.AfterFunc(notice, func() {
		l.ended.Store(true)
		l.giveUp()
	})
}

// giveUp ends the reads that are no longer waited for.
func (l *handledListener) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if c.hopeless() {
			_ = c.Conn.SetReadDeadline(past)
		}
	}
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

type handledConn struct {
	net.Conn
	listener *handledListener
	spoken   atomic.Bool // a byte has been received
	handled  atomic.Bool // a request is being handled
	deadline time.Time   // the last one that the server set
}

// hopeless reports whether the connection is no longer waited for.
func (c *handledConn) hopeless() bool {
	return !c.handled.Load() && (c.listener.ended.Load() || c.listener.ending.Load() && !c.spoken.Load())
}

// Read implements net.Conn. While a request is handled only the rest of its body is read: a client that ends the connection there
// has not sent all of it, announced or in chunks, and fasthttp would take io.EOF for its end.
func (c *handledConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == io.EOF && c.handled.Load() { //nolint:errorlint // a connection returns it as it is
		err = io.ErrUnexpectedEOF
	}
	if n > 0 && !c.spoken.Load() {
		c.spoken.Store(true)
	}
	return n, err
}

// SetReadDeadline implements net.Conn. The deadline is set first, so that giveUp either follows or is noticed.
func (c *handledConn) SetReadDeadline(t time.Time) error {
	c.deadline = t
	err := c.Conn.SetReadDeadline(t)
	if c.hopeless() {
		return c.Conn.SetReadDeadline(past)
	}
	return err
}

// begin is called before a request is handled, which reads the rest of its body.
func (c *handledConn) begin() {
	c.handled.Store(true)
	if c.listener.ending.Load() {
		c.listener.mu.Lock() // after giveUp
		defer c.listener.mu.Unlock()
		_ = c.Conn.SetReadDeadline(c.deadline)
	}
}

func (c *handledConn) finish() { c.handled.Store(false) }

func (c *handledConn) Close() error {
	c.listener.mu.Lock()
	delete(c.listener.conns, c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// secureConn is how fasthttp recognizes a TLS connection.
type secureConn interface {
	Handshake() error
	ConnectionState() tls.ConnectionState
}

type handledTLS struct {
	*handledConn
	secure secureConn
}

func (c *handledTLS) Handshake() error                     { return c.secure.Handshake() }
func (c *handledTLS) ConnectionState() tls.ConnectionState { return c.secure.ConnectionState() }
