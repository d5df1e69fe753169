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
	l := &limitedListener{trusted: g.trusted, perAddress: connectionsPerAddress, total: connectionsTotal, by: map[netip.Addr]map[*countedConn]bool{}, open: g.open}
	l.Listener = newLingering(ln, func(conn net.Conn) bool { return l.isTrusted(addressOf(conn)) })
	return l
}

// limitedListener bounds the connections of each address, an IPv6 network of 64 bits being
// one, and of all. Once there are as many as there may be, a new one takes the place of one
// that waits for its client, of the address that has the most: else a few addresses that
// open connections and send nothing would keep everybody else out.
type limitedListener struct {
	net.Listener
	trusted           []netip.Prefix
	perAddress, total int
	open              *atomic.Int64 // how many there are; may be nil

	mu  sync.Mutex
	all int
	by  map[netip.Addr]map[*countedConn]bool
}

// Accept returns the next connection that is within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		counted := &countedConn{Conn: conn}
		of := networkOf(addressOf(conn))
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
	if len(l.by[of]) >= l.perAddress && !l.isTrusted(of) {
		l.mu.Unlock()
		return false
	}
	var victim *countedConn
	if l.all >= l.total {
		if victim = l.waiting(of); victim == nil {
			l.mu.Unlock()
			return false
		}
	}
	l.count(1)
	if l.by[of] == nil {
		l.by[of] = map[*countedConn]bool{}
	}
	l.by[of][conn] = true
	l.mu.Unlock()
	if victim != nil {
		_ = victim.Close()
	}
	return true
}

// waiting returns a connection that waits for its client, of the address that has the most;
// nil where that has no more than the newcomer's would have.
func (l *limitedListener) waiting(newcomer netip.Addr) *countedConn {
	var most map[*countedConn]bool
	for address, conns := range l.by {
		if len(conns) > len(most) && !l.isTrusted(address) {
			most = conns
		}
	}
	if len(most) <= len(l.by[newcomer])+1 {
		return nil
	}
	for conn := range most {
		if c, ok := conn.Conn.(*lingeringConn); ok && c.waits.Load() {
			return conn
		}
	}
	return nil
}

func (l *limitedListener) count(n int) {
	l.all += n
	if l.open != nil {
		l.open.Add(int64(n))
	}
}

func (l *limitedListener) release(of netip.Addr, conn *countedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(-1)
	if delete(l.by[of], conn); len(l.by[of]) == 0 {
		delete(l.by, of)
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
