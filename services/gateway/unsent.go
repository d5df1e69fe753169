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
)

const (
	// unsentTotal is how many bytes of answers one process keeps for clients that have
	// not taken them yet, and unsentShare how many of them are one organization's. An
	// answer that is larger than that is kept where the organization has no other.
	unsentTotal = 96 << 20
	unsentShare = 48 << 20
	// smallAnswer is the largest that is not counted: for each connection about as much
	// is kept anyway.
	smallAnswer = 64 << 10
	// maxAnswer bounds an answer that is read into memory.
	maxAnswer = 64 << 20
)

// unsent counts the large answers that are in memory until their clients have taken
// them. A client that asks for an export and reads nothing of it has all of it kept here,
// for as long as an answer may take to be written, and some such connections would fill
// any memory.
type unsent struct {
	total, share int

	mu   sync.Mutex
	used int
	of   map[string]int // organization
	// freed is closed when bytes are given back.
	freed chan struct{}
}

func newUnsent(total, share int) *unsent {
	return &unsent{total: total, share: share, of: map[string]int{}, freed: make(chan struct{})}
}

// keptAnswer is what one answer has of the bytes. A request keeps it: fasthttp closes it
// when the answer was written, or could not be.
type keptAnswer struct {
	of    *unsent
	org   string
	bytes int
}

// keptKey is where a request keeps its keptAnswer.
type keptKey struct{}

// take reserves n bytes more, and reports whether there was room for them; if not, freed
// is closed as soon as there may be.
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

// reserve counts n bytes more.
func (k *keptAnswer) reserve(n int) {
	k.of.used += n
	k.of.of[k.org] += n
	k.bytes += n
}

// add reserves n bytes more, whether there is room for them or not.
func (k *keptAnswer) add(n int) {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	k.reserve(n)
}

// give returns n bytes.
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

// wait is take that waits for room until ctx ends.
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
		Message: "Too many answers wait for their clients to take them. Please read those first, and try again."}).Because(cause)
}

// streams reports whether the answer to an operation is read once there is room for it.
// Others are small.
func streams(o api.Operation) bool { return o.Cost > api.Light }

// receive reads the answer of a service, of which there is only the header yet unless it is
// small. One whose length is known waits until there is room for it; a large one that is apart
// from the client's answer is then passed on as it comes. So is one whose length shows at its
// end, an export, which is refused where there is no room for that: two that have begun and
// waited for each other would wait in vain.
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

// keep waits until there is room for an answer that is in memory already: of a service of
// this process, which has it there until it is taken in either case. That of a write is
// counted and does not wait: what it says was done would be done again.
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

// readAll reads a stream that is as long as the buffer, to its end: only then its
// connection can be used again.
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

// grow reads a stream of unknown length, and takes the room for it as it grows.
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
			// The buffer may be twice as large as what it has.
			whole := append(make([]byte, 0, len(body)), body...)
			k.give(max(0, k.bytes-cap(whole)))
			return whole, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// shrink gives back what an answer no longer takes once it is compressed.
func shrink(rc *fasthttp.RequestCtx) {
	if kept, ok := rc.UserValue(keptKey{}).(*keptAnswer); ok && !rc.Response.IsBodyStream() {
		kept.give(max(0, kept.bytes-len(rc.Response.Body())))
	}
}
