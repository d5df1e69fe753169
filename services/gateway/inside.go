package gateway

import (
	"errors"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// inside calls a service of the same process without a connection: its handler gets the
// request as it would have been read, in a goroutine of its own, so that who waits for the
// answer waits no longer than for one that comes over a connection. No more requests are
// under way at a time than there would be connections.
type inside struct {
	handler fasthttp.RequestHandler

	mu       sync.Mutex
	idle     []*insideWorker // the last one used is the next
	underWay int
	none     chan struct{} // closed when nothing is under way; nil: nobody waits for that
}

// insideWorker is a goroutine whose stack has grown to what a request takes.
type insideWorker struct {
	calls chan *insideCall
	call  insideCall
	late  *time.Timer
}

// insideCall is one request. Where nobody waits for its answer any more the worker that
// has it is left to itself, and ends with it.
type insideCall struct {
	ctx  fasthttp.RequestCtx
	done chan struct{}
}

// maxIdleWorkers bounds the goroutines that wait for a request.
const maxIdleWorkers = 64

func newInside(handler fasthttp.RequestHandler) *inside { return &inside{handler: handler} }

// do passes a request to the handler.
func (s *inside) do(req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) error {
	w := s.worker()
	if w == nil {
		return fasthttp.ErrNoFreeConns
	}
	call := &w.call
	call.ctx.Init(req, nil, nil)
	w.late.Reset(time.Until(deadline))
	defer w.late.Stop()
	w.calls <- call
	select {
	case <-call.done:
	case <-w.late.C:
		go s.abandon(w)
		return fasthttp.ErrTimeout
	}
	answer := &call.ctx.Response
	switch status := answer.StatusCode(); {
	case status == fasthttp.StatusNoContent, status == fasthttp.StatusNotModified:
		answer.ResetBody() // what the handler has set is not sent
	case answer.IsBodyStream():
		answer.Body() // reads it
	}
	answer.CopyTo(resp)
	s.release(w)
	return nil
}

// worker returns one that waits for a call, nil where too many are under way.
func (s *inside) worker() *insideWorker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay >= maxConns {
		return nil
	}
	s.underWay++
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle[n-1], s.idle = nil, s.idle[:n-1]
		return w
	}
	w := &insideWorker{calls: make(chan *insideCall), call: insideCall{done: make(chan struct{}, 1)}, late: time.NewTimer(time.Hour)}
	go func() {
		for call := range w.calls {
			s.handler(&call.ctx)
			call.done <- struct{}{}
		}
	}()
	return w
}

// release takes back a worker that has ended its call.
func (s *inside) release(w *insideWorker) {
	ctx := &w.call.ctx
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.ResetUserValues()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) < maxIdleWorkers {
		s.idle = append(s.idle, w)
	} else {
		close(w.calls)
	}
	s.ended()
}

// abandon waits for a call whose answer nobody waits for.
func (s *inside) abandon(w *insideWorker) {
	<-w.call.done
	close(w.calls)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended()
}

func (s *inside) ended() {
	s.underWay--
	if s.underWay == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

// close waits until no call is under way, those among them that nobody waits for, but no
// longer than a time. There must be no new calls.
func (s *inside) close(most time.Duration) error {
	s.mu.Lock()
	for _, w := range s.idle {
		close(w.calls)
	}
	s.idle = nil
	if s.underWay == 0 {
		s.mu.Unlock()
		return nil
	}
	none := make(chan struct{})
	s.none = none
	s.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-none:
		return nil
	case <-timer.C:
		return errStillWorking
	}
}

var errStillWorking = errors.New("a service was still working on requests that were given up")
