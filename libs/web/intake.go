package web

import (
	"errors"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
)

const (
	// bodiesTotal is the number of bytes of request bodies that a service may hold in
	// memory at a time, and bodiesShare the part of one organization, or of all callers
	// without a token: as much as one gateway sends.
	bodiesTotal = 48 << 20
	bodiesShare = 16 << 20
)

// intake receives the request bodies of a service, once the callers are known to be
// permitted.
type intake struct {
	spool  *Spool // for streamed operations; nil: in memory
	memory *fairshare.Budget
	limit  int // of operations without a limit of their own
}

func newIntake(spool *Spool, limit int) *intake {
	return &intake{spool: spool, memory: fairshare.NewBudget(bodiesTotal, bodiesShare), limit: limit}
}

// take reads the body of a request within the limit of its operation: that of a
// streamed operation into a file, see FileOf, others into memory. The announced length
// is reserved before anything is read; end releases it.
func (i *intake) take(c *fiber.Ctx, o api.Operation) (end func(), err error) {
	if !c.Request().IsBodyStream() {
		return func() {}, nil
	}
	limit := o.MaxBody(i.limit)
	announced := c.Request().Header.ContentLength()
	if announced > limit {
		return nil, errBodyTooLarge
	}
	from := NewBounded(c.Context().RequestBodyStream(), limit)
	if o.Streamed && i.spool != nil {
		return i.toFile(c, from, announced, limit)
	}
	counted := announced
	switch {
	case announced < 0:
		counted = limit
	case announced <= prefetched:
		counted = 0 // in memory already
	}
	org := PrincipalOf(c).Org
	if counted > 0 && !i.memory.Take(org, counted) {
		return nil, &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
			Message: "The server is receiving too much data. Nothing was changed; please try again."}
	}
	end = func() { i.memory.Put(org, counted) }
	body, err := ReadBody(from, announced)
	if err != nil {
		end()
		return nil, BodyFault(err)
	}
	c.Request().SetBodyRaw(body)
	return end, nil
}

func (i *intake) toFile(c *fiber.Ctx, from io.Reader, announced, limit int) (end func(), err error) {
	f := i.spool.New(PrincipalOf(c).Org)
	if announced < 0 {
		announced = limit
	}
	if err = f.reserve(announced); err == nil {
		_, err = io.Copy(f, from)
	}
	if err != nil {
		return nil, errors.Join(BodyFault(err), f.Close())
	}
	c.Request().ResetBody() // read completely, so the connection can be kept alive
	c.Locals(keyFile, f)
	return func() { _ = f.Close() }, nil // it has no file name
}

// prefetched is how much of a body is read before a request is handled.
const prefetched = 8 << 10

// unread reports whether part of the body may be unread.
func unread(r *fasthttp.Request) bool {
	length := r.Header.ContentLength()
	return r.IsBodyStream() && (length < 0 || length > prefetched)
}

// drained is the most that drain reads.
const drained = 32 << 20

// drain reads and discards the rest of a body: the gateway sends all of it before it
// reads the response.
func drain(rc *fasthttp.RequestCtx) {
	if !rc.Request.IsBodyStream() {
		return
	}
	if rc.Request.Header.ContentLength() > drained {
		rc.SetConnectionClose()
		return
	}
	if _, err := io.CopyN(io.Discard, rc.RequestBodyStream(), drained); !errors.Is(err, io.EOF) {
		rc.SetConnectionClose()
		return
	}
	rc.Request.ResetBody()
}
