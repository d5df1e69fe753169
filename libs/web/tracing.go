package web

import (
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
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
type header struct{ c *fiber.Ctx }

func (h header) Get(k string) string { return h.c.Get(k) }
func (h header) Set(string, string)  {}
func (h header) Keys() []string      { return nil }

// newTracing returns the middleware that starts, for every request but those for
// health, a server span and a measured duration, under the names of the semantic
// conventions v1.43. Neither holds a path, a query or an address of the client:
// a path has ids in it, and the number of its values has no bound.
func (e *edge) newTracing() fiber.Handler {
	duration, err := httpconv.NewServerRequestDuration(e.o.Meter)
	if err != nil {
		// The instrument given with an error still works as far as it can.
		otel.Handle(err)
	}
	refusals, err := e.o.Meter.Int64Counter("ecf.http.refusals", metric.WithUnit("{request}"),
		metric.WithDescription("Requests refused by a limit, a quota, a size or for want of room, by error code"))
	if err != nil {
		otel.Handle(err)
	}
	var known measured
	return func(c *fiber.Ctx) error {
		k := knownOf(c)
		k.began = e.o.Now()
		if isHealthPath(c.Path()) {
			return c.Next()
		}
		method := methodAttr(c)
		ctx := otel.GetTextMapPropagator().Extract(c.UserContext(), header{c})
		opts := serverSpan
		joined := e.o.Joined != nil && e.o.Joined(c)
		if e.o.Edge && !joined {
			if caller := trace.SpanContextFromContext(ctx); caller.IsValid() {
				opts = append(opts, trace.WithNewRoot(), trace.WithLinks(trace.Link{SpanContext: caller}))
			}
		}
		ctx, span := e.o.Tracer.Start(ctx, string(method), opts...)
		defer span.End()
		c.SetUserContext(ctx)

		err := c.Next()
		if sc := span.SpanContext(); joined && sc.IsValid() {
			c.Set("Traceresponse", "00-"+sc.TraceID().String()+"-"+sc.SpanID().String()+"-"+sc.TraceFlags().String())
		}

		status, route := c.Response().StatusCode(), routeOf(c)
		code := codeOf(c)
		if isRefusal(status) {
			refusals.Add(ctx, 1, metric.WithAttributes(attribute.String("ecf.error.code", string(code))))
		}
		l := labels{method: method, scheme: scheme(c), route: route, status: status}
		if status >= fiber.StatusInternalServerError {
			l.failure = code
		}
		if k.ended.IsZero() {
			k.ended = e.o.Now()
		}
		duration.Inst().Record(ctx, k.ended.Sub(k.began).Seconds(), known.of(l)...)
		if !span.IsRecording() {
			return err
		}
		span.SetName(strings.TrimSpace(string(method) + " " + route))
		span.SetAttributes(append(l.attributes(), attribute.String("ecf.request_id", RequestID(c)))...)
		if code != "" {
			span.SetAttributes(attribute.String("ecf.error.code", string(code)))
		}
		if p := PrincipalOf(c); p.Org != "" {
			span.SetAttributes(attribute.String("ecf.org", p.Org))
		}
		if status >= fiber.StatusInternalServerError {
			span.SetStatus(codes.Error, string(code))
		}
		return err
	}
}

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

// measured keeps the sets of attributes of the labels that were met: making one,
// sorted and without repetitions, costs more than the measurement.
type measured struct{ sets sync.Map }

func (m *measured) of(l labels) []metric.RecordOption {
	if set, ok := m.sets.Load(l); ok {
		return set.([]metric.RecordOption)
	}
	set, _ := m.sets.LoadOrStore(l, []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(l.attributes()...))})
	return set.([]metric.RecordOption)
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

// scheme returns how the connection itself came in; what a client writes about it
// into X-Forwarded-Proto does not become an attribute.
func scheme(c *fiber.Ctx) string {
	if c.Context().IsTLS() {
		return "https"
	}
	return "http"
}
