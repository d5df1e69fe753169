package connections

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/ratelimit"
)

// Limits of how long, and for how many bytes, a connection closed by the gateway goes
// on reading what its client still sends.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 32 << 20
	// lingerPiece is the number of bytes read at a time, and lingerEach the time that a
	// piece costs its address: 32 MiB a second for all connections of an address.
	lingerPiece = 64 << 10
	lingerEach  = 2 * time.Millisecond
	// lingerAll is the time that a piece costs all addresses together: 64 MiB a second,
	// so that lingering connections do not keep the processors busy.
	lingerAll = time.Millisecond
	// lingerOfAddress is the number of lingering connections per address, and
	// lingerTotal that of all. Further ones are closed at once.
	lingerOfAddress = 8
	lingerTotal     = 256
)

// lingering makes connections linger: it closes the sending side, and discards what the
// client still sends before it closes the rest. A client whose body is too large is
// answered 413 before it has sent everything; if the connection were closed at once,
// the client's TCP stack would discard the response, and the client would see a broken
// pipe. The sender determines how much work this is, so it is limited per address.
type lingering struct {
	net.Listener
	ends  *lingerers
	batch *batches // nil: each response is written at once
}

func newLingering(ln net.Listener, trusted func(net.Conn) bool) lingering {
	return lingering{Listener: ln, ends: &lingerers{trusted: trusted, by: map[string]int{}, pace: ratelimit.NewPace[string](lingerEach, 0), together: ratelimit.NewPace[struct{}](lingerAll, 0)}}
}

func (l lingering) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	tcp, ok := conn.(*net.TCPConn)
	if !ok || err != nil {
		return conn, err
	}
	c := &lingeringConn{Conn: tcp, tcp: tcp, ends: l.ends}
	if raw, err := tcp.SyscallConn(); err == nil && nonblocking && l.batch != nil {
		c.batch = newBatched(l.batch, raw, tcp.Write)
	}
	return c, nil
}

// lingerers counts the lingering connections. Those of a trusted proxy carry many
// clients, and have no limit per address.
type lingerers struct {
	trusted  func(net.Conn) bool
	pace     *ratelimit.Pace[string]   // per address
	together *ratelimit.Pace[struct{}] // of all addresses

	mu  sync.Mutex
	all int
	by  map[string]int
}

// begin reports whether one more connection of an address may linger.
func (l *lingerers) begin(address string, trusted bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= lingerTotal || l.by[address] >= lingerOfAddress && !trusted {
		return false
	}
	l.all++
	l.by[address]++
	return true
}

func (l *lingerers) end(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.by[address]--; l.by[address] == 0 {
		delete(l.by, address)
	}
}

// drain reads and discards what the client still sends, at the pace of its address, and
// then closes the connection.
func (l *lingerers) drain(conn *net.TCPConn, address string, trusted bool) {
	defer l.end(address)
	defer conn.Close() //nolint:errcheck // whatever it returns, it is closed
	end := time.Now().Add(lingerTime)
	if conn.SetReadDeadline(end) != nil {
		return
	}
	for range lingerBytes / lingerPiece {
		if _, err := io.CopyN(io.Discard, conn, lingerPiece); err != nil {
			return
		}
		if trusted {
			continue
		}
		now := time.Now()
		wait, ok := l.wait(address, now, end.Sub(now))
		if !ok {
			return
		}
		<-time.After(wait)
	}
}

// wait counts a piece of an address, and returns the delay before the next one; ok is
// false if that is longer than limit.
func (l *lingerers) wait(address string, now time.Time, limit time.Duration) (wait time.Duration, ok bool) {
	own, ok := l.pace.Within(address, 1, now, limit)
	if !ok {
		return 0, false
	}
	all, ok := l.together.Within(struct{}{}, 1, now, limit)
	return max(own, all), ok
}

type lingeringConn struct {
	net.Conn // the same connection as tcp
	tcp      *net.TCPConn
	ends     *lingerers
	batch    *batched // nil: none
	// waits is set while the server waits for the client, so that no response can be
	// lost. It stays set after a read error or the end of the stream.
	waits            atomic.Bool
	close            sync.Once
	reading, writing deadline
}

func (c *lingeringConn) Read(b []byte) (int, error) {
	if err := c.reading.apply(c.Conn.SetReadDeadline); err != nil {
		return 0, err
	}
	c.waits.Store(true)
	n, err := c.Conn.Read(b)
	c.waits.Store(err != nil)
	return n, err
}

func (c *lingeringConn) Write(b []byte) (int, error) {
	if err := c.writing.apply(c.Conn.SetWriteDeadline); err != nil {
		return 0, err
	}
	if c.batch != nil {
		return c.batch.write(b)
	}
	return c.Conn.Write(b)
}

// SetReadDeadline implements net.Conn.
func (c *lingeringConn) SetReadDeadline(t time.Time) error {
	return c.reading.want(t, c.Conn.SetReadDeadline)
}

// SetWriteDeadline implements net.Conn.
func (c *lingeringConn) SetWriteDeadline(t time.Time) error {
	return c.writing.want(t, c.Conn.SetWriteDeadline)
}

// SetDeadline implements net.Conn.
func (c *lingeringConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Close closes the sending side at once, and the rest once the client has closed its
// side or the time is over.
func (c *lingeringConn) Close() error {
	var err error
	c.close.Do(func() {
		if c.batch != nil {
			c.batch.flush()
		}
		address, trusted := addressOf(c.tcp).String(), c.ends.trusted(c.tcp)
		if c.waits.Load() || !c.ends.begin(address, trusted) {
			err = c.tcp.Close()
			return
		}
		if err = c.tcp.CloseWrite(); err != nil {
			_ = c.tcp.Close()
			c.ends.end(address)
			return
		}
		go c.ends.drain(c.tcp, address, trusted)
	})
	return err
}
