// Package connections limits the connections of clients: how many one address and all
// together may have, which are read at once, and how those that the server closes end.
package connections

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of open connections, per address and in total. A trusted proxy carries many
// clients, so it has no limit per address.
const (
	perAddress = 1000
	// The container has memory for this many, even if all have sent partial requests.
	inTotal = 10_000
	// kept is the number above which connections are closed after a response. The server
	// keeps the read buffer of an idle keep-alive connection.
	kept = 4000
)

// tooMany is the response on a connection beyond the limit, written before anything is
// read.
const tooMany = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\n" +
	"Cache-Control: no-store\r\nContent-Length: 139\r\n\r\n" +
	`{"success":false,"error":{"code":"RATE_LIMITED","message":"Too many connections.","requestId":"","docs":"/api/v2/docs#error-rate-limited"}}`

// Options configure Limit.
type Options struct {
	// Trusted are the networks of proxies, which carry many clients.
	Trusted []netip.Prefix
	// Limits are the numbers of connections; see LimitsFor.
	Limits Limits
	// Open, if set, is kept at the number of open connections.
	Open *atomic.Int64
	// Paused, if set, are the addresses whose new connections are not read yet.
	Paused *Paused
	// Batch, if set, reports whether the server is overloaded: then small responses are
	// written in batches.
	Batch func() bool
	Now   func() time.Time
}

// Limit wraps ln: it limits the number of connections, and makes the connections that
// the server closes linger (see lingering).
func Limit(ln net.Listener, o Options) net.Listener {
	l := &limitedListener{trusted: o.Trusted, limit: o.Limits, open: o.Open, paused: o.Paused, now: o.Now}
	inner := newLingering(ln, func(conn net.Conn) bool { return l.isTrusted(addressOf(conn)) })
	if o.Batch != nil {
		inner.batch = &batches{on: o.Batch}
	}
	l.Listener = inner
	return l
}

// limitedListener limits the connections per address (for IPv6 per /64 network) and in
// total. At the total limit a new connection replaces one that is waiting for its
// client, of the address with the most connections; otherwise a few addresses with
// silent connections could lock out all others.
type limitedListener struct {
	net.Listener
	trusted []netip.Prefix
	limit   Limits
	open    *atomic.Int64 // number of open connections; may be nil
	paused  *Paused       // may be nil
	now     func() time.Time

	mu sync.Mutex
	is crowd
}

// Limits are numbers of open connections.
type Limits struct {
	// PerAddress and Total are the most of an address, and of all together.
	PerAddress, Total int
	// Kept is the number above which connections are closed after a response.
	Kept int64
}

// ownFiles is about the number of files that a process has open at rest.
const ownFiles = 32

// LimitsFor returns the limits for a process that may have so many files open at once. Half
// of what it does not have open at rest is left to databases, services, files and connections
// that linger: without one, requests fail.
func LimitsFor(files uint64) Limits {
	total := int(min(inTotal, max(1, (max(files, ownFiles)-ownFiles)/2)))
	return Limits{PerAddress: min(perAddress, total), Total: total, Kept: int64(total) * kept / inTotal}
}

// Log logs that the limit of open files allows less than half of the connections.
func (l Limits) Log(log *slog.Logger, files uint64) {
	if l.Total < inTotal/2 {
		log.LogAttrs(context.Background(), slog.LevelWarn, "the limit of open files allows few connections", slog.Uint64("open_files", files), slog.Int("connections", l.Total))
	}
}

// Accept returns the next connection that is within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		of := networkOf(addressOf(conn))
		counted := &countedConn{Conn: conn, trusted: l.isTrusted(of)}
		if inner, ok := conn.(*lingeringConn); ok && l.paused != nil && !counted.trusted {
			if wait := l.paused.Wait(of, l.now()); wait > 0 {
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

// networkOf returns the network that is counted as one address.
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
	if l.is.of(of) >= l.limit.PerAddress && !conn.trusted {
		l.mu.Unlock()
		return false
	}
	var victim *countedConn
	if l.is.all >= l.limit.Total {
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
		return netip.Addr{} // an in-memory connection
	}
	return at.Addr().Unmap().WithZone("")
}

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	net.Conn
	trusted bool // it is a proxy's
	done    func()
}

// waits reports whether the server is waiting for the client.
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
