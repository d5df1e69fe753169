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

// header reads the trace context from a request.
type header struct{ h *fasthttp.RequestHeader }

func (h header) Get(k string) string { return string(h.h.Peek(k)) }
func (h header) Set(string, string)  {}
func (h header) Keys() []string      { return nil }

// newTracing returns the middleware that starts, for every request but those for
// health, a server span and a measured duration, under the names of the semantic
// conventions v1.43. Neither holds a path, a query or an address of the client:
// a path has ids in it, and the number of its values has no bound.
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

// startSpan begins the span of a request: in the trace of its caller where that is passed on,
// else in one of its own that links to it. Where no span is recorded it begins none.
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

// describe says in the span of a request what was asked for, and how it was answered.
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

// nameTraceparent is the field of a caller's trace, as fasthttp keeps names.
var nameTraceparent = []byte("Traceparent")

// serverSpan has no room for more: what is appended to it is appended to a copy.
var serverSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}[:1:1]

// labels are what the duration of a request is measured by. There are few of them:
// each is one of the methods, routes, statuses and codes that the program knows.
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

// measures are what requests are measured and counted by.
type measures struct {
	duration httpconv.ServerRequestDuration
	refusals metric.Int64Counter
	// The sets of attributes that were met, by labels and by code: making one, sorted and
	// without repetitions, costs more than the measurement.
	durations, codes sync.Map
}

func newMeasures(m metric.Meter) *measures {
	duration, err := httpconv.NewServerRequestDuration(m)
	if err != nil {
		// The instrument given with an error still works as far as it can.
		otel.Handle(err)
	}
	refusals, err := m.Int64Counter("ecf.http.refusals", metric.WithUnit("{request}"),
		metric.WithDescription("Requests refused by a limit, a quota, a size or for want of room, by error code"))
	if err != nil {
		otel.Handle(err)
	}
	return &measures{duration: duration, refusals: refusals}
}

// record measures a request, and counts it where it was refused.
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

// isRefusal reports whether an answer turns away a request that is right as such.
func isRefusal(status int) bool {
	switch status {
	case fiber.StatusPaymentRequired, fiber.StatusRequestEntityTooLarge, fiber.StatusTooManyRequests, fiber.StatusServiceUnavailable:
		return true
	}
	return false
}

// methodAttr keeps the methods a stranger may invent out of the metrics.
func methodAttr(c *fiber.Ctx) httpconv.RequestMethodAttr {
	m := methodOf(c)
	if !knownMethod(m) {
		return httpconv.RequestMethodOther
	}
	return httpconv.RequestMethodAttr(m)
}

// schemeOf returns how the connection itself came in; what a client writes about it
// into X-Forwarded-Proto does not become an attribute.
func schemeOf(rc *fasthttp.RequestCtx) string {
	if rc.IsTLS() {
		return "https"
	}
	return "http"
}
