package web

import (
	"bytes"
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// FastPath is a GET request without a body and without a trace of its caller, which may
// be answered before any middleware (ADR 0099).
type FastPath struct {
	Request *fasthttp.RequestCtx
	// Context is done at the deadline of the request.
	Context context.Context
	// ID is the id of the request, which is set in the response.
	ID string
	// Began is when the request arrived, by Options.Now.
	Began time.Time

	// Route, as RouteOf returns it, and Principal are set by the function that handles
	// the request. If Principal is set and the request is not answered, the middleware
	// uses it without authenticating again.
	Route     string
	Principal identity.Principal

	ctx deadlineContext // Context points here, to save an allocation
}

// RouteOf returns the route of an operation as named in logs and metrics.
func RouteOf(o api.Operation) string { return routePattern(BasePath, o) }

// byFastPath calls Options.FastPath, and reports whether it has answered the request.
// For such a response it does what the middleware would: id, entity tag, security
// headers, log line and measurement. If it has not, or panicked, the request continues
// through the middleware with the same id and deadline.
func (e *edge) byFastPath(rc *fasthttp.RequestCtx) (answered bool) {
	h := &rc.Request.Header
	if e.o.FastPath == nil || !h.IsGet() || rc.Request.IsBodyStream() || len(h.PeekCanonical(nameTraceparent)) > 0 || namesTransfer(h.RawHeaders()) {
		return false
	}
	if path, _, _ := bytes.Cut(h.RequestURI(), []byte("?")); isHealthPath(utils.UnsafeString(path)) {
		return false // without a span
	}
	began, until, id := e.o.Now(), time.Now().Add(e.o.Timeout), e.idOf(h)
	ctx, span := e.startSpan(context.Background(), h, fiber.MethodGet, false)
	s := &FastPath{Request: rc, ID: id, Began: began, ctx: deadlineContext{parent: ctx, deadline: until}}
	s.Context = &s.ctx
	defer s.ctx.end()
	var fault *panicked
	defer func() {
		if v := recover(); v != nil {
			fault, answered = &panicked{value: v, stack: string(debug.Stack())}, false
			rc.Response.Reset()
		}
		if !answered {
			rc.SetUserValue(keyKnown, &known{requestID: id, principal: s.Principal, began: began, until: until, traced: ctx, span: span, fault: fault})
		}
	}()
	if !e.o.FastPath(s) {
		return false
	}
	r := &rc.Response
	tagAnswer(h, r)
	r.Header.SetCanonical(nameRequestID, []byte(id))
	setSecurityHeaders(&r.Header)
	ended, l := e.o.Now(), newLabels(httpconv.RequestMethodGet, schemeOf(rc), s.Route, r.StatusCode(), "")
	telemetry.LogRequest(s.Context, e.o.Logger, slog.LevelInfo, telemetry.Request{At: ended, Took: ended.Sub(began), Method: string(l.method), Route: l.route, Status: l.status,
		ID: id, Org: s.Principal.Org, Actor: s.Principal.UserID})
	e.measures.record(ctx, l, "", ended.Sub(began))
	describe(span, l, id, s.Principal.Org, "")
	span.End()
	return true
}
