package web

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// header reads the trace context of a request.
type header struct{ h *fasthttp.RequestHeader }

func (h header) Get(k string) string { return string(h.h.Peek(k)) }
func (h header) Set(string, string)  {}
func (h header) Keys() []string      { return nil }

// newTracing returns the middleware that, for every request except those for health,
// starts a server span and measures the duration, named by the semantic conventions
// v1.43. Neither contains a path, a query or a client address: a path contains ids, so
// the number of its values is unbounded.
func (e *edge) newTracing() fiber.Handler {
	return func(c *fiber.Ctx) error {
		k := knownOf(c)
		if k.began.IsZero() {
			k.began = e.o.Now()
		}
		if isHealthPath(c.Path()) {
			return c.Next()
		}
		method := methodAttr(c)
		joined := e.o.Joined != nil && e.o.Joined(c)
		ctx, span := k.traced, k.span
		if span == nil {
			ctx, span = e.startSpan(c.UserContext(), &c.Request().Header, string(method), !e.o.Edge || joined)
		}
		defer span.End()
		c.SetUserContext(ctx)

		err := c.Next()
		if sc := span.SpanContext(); joined && sc.IsValid() {
			c.Set("Traceresponse", "00-"+sc.TraceID().String()+"-"+sc.SpanID().String()+"-"+sc.TraceFlags().String())
		}

		status, route := c.Response().StatusCode(), routeOf(c)
		code := codeOf(c)
		l := newLabels(method, schemeOf(c.Context()), route, status, code)
		if k.ended.IsZero() {
			k.ended = e.o.Now()
		}
		e.measures.record(ctx, l, code, k.ended.Sub(k.began))
		describe(span, l, RequestID(c), PrincipalOf(c).Org, code)
		return err
	}
}

// startSpan starts the span of a request: in the caller's trace if that is continued,
// otherwise in a new one that links to it. If spans are not recorded it starts none.
func (e *edge) startSpan(ctx context.Context, h *fasthttp.RequestHeader, name string, passed bool) (context.Context, trace.Span) {
	opts := serverSpan
	if len(h.PeekCanonical(nameTraceparent)) > 0 && (passed || !e.untraced) {
		from := otel.GetTextMapPropagator().Extract(ctx, header{h})
		if caller := trace.SpanContextFromContext(from); !passed && caller.IsValid() {
			opts = append(opts, trace.WithNewRoot(), trace.WithLinks(trace.Link{SpanContext: caller}))
		}
		ctx = from
	} else if e.untraced {
		return ctx, trace.SpanFromContext(ctx)
	}
	return e.o.Tracer.Start(ctx, name, opts...)
}

// describe sets the attributes of the span: the request and its outcome.
func describe(span trace.Span, l labels, id, org string, code apperr.Code) {
	if !span.IsRecording() {
		return
	}
	span.SetName(strings.TrimSpace(string(l.method) + " " + l.route))
	span.SetAttributes(append(l.attributes(), attribute.String("ecf.request_id", id))...)
	if code != "" {
		span.SetAttributes(attribute.String("ecf.error.code", string(code)))
	}
	if org != "" {
		span.SetAttributes(attribute.String("ecf.org", org))
	}
	if l.status >= fiber.StatusInternalServerError {
		span.SetStatus(codes.Error, string(code))
	}
}

// nameTraceparent is the field of the caller's trace, as fasthttp normalizes it.
var nameTraceparent = []byte("Traceparent")

// serverSpan has no spare capacity: appending to it makes a copy.
var serverSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}[:1:1]

// labels are the attributes of a request duration. Their number is bounded: methods,
// routes, statuses and codes that the program knows.
type labels struct {
	method  httpconv.RequestMethodAttr
	scheme  string
	route   string
	status  int
	failure apperr.Code
}

func newLabels(method httpconv.RequestMethodAttr, scheme, route string, status int, code apperr.Code) labels {
	l := labels{method: method, scheme: scheme, route: route, status: status}
	if status >= fiber.StatusInternalServerError {
		l.failure = code
	}
	return l
}

func (l labels) attributes() []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(string(l.method)), semconv.URLScheme(l.scheme), semconv.HTTPResponseStatusCode(l.status),
	}
	if l.route != "" {
		attrs = append(attrs, semconv.HTTPRoute(l.route))
	}
	if l.status >= fiber.StatusInternalServerError {
		attrs = append(attrs, semconv.ErrorTypeKey.String(string(l.failure)))
	}
	return attrs
}

// measures are the metrics of requests.
type measures struct {
	duration httpconv.ServerRequestDuration
	refusals metric.Int64Counter
	// Caches of attribute sets, by labels and by code: creating one, sorted and without
	// duplicates, costs more than the measurement.
	durations, codes sync.Map
}

func newMeasures(m metric.Meter) *measures {
	duration, err := httpconv.NewServerRequestDuration(m)
	if err != nil {
		// An instrument returned with an error is still usable.
		otel.Handle(err)
	}
	refusals, err := m.Int64Counter("ecf.http.refusals", metric.WithUnit("{request}"),
		metric.WithDescription("Requests refused by a limit, a quota, a size or for want of room, by error code"))
	if err != nil {
		otel.Handle(err)
	}
	return &measures{duration: duration, refusals: refusals}
}

// record records the duration of a request, and counts it if it was rejected.
func (m *measures) record(ctx context.Context, l labels, code apperr.Code, took time.Duration) {
	if isRefusal(l.status) {
		options, ok := m.codes.Load(code)
		if !ok {
			options, _ = m.codes.LoadOrStore(code, []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(attribute.String("ecf.error.code", string(code))))})
		}
		m.refusals.Add(ctx, 1, options.([]metric.AddOption)...)
	}
	if !m.duration.Inst().Enabled(ctx) {
		return
	}
	options, ok := m.durations.Load(l)
	if !ok {
		options, _ = m.durations.LoadOrStore(l, []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(l.attributes()...))})
	}
	m.duration.Inst().Record(ctx, took.Seconds(), options.([]metric.RecordOption)...)
}

// isRefusal reports whether a status rejects a request that is valid as such.
func isRefusal(status int) bool {
	switch status {
	case fiber.StatusPaymentRequired, fiber.StatusRequestEntityTooLarge, fiber.StatusTooManyRequests, fiber.StatusServiceUnavailable:
		return true
	}
	return false
}

// methodAttr keeps arbitrary methods out of the metrics.
func methodAttr(c *fiber.Ctx) httpconv.RequestMethodAttr {
	m := methodOf(c)
	if !knownMethod(m) {
		return httpconv.RequestMethodOther
	}
	return httpconv.RequestMethodAttr(m)
}

// schemeOf returns the scheme of the connection itself; X-Forwarded-Proto of a client
// must not become an attribute.
func schemeOf(rc *fasthttp.RequestCtx) string {
	if rc.IsTLS() {
		return "https"
	}
	return "http"
}
