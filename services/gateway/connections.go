package gateway

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// How many connections there may be at a time: of one address, and of all. A
// trusted proxy carries many clients and is not counted by its address.
const (
	connectionsPerAddress = 1000
	// However little of their requests they have sent, so many fit into the container.
	connectionsTotal = 10_000
	// connectionsKept is how many there may be for one to be kept after an answer. The server
	// keeps the buffer that it has read a request into for as long as it waits for the next.
	connectionsKept = 4000
)

// tooMany is what a connection beyond the limit is answered before anything was
// read from it.
const tooMany = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\n" +
	"Cache-Control: no-store\r\nContent-Length: 139\r\n\r\n" +
	`{"success":false,"error":{"code":"RATE_LIMITED","message":"Too many connections.","requestId":"","docs":"/api/v2/docs#error-rate-limited"}}`

// Listener makes a listener of the gateway: it bounds the connections, and those
// that the gateway ends by itself end gently (see lingering).
func (g *Gateway) Listener(ln net.Listener) net.Listener {
	l := &limitedListener{trusted: g.trusted, limit: limits{ofOne: connectionsPerAddress, total: connectionsTotal}, open: g.open, aside: g.aside, now: g.now}
	l.Listener = newLingering(ln, func(conn net.Conn) bool { return l.isTrusted(addressOf(conn)) })
	return l
}

// limitedListener bounds the connections of each address, an IPv6 network of 64 bits being
// one, and of all. Once there are as many as there may be, a new one takes the place of one
// that waits for its client, of the address that has the most: else a few addresses that
// open connections and send nothing would keep everybody else out.
type limitedListener struct {
	net.Listener
	trusted []netip.Prefix
	limit   limits
	open    *atomic.Int64 // how many there are; may be nil
	aside   *aside        // may be nil
	now     func() time.Time

	mu sync.Mutex
	is crowd
}

type limits struct{ ofOne, total int }

// Accept returns the next connection that is within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		of := networkOf(addressOf(conn))
		counted := &countedConn{Conn: conn, trusted: l.isTrusted(of)}
		if inner, ok := conn.(*lingeringConn); ok && l.aside != nil && !counted.trusted {
			if wait := l.aside.wait(of, l.now()); wait > 0 {
				counted.Conn = late(inner, wait)
			}
		}
		counted.done = sync.OnceFunc(func() { l.release(of, counted) })
		if l.admit(of, counted) {
			return counted, nil
		}
		go refuse(conn)
	}
}

// networkOf returns what is counted as one address.
func networkOf(address netip.Addr) netip.Addr {
	if network, err := address.Prefix(64); address.Is6() && err == nil {
		return network.Addr()
	}
	return address
}

func refuse(conn net.Conn) {
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write([]byte(tooMany))
	_ = conn.Close()
}

func (l *limitedListener) admit(of netip.Addr, conn *countedConn) bool {
	l.mu.Lock()
	if l.is.of(of) >= l.limit.ofOne && !conn.trusted {
		l.mu.Unlock()
		return false
	}
	var victim *countedConn
	if l.is.all >= l.limit.total {
		if victim = l.is.waiting(of); victim == nil {
			l.mu.Unlock()
			return false
		}
	}
	l.is.add(of, conn)
	l.count(1)
	l.mu.Unlock()
	if victim != nil {
		_ = victim.Close()
	}
	return true
}

func (l *limitedListener) count(n int64) {
	if l.open != nil {
		l.open.Add(n)
	}
}

func (l *limitedListener) release(of netip.Addr, conn *countedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.is.remove(of, conn)
	l.count(-1)
}

func (l *limitedListener) isTrusted(addr netip.Addr) bool {
	for _, p := range l.trusted {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

func addressOf(conn net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{} // in memory
	}
	return at.Addr().Unmap().WithZone("")
}

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn
	trusted bool // it carries many clients
	done    func()
}

// waits reports whether it waits for its client.
func (c *countedConn) waits() bool {
	switch conn := c.Conn.(type) {
	case *lingeringConn:
		return conn.waits.Load()
	case *lateConn:
		return conn.waits.Load()
	}
	return false
}

func (c *countedConn) Close() error {
	defer c.done()
	return c.Conn.Close()
}

// endUnlessFew makes a server end connections after their answers while there are many.
func (g *gateway) endUnlessFew(server *fasthttp.Server) {
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		next(rc)
		if g.open.Load() > connectionsKept {
			rc.SetConnectionClose()
		}
	}
}
