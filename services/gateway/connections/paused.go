package connections

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// maxPaused bounds the number of addresses.
const maxPaused = 10_000

// Paused records the addresses whose new connections are not read until a given time. A
// paused connection is the cheapest state to keep for a client that is rejected
// repeatedly, and the client cannot repeat its request meanwhile.
type Paused struct {
	mu    sync.Mutex
	until map[netip.Addr]time.Time
}

// NewPaused returns a Paused without addresses.
func NewPaused() *Paused { return &Paused{until: map[netip.Addr]time.Time{}} }

// Put pauses new connections of an address, or of its network, until a given time.
func (a *Paused) Put(address netip.Addr, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.until) >= maxPaused {
		clear(a.until)
	}
	a.until[networkOf(address)] = until
}

// Wait returns how long a new connection is to be paused.
func (a *Paused) Wait(network netip.Addr, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	until, ok := a.until[network]
	if !ok {
		return 0
	}
	if !until.After(now) {
		delete(a.until, network)
		return 0
	}
	return until.Sub(now)
}

// lateConn is a connection that is not read until its pause is over or it is closed.
type lateConn struct {
	*lingeringConn
	begin  <-chan time.Time
	closed chan struct{}
	once   sync.Once
}

// late returns conn paused for the given duration.
func late(conn *lingeringConn, wait time.Duration) *lateConn {
	conn.waits.Store(true)
	return &lateConn{lingeringConn: conn, begin: time.After(wait), closed: make(chan struct{})}
}

func (c *lateConn) Read(b []byte) (int, error) {
	if c.begin != nil {
		select {
		case <-c.begin:
			c.begin = nil
		case <-c.closed:
			return 0, net.ErrClosed
		}
	}
	return c.lingeringConn.Read(b)
}

func (c *lateConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.lingeringConn.Close()
}
