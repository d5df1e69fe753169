package upstream

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// pieces counts the reads from a connection.
type pieces struct {
	net.Conn
	read *atomic.Int64
}

func (p pieces) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	if n > 0 {
		p.read.Add(1)
	}
	return n, err
}

// TestAPageIsReadAtOnce verifies that a response written at once is read at once.
func TestAPageIsReadAtOnce(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	c, err := New("records", Config{URL: "http://records", Dial: func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			// The request has no body and fits.
			if _, err := theirs.Read(make([]byte, 4096)); err == nil {
				_, _ = fmt.Fprintf(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 14000\r\n\r\n%s", strings.Repeat("x", 14_000))
			}
		}()
		return pieces{ours, &read}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	req.SetRequestURI("http://records/")
	if err := c.Do(req, resp, time.Now().Add(10*time.Second)); err != nil || len(resp.Body()) != 14_000 {
		t.Fatalf("%v, %d bytes", err, len(resp.Body()))
	}
	if read.Load() != 1 {
		t.Errorf("it was read in %d pieces, want 1", read.Load())
	}
}
