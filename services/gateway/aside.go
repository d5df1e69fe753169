package gateway

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// aside are the addresses whose new connections nobody looks at before a time. What a
// connection takes is the smallest thing to keep of who is refused over and over, and while it
// is left aside its client has nothing to ask again for.
type aside struct {
	mu    sync.Mutex
	until map[netip.Addr]time.Time
}

func newAside() *aside { return &aside{until: map[netip.Addr]time.Time{}} }

// put leaves the new connections of an address, or of its network, aside until a time.
func (a *aside) put(address netip.Addr, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.until) >= pacesMax {
		clear(a.until)
	}
	a.until[networkOf(address)] = until
}

// wait returns how long a new connection is left aside.
func (a *aside) wait(network netip.Addr, now time.Time) time.Duration {
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

// lateConn is a connection of which nothing is read for a time, or until it is closed.
type lateConn struct {
	*lingeringConn
	begin  <-chan time.Time
	closed chan struct{}
	once   sync.Once
}

// late leaves a connection aside.
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
