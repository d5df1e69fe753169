package gateway

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestTrace verifies that the caller's trace is linked but not continued, and the service gets
// a new trace to continue.
func TestTrace(t *testing.T) {
	t.Parallel()
	s := start(t, recordedBy(spans))
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	got := s.do(request{method: "GET", path: "/api/v2/events", token: alice, header: map[string]string{
		"Traceparent": "00-" + theirs + "-00f067aa0ba902b7-01", "Tracestate": "vendor=1", "Baggage": "org=two",
	}})
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	asked := s.services[api.Records].last(t)
	parent := string(asked.Header.Peek("Traceparent"))
	if !strings.HasPrefix(parent, "00-") || strings.Contains(parent, theirs) || len(asked.Header.Peek("Tracestate")) > 0 || len(asked.Header.Peek("Baggage")) > 0 {
		t.Fatalf("asked with %q, %q, %q", parent, asked.Header.Peek("Tracestate"), asked.Header.Peek("Baggage"))
	}
	id, err := trace.TraceIDFromHex(strings.Split(parent, "-")[1])
	if err != nil {
		t.Fatal(err)
	}
	// The server's span ends after the response was sent.
	testkit.Eventually(t, 30*time.Second, func() error { return serverSpanLinks(id, theirs) })
}

// TestTraceOfATrustedCaller verifies that the trace of a trusted caller is continued and
// returned, and only of such a caller.
func TestTraceOfATrustedCaller(t *testing.T) {
	t.Parallel()
	const theirs = "5bf92f3577b34da6a3ce929d0e0e4737"
	for network, trusted := range map[string]bool{"127.0.0.0/8": true, "192.0.2.0/24": false} {
		s := start(t, recordedBy(spans), func(d *Deps) { d.TrustedCallers = []netip.Prefix{netip.MustParsePrefix(network)} })
		got := s.do(request{method: "GET", path: "/api/v2/events", token: alice, header: map[string]string{
			"Traceparent": "00-" + theirs + "-00f067aa0ba902b7-01", "X-Forwarded-For": "192.0.2.7",
		}})
		if got.status != 200 {
			t.Fatalf("%s: %d %s", network, got.status, got.body)
		}
		parent := string(s.services[api.Records].last(t).Header.Peek("Traceparent"))
		if strings.HasPrefix(parent, "00-"+theirs+"-") != trusted {
			t.Errorf("%s: asked with %q", network, parent)
		}
		if back := got.header.Get("Traceresponse"); strings.HasPrefix(back, "00-"+theirs+"-") != trusted || !trusted && back != "" {
			t.Errorf("%s: answered with the trace %q", network, back)
		}
	}
}

// spans are all spans of the tests of this package.
var spans = tracetest.NewInMemoryExporter()

// serverSpanLinks returns an error unless the server's span of a trace is a root span that
// links to the caller's.
func serverSpanLinks(id trace.TraceID, caller string) error {
	for _, s := range spans.GetSpans() {
		if s.SpanContext.TraceID() != id || s.SpanKind != trace.SpanKindServer {
			continue
		}
		switch {
		case s.Parent.IsValid():
			return errors.New("the span is no root")
		case len(s.Links) != 1 || s.Links[0].SpanContext.TraceID().String() != caller:
			return errors.New("the span is not linked to the caller's")
		case s.Name != "GET /api/v2/events":
			return errors.New("the span is called " + s.Name)
		}
		return nil
	}
	return errors.New("there is no span of the server")
}
