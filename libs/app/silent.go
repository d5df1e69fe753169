package app

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// silentListener tracks the connections that have not received any data. fasthttp treats such a connection as busy,
// so a proxy that connects in advance would delay the shutdown until the read timeout.
type silentListener struct {
	net.Listener
	mu     sync.Mutex
	silent map[*silentConn]struct{}
	ending bool
}

func newSilentListener(ln net.Listener) *silentListener {
	return &silentListener{Listener: ln, silent: map[*silentConn]struct{}{}}
}

func (l *silentListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if _, ok := conn.(interface{ ConnectionState() tls.ConnectionState }); ok {
		return conn, nil // fasthttp checks whether the connection is TLS
	}
	c := &silentConn{Conn: conn, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending {
		_ = conn.SetReadDeadline(time.Unix(1, 0))
	} else {
		l.silent[c] = struct{}{}
	}
	return c, nil
}

// end stops waiting for the first byte of silent connections. A request that arrives at this moment is either served
// or rejected, never cut off.
func (l *silentListener) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	for c := range l.silent {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

func (l *silentListener) forget(c *silentConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.silent, c)
}

type silentConn struct {
	net.Conn
	listener *silentListener
	spoken   atomic.Bool
}

func (c *silentConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && !c.spoken.Load() && c.spoken.CompareAndSwap(false, true) {
		c.listener.forget(c)
	}
	return n, err
}

func (c *silentConn) Close() error {
	c.listener.forget(c)
	return c.Conn.Close()
}
