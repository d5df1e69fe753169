package gateway

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// lengthUnknown is the content length by which fasthttp denotes a chunked body.
const lengthUnknown = -1

// early applies admission control to light writes before the framework handles the
// request, while any intake rejects writes, so that a rejection uses as little of the
// scarce resources as possible.
type early struct {
	g        *gateway
	matcher  *api.Matcher
	recall   identity.Recall
	refusals map[string]*web.Refusal // by operation
}

// add enables early admission control for an operation, if it has an intake.
func (e *early) add(o api.Operation) error {
	if e.g.intakeOf(o) == nil {
		return nil
	}
	refusal, err := web.NewRefusal(o, tooMuch())
	e.refusals[o.ID] = refusal
	return err
}

// take returns the rejection of a request, or the function to call when an admitted
// request has ended. It leaves these requests to taken: those with an unknown token;
// those of callers that are rejected too often, which are then limited by the write
// limit; those of pages of other origins, whose responses need CORS headers; and those
// with chunked bodies, whose length is unknown.
func (e *early) take(rc *fasthttp.RequestCtx) (end func(), refused *web.Refusal) {
	h := &rc.Request.Header
	if h.IsGet() || h.IsHead() || !e.g.tight() || h.ContentLength() == lengthUnknown || len(h.PeekCanonical(nameOrigin)) > 0 {
		return nil, nil
	}
	path, _, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	// No copies: nothing of the request is retained.
	o, ok := e.matcher.Find(utils.UnsafeString(h.Method()), utils.UnsafeString(path))
	refusal := e.refusals[o.ID]
	if !ok || refusal == nil {
		return nil, nil
	}
	intake := e.g.intakes[o.Service]
	if !intake.tight.Load() {
		return nil, nil
	}
	// Not the context of the request: the signing keys may be fetched for other
	// requests too.
	now := e.g.Now()
	p, ok := web.Bearer(context.Background(), h, e.recall, e.g.Tokens, now)
	if !ok {
		return nil, nil
	}
	if end, ok = intake.begin(p.Org); ok {
		rc.SetUserValue(takenKey{}, true)
		return end, nil
	}
	if _, seldom := e.g.holdback.users.Within(user{p.Org, p.UserID}, 1, now, 0); !seldom {
		return nil, nil
	}
	return nil, refusal
}

// tight reports whether any intake rejects writes.
func (g *gateway) tight() bool {
	for _, i := range g.all {
		if i.tight.Load() {
			return true
		}
	}
	return false
}

// takenKey is the key of the request value that marks a request as admitted.
type takenKey struct{}

// intakeOf returns the intake of an operation, or nil if it has none.
func (g *gateway) intakeOf(o api.Operation) *intake {
	if o.Public() || o.Streamed || o.Cost > api.Light || o.Method == http.MethodGet {
		return nil
	}
	return g.intakes[o.Service]
}

// taken returns a handler that applies the admission control of the service before the
// body is read, to requests not admitted early.
func (g *gateway) taken(o api.Operation, next fiber.Handler) fiber.Handler {
	intake := g.intakeOf(o)
	if intake == nil {
		return next
	}
	return func(c *fiber.Ctx) error {
		if c.Context().UserValue(takenKey{}) != nil {
			return next(c)
		}
		end, ok := intake.begin(web.PrincipalOf(c).Org)
		if !ok {
			c.Context().SetUserValue(overloadKey{}, true)
			web.LogTogether(c)
			return tooMuch()
		}
		defer end()
		return next(c)
	}
}

// tooMuch returns the error of a write that is not admitted.
func tooMuch() *apperr.Error {
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "The server is overloaded with writes. Nothing was changed; please try again."}
}
