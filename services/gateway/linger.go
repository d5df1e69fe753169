package gateway

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// How long and how much a connection that the gateway ends by itself goes on
// taking what its client still sends.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 32 << 20
	// lingerPiece is what is taken at a time, and lingerEach how long it takes of its
	// address's time: 32 MiB a second of all connections of one address together.
	lingerPiece = 64 << 10
	lingerEach  = 2 * time.Millisecond
	// lingerAll is how long a piece takes of the time of all addresses: 64 MiB a second of
	// whoever they are, so that many of them do not keep the processors busy with it.
	lingerAll = time.Millisecond
	// lingerOfAddress is how many connections of one address end so at a time, and
	// lingerTotal how many of all. Others are closed at once.
	lingerOfAddress = 8
	lingerTotal     = 256
)

// lingering makes connections end gently. A client that sends too large a body is
// answered 413 before it has sent everything; if the connection were simply closed
// then, the client's system would throw the answer away together with the connection,
// and the client would see a broken pipe. Taking the rest is work that whoever sends it
// decides on, so an address has a share of it.
type lingering struct {
	net.Listener
	ends *lingerers
}

func newLingering(ln net.Listener, trusted func(net.Conn) bool) lingering {
	return lingering{ln, &lingerers{trusted: trusted, by: map[string]int{}, pace: newPace(lingerEach, 0), together: newPace(lingerAll, 0)}}
}

func (l lingering) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		return &lingeringConn{Conn: tcp, tcp: tcp, ends: l.ends}, nil
	}
	return conn, err
}

// lingerers are the connections that end gently at a moment. Those of a trusted proxy
// carry many clients, and are not counted by its address.
type lingerers struct {
	trusted  func(net.Conn) bool
	pace     *pace // of each address
	together *pace // of all of them

	mu  sync.Mutex
	all int
	by  map[string]int
}

// begin reports whether one more connection of an address may.
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

// drain takes what the client of a connection still sends, at the pace of its address,
// and closes it.
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

// wait counts a piece of an address, and returns how long to wait before the next; ok is
// false where that is longer than limit.
func (l *lingerers) wait(address string, now time.Time, limit time.Duration) (wait time.Duration, ok bool) {
	own, ok := l.pace.within(address, 1, now, limit)
	if !ok {
		return 0, false
	}
	all, ok := l.together.within("", 1, now, limit)
	return max(own, all), ok
}

type lingeringConn struct {
	net.Conn // tcp
	tcp      *net.TCPConn
	ends     *lingerers
	// waits: the server waits for the client, so no answer can get lost; it
	// stays so when reading has failed or the client has ended the connection.
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

// Close ends the sending side at once, and the rest when the client has seen
// it or had its time.
func (c *lingeringConn) Close() error {
	var err error
	c.close.Do(func() {
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
