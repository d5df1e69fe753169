package mongox_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// link passes connections on to a server until it is cut.
type link struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	conns []net.Conn
}

func newLink(t *testing.T, target string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, target: target}
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			passing.Go(func() { l.pass(conn) })
		}
	})
	t.Cleanup(func() {
		l.close()
		passing.Wait()
	})
	return l
}

func (l *link) addr() string { return l.listener.Addr().String() }

func (l *link) pass(near net.Conn) {
	far, err := net.Dial("tcp", l.target)
	if err != nil {
		_ = near.Close()
		return
	}
	l.mu.Lock()
	l.conns = append(l.conns, near, far)
	l.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			_ = near.Close()
			_ = far.Close()
		})
	}
	both.Wait()
}

// cut ends the connections there are; new ones are taken.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

// close closes the listener and all connections.
func (l *link) close() {
	_ = l.listener.Close()
	l.cut()
}
