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
	// answeredWithin is how long to wait for responses after the last request.
	answeredWithin = time.Minute
)

// openLoop sends requests at the times at which they are due, however long responses
// take. Each outstanding request has a connection to itself, which is reused
// afterwards; if none is idle, another one is opened. Because the server shares the
// machine, requests are serialized in advance and sent by one goroutine.
type openLoop struct {
	to       string
	requests [][]byte

	mu      sync.Mutex
	all     map[*loopConn]bool
	idle    []*loopConn
	opened  int // including those being opened
	sent    int
	fault   error            // why a request was not sent or not answered
	answers map[int]*answers // by status; 0 for no response

	pending sync.WaitGroup // requests
	readers sync.WaitGroup // connections
}

// answers are the responses with one status.
type answers struct {
	took   []time.Duration // since the request was due
	last   time.Time
	silent int // number of responses without Retry-After
}

// percentile returns a percentile of the latencies.
func (a *answers) percentile(percent int) time.Duration {
	if len(a.took) == 0 {
		return 0
	}
	slices.Sort(a.took)
	return a.took[min(len(a.took)-1, len(a.took)*percent/100)]
}

// newOpenLoop returns a loop that cycles through the given number of different
// requests.
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

// run sends requests at the given rate per second for d, waits for the responses, and
// returns how many requests were due. Requests that could not be sent before the time
// was over, or for which there was no connection, are not sent.
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

// send sends a request on an idle connection or a new one.
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

// ask records that a request is outstanding on a connection.
func (l *openLoop) ask(c *loopConn, due time.Time) {
	l.sent++
	c.due = due
}

// loopConn is a connection of an open loop.
type loopConn struct {
	net.Conn
	due time.Time // when the outstanding request was due; zero if the connection is idle
}

func (c *loopConn) write(request []byte) {
	if _, err := c.Write(request); err != nil {
		_ = c.Close() // the reading goroutine notices
	}
}

// open opens a connection for a request and reads the responses to it and to later
// ones.
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

// noted records the response read from a connection, or why there is none, and reports
// whether the connection can be reused.
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
