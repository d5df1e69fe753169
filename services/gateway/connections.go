package gateway

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// How many connections there may be at a time: of one address, and of all. A
// trusted proxy carries many clients and is not counted by its address.
const (
	connectionsPerAddress = 1000
	connectionsTotal      = 16_000
)

// tooMany is what a connection beyond the limit is answered before anything was
// read from it.
const tooMany = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\n" +
	"Cache-Control: no-store\r\nContent-Length: 139\r\n\r\n" +
	`{"success":false,"error":{"code":"RATE_LIMITED","message":"Too many connections.","requestId":"","docs":"/api/v2/docs#error-rate-limited"}}`

// Listener makes a listener of the gateway: it bounds the connections, and those
// that the gateway ends by itself end gently (see lingering).
func (g *Gateway) Listener(ln net.Listener) net.Listener {
	l := &limitedListener{trusted: g.trusted, perAddress: connectionsPerAddress, total: connectionsTotal, by: map[netip.Addr]int{}}
	l.Listener = newLingering(ln, func(conn net.Conn) bool { return l.isTrusted(addressOf(conn)) })
	return l
}

type limitedListener struct {
	net.Listener
	trusted           []netip.Prefix
	perAddress, total int

	mu  sync.Mutex
	all int
	by  map[netip.Addr]int
}

// Accept returns the next connection that is within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		addr := addressOf(conn)
		if l.admit(addr) {
			return &countedConn{Conn: conn, done: sync.OnceFunc(func() { l.release(addr) })}, nil
		}
		go refuse(conn)
	}
}

func refuse(conn net.Conn) {
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write([]byte(tooMany))
	_ = conn.Close()
}

func (l *limitedListener) admit(addr netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.total || l.by[addr] >= l.perAddress && !l.isTrusted(addr) {
		return false
	}
	l.all++
	l.by[addr]++
	return true
}

func (l *limitedListener) release(addr netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.by[addr]--; l.by[addr] == 0 {
		delete(l.by, addr)
	}
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
	done func()
}

func (c *countedConn) Close() error {
	defer c.done()
	return c.Conn.Close()
}
