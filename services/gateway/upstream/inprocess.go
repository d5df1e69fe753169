package upstream

import (
	"errors"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// inside calls a service of the same process without a connection. Its handler gets the
// request as if it had been read from one, in another goroutine, so that the caller's
// deadline holds as it does for a connection. The number of concurrent requests is
// limited like that of connections.
type inside struct {
	handler fasthttp.RequestHandler

	mu       sync.Mutex
	idle     []*insideWorker // used as a stack
	underWay int
	none     chan struct{} // closed when no call is in progress; nil: nobody is waiting
}

// insideWorker is a reusable goroutine, whose stack has already grown as a request
// needs it.
type insideWorker struct {
	calls chan *insideCall
	call  insideCall
	late  *time.Timer
}

// insideCall is one request. If its caller stops waiting, the worker is abandoned, and
// ends with the call.
type insideCall struct {
	ctx  fasthttp.RequestCtx
	done chan struct{}
}

// maxIdleWorkers bounds the idle workers.
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
		answer.ResetBody() // such a response has no body
	case answer.IsBodyStream():
		answer.Body() // reads the stream into memory
	}
	answer.CopyTo(resp)
	s.release(w)
	return nil
}

// worker returns a worker, or nil if too many calls are in progress.
func (s *inside) worker() *insideWorker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.underWay >= MaxConns {
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

// release returns a worker to the pool after its call.
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

// abandon waits for the end of an abandoned call.
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

// close waits until no call is in progress, including abandoned ones, for at most the
// given duration. There must be no new calls.
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
