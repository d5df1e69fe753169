package app

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// TestARequestHandledAtTheLastMomentKeepsItsDeadline verifies that the body of a request can be read if its header
// was complete just before its connection was given up.
func TestARequestHandledAtTheLastMomentKeepsItsDeadline(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = theirs.Close() })
	l := listenHandled(nil, &fasthttp.Server{})
	c := &handledConn{Conn: ours, listener: l}
	l.conns[c] = struct{}{}
	c.spoken.Store(true)
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	l.ending.Store(true)
	l.ended.Store(true)
	l.giveUp()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Fatal("the connection was not given up")
	}
	c.begin()
	go func() { _, _ = io.WriteString(theirs, "x") }()
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Errorf("the body of a request being handled: %v", err)
	}
	c.finish()
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the next request of the connection is waited for")
	}
	if err := c.Close(); err != nil || len(l.conns) > 0 {
		t.Errorf("%d connections are tracked after Close (%v)", len(l.conns), err)
	}
}
