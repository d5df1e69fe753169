package gateway

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

const (
	// unsentTotal is the number of bytes of unsent responses in memory, and unsentShare
	// the part of one organization. A larger response is admitted if its organization
	// has no other.
	unsentTotal = 96 << 20
	unsentShare = 48 << 20
	// smallAnswer is the largest response that is not counted.
	smallAnswer = upstream.SmallBody
	// maxAnswer is the maximum size of a response that is read into memory.
	maxAnswer = upstream.MaxBody
)

// unsent counts the large responses that are in memory until their clients have read
// them. A client that requests an export and does not read it keeps it here until the
// write timeout; without a limit some such connections could use up all memory.
type unsent struct {
	total, share int

	mu   sync.Mutex
	used int
	of   map[string]int // bytes by organization
	// freed is closed when bytes are released.
	freed chan struct{}
}

func newUnsent(total, share int) *unsent {
	return &unsent{total: total, share: share, of: map[string]int{}, freed: make(chan struct{})}
}

// keptAnswer is the reservation of one response. It is a value of the request: fasthttp
// closes it when the response has been written, or writing has failed.
type keptAnswer struct {
	of    *unsent
	org   string
	bytes int
}

// keptKey is the key of the request value that holds a keptAnswer.
type keptKey struct{}

// take reserves n more bytes, and reports whether it could; if not, freed is closed
// once bytes are released.
func (k *keptAnswer) take(n int) (ok bool, freed <-chan struct{}) {
	a := k.of
	a.mu.Lock()
	defer a.mu.Unlock()
	others := a.of[k.org] - k.bytes
	if a.used+n > a.total || others > 0 && a.of[k.org]+n > a.share {
		return false, a.freed
	}
	k.reserve(n)
	return true, nil
}

// reserve counts n more bytes.
func (k *keptAnswer) reserve(n int) {
	k.of.used += n
	k.of.of[k.org] += n
	k.bytes += n
}

// add reserves n more bytes regardless of the limit.
func (k *keptAnswer) add(n int) {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	k.reserve(n)
}

// give releases n bytes.
func (k *keptAnswer) give(n int) {
	if n == 0 {
		return
	}
	a := k.of
	a.mu.Lock()
	defer a.mu.Unlock()
	k.bytes -= n
	a.used -= n
	if a.of[k.org] -= n; a.of[k.org] == 0 {
		delete(a.of, k.org)
	}
	close(a.freed)
	a.freed = make(chan struct{})
}

// wait reserves n more bytes, waiting for them until ctx is done.
func (k *keptAnswer) wait(ctx context.Context, n int) error {
	for {
		ok, freed := k.take(n)
		if ok {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return noRoom(ctx.Err())
		}
	}
}

// Close implements io.Closer.
func (k *keptAnswer) Close() error {
	k.give(k.bytes)
	return nil
}

func noRoom(cause error) error {
	return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
		Message: "Too many responses are waiting to be read. Finish reading those, then try again."}).Because(cause)
}

// streams reports whether the body of a response is read only once there is memory for
// it. Others are small.
func streams(o api.Operation) bool { return o.Cost > api.Light }

// receive reads the response of a service, of which only the header has been read
// unless it is small. If its length is known, it waits for memory; a large one with a
// separate response is then streamed. An export, whose length is unknown, is streamed
// too, but rejected if there is no memory: two exports that have begun and wait for
// each other would be deadlocked.
func (g *gateway) receive(o api.Operation, a passed, answer *fasthttp.Response) (err error) {
	resp, passedOn := &a.rc.Response, false
	apart := answer != resp
	if apart {
		answer.Header.CopyTo(&resp.Header)
		resp.SkipBody = answer.SkipBody
	}
	stream := answer.BodyStream()
	defer func() {
		switch {
		case passedOn:
		case apart:
			fasthttp.ReleaseResponse(answer)
		case err != nil:
			_ = answer.CloseBodyStream()
		}
	}()
	if stream == nil {
		if apart {
			resp.SetBody(answer.Body())
		}
		return g.keep(o, a)
	}
	length := answer.Header.ContentLength()
	kept := &keptAnswer{of: g.unsent, org: a.by.Org}
	a.rc.SetUserValue(keptKey{}, kept)
	var body []byte
	switch {
	case apart && length > flowRoom:
		if err := kept.wait(a.ctx, flowRoom); err != nil {
			return err
		}
		passedOn = true
		g.passOn(o, a, answer, nil, length)
		return nil
	case length > maxAnswer:
		return fasthttp.ErrBodyTooLarge
	case length > 0:
		if err := kept.wait(a.ctx, length); err != nil {
			return err
		}
		body = make([]byte, length)
		err = readAll(stream, body)
	case apart:
		var whole bool
		if body, whole, err = kept.begin(stream); err == nil && !whole {
			passedOn = true
			g.passOn(o, a, answer, body, -1)
			return nil
		}
	default:
		body, err = kept.grow(stream)
	}
	if err != nil {
		return err
	}
	resp.SetBodyRaw(body)
	return nil
}

// keep waits for memory for a response that is in memory already: it comes from a
// service in this process, which holds it in any case. A response to a write is counted
// without waiting: rejecting it would make the client repeat a completed write.
func (g *gateway) keep(o api.Operation, a passed) error {
	size := len(a.rc.Response.Body())
	if size <= smallAnswer {
		return nil
	}
	kept := &keptAnswer{of: g.unsent, org: a.by.Org}
	a.rc.SetUserValue(keptKey{}, kept)
	if !streams(o) {
		kept.add(size)
		return nil
	}
	return kept.wait(a.ctx, size)
}

// readAll reads a stream as long as the buffer, up to its end, so that its connection
// can be reused.
func readAll(stream io.Reader, into []byte) error {
	n := 0
	for {
		more, err := stream.Read(into[n:])
		n += more
		switch {
		case errors.Is(err, io.EOF) && n == len(into):
			return nil
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
}

// grow reads a stream of unknown length, and reserves memory as it grows.
func (k *keptAnswer) grow(stream io.Reader) ([]byte, error) {
	body := make([]byte, 0, smallAnswer)
	for {
		if len(body) == cap(body) {
			size := 2 * cap(body)
			if size > maxAnswer {
				return nil, fasthttp.ErrBodyTooLarge
			}
			if ok, _ := k.take(size); !ok {
				return nil, noRoom(nil)
			}
			larger := append(make([]byte, 0, size), body...)
			k.give(k.bytes - size)
			body = larger
		}
		n, err := stream.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			// The buffer's capacity may be twice its length.
			whole := append(make([]byte, 0, len(body)), body...)
			k.give(max(0, k.bytes-cap(whole)))
			return whole, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// shrink releases what a response no longer needs after compression.
func shrink(rc *fasthttp.RequestCtx) {
	if kept, ok := rc.UserValue(keptKey{}).(*keptAnswer); ok && !rc.Response.IsBodyStream() {
		kept.give(max(0, kept.bytes-len(rc.Response.Body())))
	}
}
