package gateway

import (
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

// Limits of request bodies. The server calls the handler after the header, so the body
// of a rejected request is never read.
const (
	// defaultBody is the body limit of operations that define none.
	defaultBody = 1 << 20
	// bodiesTotal is the number of bytes of request bodies that the process may hold at
	// a time, and bodiesShare the part that one organization may use.
	bodiesTotal = 48 << 20
	bodiesShare = 16 << 20
	// strangersTotal and strangersShare are the same limits for unauthenticated
	// clients, per address. They are separate so that such clients cannot block
	// authenticated ones.
	strangersTotal = 16 << 20
	strangersShare = 4 << 20
	// arrived is the largest body that is in memory before a request is handled. Its
	// memory is in use already, so it is never rejected for lack of memory.
	arrived = 8 << 10
	// streamsTotal is the number of bytes of streamed bodies, held by the service
	// behind the gateway, that may be in flight at a time, and streamsShare the part of
	// one organization: two of the largest imports.
	streamsTotal = 64 << 20
	streamsShare = 32 << 20
)

// withBody returns a handler that reads the request body before it calls next, within
// the limit of the operation and the remaining memory budget of the caller. The body of
// a streamed operation is counted against the budget and left to next.
func (g *gateway) withBody(o api.Operation, next fiber.Handler) fiber.Handler {
	limit := o.MaxBody(defaultBody)
	return func(c *fiber.Ctx) error {
		size := c.Request().Header.ContentLength()
		if size > limit {
			return fiber.ErrRequestEntityTooLarge
		}
		if !c.Request().IsBodyStream() {
			return next(c)
		}
		counted := size
		switch {
		case size < 0:
			counted = limit // chunked: it may grow up to the limit
		case size <= arrived:
			counted = 0
		}
		budget, who := g.bodies, web.PrincipalOf(c).Org
		switch {
		case who == "":
			budget, who = g.strangers, g.addressKey(c)
		case o.Streamed:
			budget = g.streams
		}
		if counted > 0 && !budget.Take(who, counted) {
			return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
				Message: "The server is receiving too much data. Please try again."}
		}
		defer budget.Put(who, counted)
		if o.Streamed {
			return next(c)
		}
		body, err := web.ReadBody(web.NewBounded(c.Context().RequestBodyStream(), limit), size)
		if err != nil {
			return web.BodyFault(err)
		}
		c.Request().SetBodyRaw(body)
		return next(c)
	}
}

// refuseExpected makes the server reject a request with Expect: 100-continue, without
// asking for its body, if the body is too large for a caller without a valid token.
// Every operation would reject it: those that need no token for its size, all others
// for the token.
func (g *gateway) refuseExpected(server *fasthttp.Server) {
	handler := server.Handler
	server.ExpectHandler = func(rc *fasthttp.RequestCtx) int {
		if rc.Request.Header.ContentLength() <= api.StrangersBody {
			return http.StatusContinue
		}
		if token, ok := web.BearerOf(&rc.Request.Header); ok {
			if _, err := g.Tokens.Verify(rc, token); err == nil {
				return http.StatusContinue
			}
		}
		handler(rc)
		return rc.Response.StatusCode()
	}
}
