package system

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"github.com/valyala/fasthttp"
)

const (
	// The gateway allows an address 1,000 connections.
	connectionsOfAddress = 900
	loopAddresses        = 10
	// answeredWithin is how long is waited for an answer after the last request.
	answeredWithin = time.Minute
)

// openLoop sends requests at the times at which they are due, whatever the answers take. Each
// request that waits for its answer has a connection to itself, which the next one has after
// it; where there is none that waits for a request, one more is opened. The server has the same
// machine: requests are written ahead, and one goroutine sends them.
type openLoop struct {
	to       string
	requests [][]byte

	mu      sync.Mutex
	all     map[*loopConn]bool
	idle    []*loopConn
	opened  int // with those that are being opened
	sent    int
	fault   error            // why something was not sent, or not answered
	answers map[int]*answers // by status; 0 stands for none

	pending sync.WaitGroup // requests
	readers sync.WaitGroup // connections
}

// answers are those of one status.
type answers struct {
	took   []time.Duration // from when the request was due
	last   time.Time
	silent int // how many do not say when to come back
}

// percentile returns what so many of a hundred took at most.
func (a *answers) percentile(percent int) time.Duration {
	if len(a.took) == 0 {
		return 0
	}
	slices.Sort(a.took)
	return a.took[min(len(a.took)-1, len(a.took)*percent/100)]
}

// newOpenLoop returns one of so many different requests, over and over.
func newOpenLoop(t *testing.T, w work, different int) *openLoop {
	t.Helper()
	l := &openLoop{all: map[*loopConn]bool{}, answers: map[int]*answers{}}
	for range different {
		var target vegeta.Target
		if err := w.product(&target); err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(target.URL)
		if err != nil {
			t.Fatal(err)
		}
		l.to = to.Host
		request, err := http.NewRequestWithContext(t.Context(), target.Method, target.URL, bytes.NewReader(target.Body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = target.Header
		var text bytes.Buffer
		if err := request.Write(&text); err != nil {
			t.Fatal(err)
		}
		l.requests = append(l.requests, text.Bytes())
	}
	return l
}

// run sends so many requests a second for a time, waits for their answers, and returns how
// many were due. What the time was over for before it could be sent is not sent, nor is what
// there was no connection for.
func (l *openLoop) run(ctx context.Context, rate float64, d time.Duration) (due int) {
	due = max(1, int(rate*d.Seconds()))
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	began := time.Now()
	for next := 0; next < due && time.Since(began) <= d; {
		at := began.Add(time.Duration(float64(next) / rate * float64(time.Second)))
		if at.After(time.Now()) {
			<-tick.C
			continue
		}
		l.send(ctx, l.requests[next%len(l.requests)], at)
		next++
	}
	answered := make(chan struct{})
	go func() { l.pending.Wait(); close(answered) }()
	select {
	case <-answered:
	case <-time.After(answeredWithin):
	}
	l.mu.Lock()
	for c := range l.all {
		_ = c.Close()
	}
	l.mu.Unlock()
	l.readers.Wait()
	return due
}

// send sends a request on a connection that waits for one, or on a new one.
func (l *openLoop) send(ctx context.Context, request []byte, due time.Time) {
	l.mu.Lock()
	n := len(l.idle)
	if n == 0 {
		if l.opened < loopAddresses*connectionsOfAddress {
			l.opened++
			from := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+l.opened%loopAddresses))}
			l.pending.Add(1)
			l.readers.Go(func() { l.open(ctx, from, request, due) })
		}
		l.mu.Unlock()
		return
	}
	c := l.idle[n-1]
	l.idle = l.idle[:n-1]
	l.ask(c, due)
	l.pending.Add(1)
	l.mu.Unlock()
	c.write(request)
}

// ask notes that a connection has a request.
func (l *openLoop) ask(c *loopConn, due time.Time) {
	l.sent++
	c.due = due
}

// loopConn is a connection of an open loop.
type loopConn struct {
	net.Conn
	due time.Time // of the request that waits for its answer; none: it waits for a request
}

func (c *loopConn) write(request []byte) {
	if _, err := c.Write(request); err != nil {
		_ = c.Close() // who reads from it notices
	}
}

// open makes a connection for a request, and reads the answers to it and the next ones.
func (l *openLoop) open(ctx context.Context, from net.Addr, request []byte, due time.Time) {
	dialer := net.Dialer{LocalAddr: from, Timeout: answeredWithin}
	conn, err := dialer.DialContext(ctx, "tcp", l.to)
	l.mu.Lock()
	if err != nil {
		l.opened--
		l.fault = err
		l.mu.Unlock()
		l.pending.Done()
		return
	}
	c := &loopConn{Conn: conn}
	l.all[c] = true
	l.ask(c, due)
	l.mu.Unlock()
	c.write(request)
	in := bufio.NewReader(c)
	var answer fasthttp.Response
	for l.noted(c, &answer, answer.Read(in)) {
	}
	_ = c.Close()
}

// noted notes the answer that was read from a connection, or why there is none, and reports
// whether the connection may have another request.
func (l *openLoop) noted(c *loopConn, answer *fasthttp.Response, err error) bool {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	status := 0
	if err == nil {
		status = answer.StatusCode()
	}
	if !c.due.IsZero() {
		a := l.answers[status]
		if a == nil {
			a = new(answers)
			l.answers[status] = a
		}
		a.took, a.last = append(a.took, now.Sub(c.due)), now
		if after, err := strconv.Atoi(string(answer.Header.Peek("Retry-After"))); err != nil || after < 1 {
			a.silent++
		}
		if err != nil {
			l.fault = err
		}
		c.due = time.Time{}
		l.pending.Done()
	}
	if err != nil || answer.ConnectionClose() {
		l.opened--
		delete(l.all, c)
		l.idle = slices.DeleteFunc(l.idle, func(i *loopConn) bool { return i == c })
		return false
	}
	l.idle = append(l.idle, c)
	return true
}
