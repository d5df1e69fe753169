package app

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// silentListener knows the connections on which nothing has come yet. fasthttp
// takes such a connection for a busy one, so that a proxy which connects before
// it has anything to send would hold up the end of the program until the read
// time-out.
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
		return conn, nil // fasthttp asks the connection itself whether it is TLS
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

// end gives up waiting for the first byte of silent connections. A request that
// comes at this very moment is either served or refused, never cut off: only
// the waiting for it is ended.
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
