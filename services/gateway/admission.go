package gateway

import (
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
)

// What the bodies of requests may use. The server hands requests over when their
// header is in, so that nothing is read for a caller who is refused.
const (
	// defaultBody is the largest body of operations that name no limit.
	defaultBody = 1 << 20
	// bodiesTotal is how many bytes of bodies one process holds at a time, and
	// bodiesShare how many of them one organization may take.
	bodiesTotal = 48 << 20
	bodiesShare = 16 << 20
	// strangersTotal and strangersShare are those of who is not signed in, each an
	// address: however many there are, who is signed in goes on.
	strangersTotal = 16 << 20
	strangersShare = 4 << 20
	// arrived is the largest body that is in memory before a request is handled. It has
	// taken its room already, and is not refused for want of it.
	arrived = 8 << 10
	// streamsTotal is how many bytes of streamed bodies, which the service behind the
	// gateway holds, are on their way at a time, and streamsShare how many of them are
	// one organization's: two of the largest imports.
	streamsTotal = 64 << 20
	streamsShare = 32 << 20
)

// withBody returns a handler that reads the body of a request, within the limit
// of its operation and the bytes that its caller may still take, before it calls
// next. The body of a streamed operation is counted
// and left to next.
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
			counted = limit // sent in chunks: it may become that large
		case size <= arrived:
			counted = 0
		}
		budget, who := g.bodies, web.PrincipalOf(c).Org
		switch {
		case who == "":
			budget, who = g.strangers, ratelimit.AddressKey(web.ClientIP(c.Context(), g.TrustedProxies))
		case o.Streamed:
			budget = g.streams
		}
		if counted > 0 && !budget.Take(who, counted) {
			return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
				Message: "Too many bytes are being received at once. Please try again."}
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

// refuseExpected makes a server answer who asks whether to send a body (Expect:
// 100-continue), and is not to send one, instead of asking for it. That is a body which is
// too large for who has no valid token: every operation that needs none refuses it for its
// size, and every other one for the token, so that nothing is done without it.
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
