package chaos

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// link is a TCP proxy in front of a database or a queue that simulates network faults:
// connections are closed or reset, refused, delayed, or stalled.
type link struct {
	listener net.Listener
	target   string
	all      sync.WaitGroup

	mu     sync.Mutex
	state  weather
	change chan struct{} // closed, and replaced, when the weather changes
	conns  map[net.Conn]struct{}
	closed bool
}

// weather is how the link treats traffic.
type weather struct {
	refuse bool          // new connections are closed immediately
	silent bool          // nothing is forwarded; it is held back, not lost
	delay  time.Duration // of each chunk, each way
}

// newLink starts a proxy to an address; it stops at the end of the test.
func newLink(t *testing.T, target string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, target: target, change: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	l.all.Go(l.accept)
	t.Cleanup(func() {
		l.set(weather{})
		_ = listener.Close()
		l.mu.Lock()
		l.closed = true
		l.mu.Unlock()
		l.hangUp(false)
		l.all.Wait()
	})
	return l
}

// addr returns the address for clients.
func (l *link) addr() string { return l.listener.Addr().String() }

func (l *link) set(w weather) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = w
	close(l.change)
	l.change = make(chan struct{})
}

// cut returns functions that close all connections and refuse new ones, and that accept
// them again.
func (l *link) cut() (begin, end func()) {
	return func() {
		l.set(weather{refuse: true})
		l.hangUp(false)
	}, func() { l.set(weather{}) }
}

// hangUp closes all connections, gracefully or with a reset.
func (l *link) hangUp(reset bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if tcp, ok := c.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0) // Close then sends RST
		}
		_ = c.Close()
	}
}

func (l *link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		refuse := l.state.refuse
		l.mu.Unlock()
		if refuse {
			_ = client.Close()
			continue
		}
		l.all.Go(func() { l.serve(client) })
	}
}

// serve connects a client with the target until either side closes.
func (l *link) serve(client net.Conn) {
	defer client.Close() //nolint:errcheck // over
	server, err := net.DialTimeout("tcp", l.target, 5*time.Second)
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // over
	if !l.enter(client, server) {
		return
	}
	defer l.leave(client, server)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			l.pass(way[0], way[1])
			// The end of one direction ends both: neither Redis nor MongoDB half-closes
			// a connection.
			_ = way[0].Close()
			_ = way[1].Close()
		})
	}
	both.Wait()
}

func (l *link) enter(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		l.conns[c] = struct{}{}
	}
	return !l.closed
}

func (l *link) leave(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		delete(l.conns, c)
	}
}

// pass copies one direction, subject to the weather.
func (l *link) pass(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			l.wait()
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait holds a chunk back for as long as the weather requires.
func (l *link) wait() {
	for {
		l.mu.Lock()
		state, change := l.state, l.change
		l.mu.Unlock()
		if state.silent {
			<-change
			continue
		}
		if state.delay == 0 {
			return
		}
		timer := time.NewTimer(state.delay)
		select {
		case <-timer.C:
			return
		case <-change:
			timer.Stop()
		}
	}
}

// TestLink verifies the proxy that the other tests rely on.
func TestLink(t *testing.T) {
	t.Parallel()
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	l := newLink(t, echo.Addr().String())
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	// ask returns the round-trip time of one byte.
	ask := func(c net.Conn, limit time.Duration) (time.Duration, error) {
		began := time.Now()
		_ = c.SetDeadline(began.Add(limit))
		if _, err := c.Write([]byte("x")); err != nil {
			return 0, err
		}
		_, err := io.ReadFull(c, make([]byte, 1))
		return time.Since(began), err
	}
	const long = 20 * time.Second

	c := dial()
	if _, err := ask(c, long); err != nil {
		t.Fatal(err)
	}
	l.set(weather{delay: 100 * time.Millisecond})
	if took, err := ask(c, long); err != nil || took < 200*time.Millisecond {
		t.Errorf("delayed: %v after %s", err, took)
	}
	l.set(weather{silent: true})
	var timeout net.Error
	if _, err := ask(c, 200*time.Millisecond); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("silent: %v", err)
	}
	l.set(weather{}) // what was held back arrives now
	_ = c.SetDeadline(time.Now().Add(long))
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Errorf("after the stall: %v", err)
	}
	for _, reset := range []bool{false, true} {
		c := dial()
		if _, err := ask(c, long); err != nil {
			t.Fatal(err)
		}
		l.hangUp(reset)
		if _, err := ask(c, long); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("hung up (reset %t): %v", reset, err)
		}
	}
	l.set(weather{refuse: true})
	if _, err := ask(dial(), long); err == nil {
		t.Error("connection refused, but served")
	}
	l.set(weather{})
	if _, err := ask(dial(), long); err != nil {
		t.Errorf("after refusal: %v", err)
	}
}
