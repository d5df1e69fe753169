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

// Shortcut is a GET without a body, and not a part of a trace of its caller, that may be answered
// before any middleware has seen it.
type Shortcut struct {
	Request *fasthttp.RequestCtx
	// Context ends at the deadline of the request.
	Context context.Context
	// ID is that of the request; its answer gets it.
	ID string
	// Began is when the request came, by Options.Now.
	Began time.Time

	// Route, as RouteOf returns it, and Principal say what was asked for, and by whom. Who
	// answers the request sets them. One whose Principal is set, and which is not answered, is
	// admitted as theirs without another look.
	Route     string
	Principal identity.Principal

	ctx deadlineContext // Context, made together with the rest
}

// RouteOf returns the route of an operation as lines of the log and measurements name it.
func RouteOf(o api.Operation) string { return routePattern(BasePath, o) }

// byShortcut has a request answered by Options.Shortcut, and reports whether it was. It does for such
// an answer what the middleware would: its id, its tag, the fields that make it safe to show, its
// line and its measurement. Whatever is not answered in that way, a panic too, goes on through
// the middleware, with the same id and deadline.
func (e *edge) byShortcut(rc *fasthttp.RequestCtx) (answered bool) {
	h := &rc.Request.Header
	if e.o.Shortcut == nil || !h.IsGet() || rc.Request.IsBodyStream() || len(h.PeekCanonical(nameTraceparent)) > 0 || namesTransfer(h.RawHeaders()) {
		return false
	}
	if path, _, _ := bytes.Cut(h.RequestURI(), []byte("?")); isHealthPath(utils.UnsafeString(path)) {
		return false // it has no span
	}
	began, id := e.o.Now(), e.idOf(h)
	until := e.deadlineOf(began)
	ctx, span := e.startSpan(context.Background(), h, fiber.MethodGet, false)
	s := &Shortcut{Request: rc, ID: id, Began: began, ctx: deadlineContext{parent: ctx, deadline: until}}
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
	if !e.o.Shortcut(s) {
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
