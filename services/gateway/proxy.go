package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

// appendTarget appends the path and query of the request to a service: the path is
// re-encoded, so that the service reads what was matched here; the query is unchanged.
func appendTarget(to []byte, o api.Operation, uri *fasthttp.URI) ([]byte, bool) {
	raw := uri.PathOriginal()
	if encodedAlike(raw) {
		to = append(to, bytes.TrimSuffix(raw, slash)...)
	} else {
		prefix := web.BasePath
		if o.Root {
			prefix = ""
		}
		below, ok := strings.CutPrefix(string(raw), prefix)
		if !ok {
			return nil, false
		}
		path, ok := api.DecodePath(below)
		if !ok {
			return nil, false
		}
		to = append(append(to, prefix...), api.JoinPath(path)...)
	}
	if query := uri.QueryString(); len(query) > 0 {
		to = append(append(to, '?'), query...)
	}
	return to, true
}

var slash = []byte("/")

// encodedAlike reports whether decoding and encoding leave a path unchanged, except for
// a trailing slash, because it has only letters, digits and hyphens.
func encodedAlike(path []byte) bool {
	before := byte(0)
	for _, b := range path {
		if !alike[b] || b == '/' && before == '/' {
			return false
		}
		before = b
	}
	return len(path) > 1
}

// alike are the bytes that are encoded as themselves, and the slash.
var alike = func() (is [256]bool) {
	for _, b := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/") {
		is[b] = true
	}
	return is
}()

// passed is a request that is forwarded to a service.
type passed struct {
	rc  *fasthttp.RequestCtx
	ctx context.Context
	by  identity.Principal
	id  string // of the request
}

func passedBy(c *fiber.Ctx) passed {
	return passed{rc: c.Context(), ctx: c.UserContext(), by: web.PrincipalOf(c), id: web.RequestID(c)}
}

// proxy returns the handler that forwards a request of an operation to its service, and
// returns the response with its body unchanged.
func (g *gateway) proxy(o api.Operation) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var room [256]byte
		target, ok := appendTarget(room[:0], o, c.Context().URI())
		if !ok {
			return notFound()
		}
		a := passedBy(c)
		if err := g.limitStored(c, o); err != nil {
			return err
		}
		var stream *web.Bounded
		if o.Streamed && c.Request().IsBodyStream() {
			stream = web.NewBounded(c.Context().RequestBodyStream(), o.MaxBody(defaultBody))
		}
		packing, asked, err := outcomeOf(a.rc)
		if !asked {
			packing, err = g.ask(a, o, target, stream)
			if err == nil {
				g.addStored(c, o)
			}
		}
		if stream != nil && errors.Is(stream.Err(), io.EOF) {
			c.Request().ResetBody() // read completely, so the connection can be kept alive
		}
		if err != nil {
			c.Response().Reset()
			web.SetRequestID(c, a.id)
			if stream != nil && stream.Err() != nil && !errors.Is(stream.Err(), io.EOF) {
				return web.BodyFault(stream.Err())
			}
			return noAnswer(err)
		}
		if err := g.auditAnswer(c); err != nil {
			c.Response().Reset()
			web.SetRequestID(c, a.id)
			return err
		}
		g.finish(a, packing)
		web.SetRequestID(c, a.id)
		if c.Response().StatusCode() == fiber.StatusForbidden {
			g.auditRefusal(c, audit.Forbidden, refusedAs(c))
		}
		return nil
	}
}

// ask forwards the request to the service of an operation, and reads the response, or
// the part of it that is not streamed, into that of the request.
func (g *gateway) ask(a passed, o api.Operation, target []byte, stream *web.Bounded) (packing compressor, err error) {
	from, to := &a.rc.Request, g.clients[o.Service]
	// If the parent span is not recorded, neither is this one.
	span := trace.SpanFromContext(a.ctx)
	if span.IsRecording() {
		a.ctx, span = g.tracer.Start(a.ctx, o.Method+" "+to.Name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("ecf.upstream", to.Name)))
		defer span.End()
	}
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	requestHeader(a.ctx, &from.Header, &req.Header, g.callerOf(a, o.Service))
	packing = g.newCompressor(&from.Header, o, &req.Header)
	req.SetRequestURIBytes(target)
	req.Header.SetHost(to.Name)
	if stream != nil {
		req.SetBodyStream(stream, from.Header.ContentLength())
	} else if body := from.Body(); len(body) > 0 {
		req.SetBodyRaw(body)
	}

	deadline, ok := a.ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(g.Timeout)
	}
	began := to.answered.begin(a.ctx)
	answer := answerFor(o, a)
	if err = to.Call(a.ctx, o, a.by, req, answer, deadline); err == nil {
		err = g.receive(o, a, answer)
	}
	status := a.rc.Response.StatusCode()
	to.answered.record(a.ctx, began, status, err)
	switch {
	case err != nil:
		span.SetStatus(codes.Error, "no answer")
	case status >= fiber.StatusInternalServerError:
		span.SetStatus(codes.Error, "answered as failed")
	}
	return packing, err
}

// finish turns the response of a service into that of the gateway.
func (g *gateway) finish(a passed, packing compressor) {
	responseHeader(&a.rc.Response.Header)
	packing.apply(a)
	shrink(a.rc)
}

// noAnswer returns the error for a missing response of a service. Whether a write has
// taken effect is unknown, unless there was no connection at all.
func noAnswer(err error) error {
	var timeout interface{ Timeout() bool }
	var refused *apperr.Error
	switch {
	case errors.As(err, &refused):
		return err
	case errors.Is(err, upstream.ErrConnect), errors.Is(err, fasthttp.ErrNoFreeConns):
		return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
			Message: "A part of the service cannot be reached. Nothing was changed; please try again."}).Because(err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return apperr.New(apperr.UpstreamTimeout, "A part of the service did not respond in time. A write may nevertheless have taken effect.").Because(err)
	}
	return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
		Message: "A part of the service stopped before it responded. A write may nevertheless have taken effect."}).Because(err)
}

// callerOf returns what is sent to a service about the caller of a request. Only auth
// evaluates the address.
func (g *gateway) callerOf(a passed, service api.Service) caller {
	c := caller{requestID: a.id}
	if service == api.Auth {
		c.address = web.ClientIP(a.rc, g.TrustedProxies)
	}
	return c
}
