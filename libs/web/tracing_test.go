package web_test

import (
	"testing"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	callerTrace = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + callerTrace + "-b7ad6b7169203331-01"
)

type traced struct {
	*bundle
	spans  *tracetest.SpanRecorder
	reader *metric.ManualReader
}

func setupTraced(t *testing.T, edge bool) traced {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	spans, reader := tracetest.NewSpanRecorder(), metric.NewManualReader()
	b := setup(t, func(o *web.Options) {
		o.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
		o.Meter = metric.NewMeterProvider(metric.WithReader(reader)).Meter("test")
		o.Edge = edge
	})
	web.NewHealth(nil).Register(b.app, "/api/v2")
	if err := register(b.app, "/api/v2", members(), []served{
		{Method: "GET", Path: "/events/{id}", Role: identity.User, Handler: answerWho},
		{Method: "GET", Path: "/down", Handler: func(*fiber.Ctx) error { return apperr.New(apperr.Unavailable, "Later.") }},
	}); err != nil {
		t.Fatal(err)
	}
	return traced{b, spans, reader}
}

func attrs(list []attribute.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range list {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s = %q, want %q", what, k, got[k], v)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: %s = %q is not wanted", what, k, got[k])
		}
	}
}

func TestTracing(t *testing.T) {
	t.Parallel()
	b := setupTraced(t, false)
	b.get("/api/v2/health")
	b.get("/api/v2/events/secret-id?q=secret", "Authorization", "Bearer user-a", "traceparent", traceparent, "X-Request-Id", "r1", "X-Forwarded-Proto", "gopher", "baggage", "secret=1")
	b.get("/api/v2/down", "X-Request-Id", "r2")
	b.do("MADE-UP", "/secret", "", "X-Request-Id", "r3")
	ended := b.spans.Ended()
	if len(ended) != 3 {
		t.Fatalf("%d spans, want 3: health has none", len(ended))
	}
	first := ended[0]
	if first.Name() != "GET /api/v2/events/:id" || first.SpanKind() != trace.SpanKindServer || first.SpanContext().TraceID().String() != callerTrace || first.Parent().SpanID().String() != "b7ad6b7169203331" {
		t.Errorf("span %s of trace %s", first.Name(), first.SpanContext().TraceID())
	}
	same(t, "first", attrs(first.Attributes()), map[string]string{
		"http.request.method": "GET", "http.route": "/api/v2/events/:id", "http.response.status_code": "200", "url.scheme": "http", "ecf.request_id": "r1", "ecf.org": "org-a",
	})
	same(t, "down", attrs(ended[1].Attributes()), map[string]string{
		"http.request.method": "GET", "http.route": "/api/v2/down", "http.response.status_code": "503", "error.type": "UNAVAILABLE", "ecf.error.code": "UNAVAILABLE", "url.scheme": "http", "ecf.request_id": "r2",
	})
	if ended[1].Status().Code.String() != "Error" {
		t.Errorf("status of 503 = %v", ended[1].Status())
	}
	same(t, "unknown", attrs(ended[2].Attributes()), map[string]string{
		"http.request.method": "_OTHER", "http.response.status_code": "404", "ecf.error.code": "NOT_FOUND", "url.scheme": "http", "ecf.request_id": "r3",
	})

	var data metricdata.ResourceMetrics
	if err := b.reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	m := data.ScopeMetrics[0].Metrics[0]
	points := m.Data.(metricdata.Histogram[float64]).DataPoints
	if m.Name != "http.server.request.duration" || m.Unit != "s" || len(points) != 3 {
		t.Fatalf("metric %s in %s with %d points", m.Name, m.Unit, len(points))
	}
	for _, p := range points {
		got := attrs(p.Attributes.ToSlice())
		if got["http.response.status_code"] != "200" {
			continue
		}
		same(t, "metric", got, map[string]string{"http.request.method": "GET", "http.route": "/api/v2/events/:id", "http.response.status_code": "200", "url.scheme": "http"})
		if len(p.Exemplars) != 1 || trace.TraceID(p.Exemplars[0].TraceID).String() != callerTrace {
			t.Errorf("exemplars %v", p.Exemplars)
		}
	}
}

// TestEdge verifies that clients do not choose the ids of our traces.
func TestEdge(t *testing.T) {
	t.Parallel()
	b := setupTraced(t, true)
	b.get("/api/v2/down", "traceparent", traceparent)
	b.get("/api/v2/down")
	span := b.spans.Ended()[0]
	if span.SpanContext().TraceID().String() == callerTrace || span.Parent().IsValid() {
		t.Errorf("the caller's trace is taken over: %v", span.SpanContext())
	}
	if links := span.Links(); len(links) != 1 || links[0].SpanContext.TraceID().String() != callerTrace {
		t.Errorf("links %v", span.Links())
	}
}

// TestTracesOfCallersWhereNothingIsTraced verifies that without span recording a service still
// propagates the caller's trace, and the edge only that of trusted callers.
func TestTracesOfCallersWhereNothingIsTraced(t *testing.T) {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	for _, c := range []struct {
		name         string
		edge, joined bool
		want         string
	}{{"a service", false, false, callerTrace}, {"the edge", true, false, ""}, {"the edge, joined", true, true, callerTrace}} {
		t.Run(c.name, func(t *testing.T) {
			b := setup(t, func(o *web.Options) {
				o.Tracer, o.Edge = noop.NewTracerProvider().Tracer("test"), c.edge
				o.Joined = func(*fiber.Ctx) bool { return c.joined }
			})
			got := ""
			if err := register(b.app, "/api/v2", members(), []served{{Method: "GET", Path: "/events/{id}", Role: identity.User, Handler: func(c *fiber.Ctx) error {
				if caller := trace.SpanContextFromContext(c.UserContext()); caller.IsValid() {
					got = caller.TraceID().String()
				}
				return answerWho(c)
			}}}); err != nil {
				t.Fatal(err)
			}
			if a := b.get("/api/v2/events/e1", "Authorization", "Bearer user-a", "traceparent", traceparent); a.status != fiber.StatusOK || got != c.want {
				t.Errorf("%d, trace %q; want %q", a.status, got, c.want)
			}
		})
	}
}
