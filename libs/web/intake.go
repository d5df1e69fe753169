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
	// bodiesTotal is how many bytes of bodies a service holds in memory at a time, and
	// bodiesShare how many of them one organization may take, and all who need no token:
	// what one gateway has on its way.
	bodiesTotal = 48 << 20
	bodiesShare = 16 << 20
)

// intake receives the bodies of a service's requests, when the callers are known to be
// allowed to make them.
type intake struct {
	spool  *Spool // of streamed operations; nil: they are in memory too
	memory *fairshare.Budget
	limit  int // of operations that have none of their own
}

func newIntake(spool *Spool, limit int) *intake {
	return &intake{spool: spool, memory: fairshare.NewBudget(bodiesTotal, bodiesShare), limit: limit}
}

// take reads the body of a request within the limit of its operation: of a streamed
// operation into a file, see FileOf, and of others into memory. What is announced has its
// place before anything of it is read. End gives the place back.
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
		counted = 0 // it is in memory already
	}
	org := PrincipalOf(c).Org
	if counted > 0 && !i.memory.Take(org, counted) {
		return nil, &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
			Message: "Too many bytes are being received at once. Nothing was changed; please try again."}
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
	c.Request().ResetBody() // it was read to its end: the connection may go on
	c.Locals(keyFile, f)
	return func() { _ = f.Close() }, nil // it has no name
}

// prefetched is how much of a body is read before a request is handled.
const prefetched = 8 << 10

// unread reports whether bytes of a body may be left on its connection.
func unread(r *fasthttp.Request) bool {
	length := r.Header.ContentLength()
	return r.IsBodyStream() && (length < 0 || length > prefetched)
}

// drained is the most that is taken of a body that nobody has read.
const drained = 32 << 20

// drain takes what is left of a body: the gateway, which passes it on, sends all of it
// before it looks for an answer.
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
