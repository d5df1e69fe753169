package telemetry

import (
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// TestPollingMakesNoTraces verifies that database calls of polling have no spans, and those of
// a request do.
func TestPollingMakesNoTraces(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(withoutPolling{recorder})).Tracer("test")
	_, polled := tracer.Start(t.Context(), "find users", trace.WithSpanKind(trace.SpanKindClient))
	polled.End()
	ctx, request := tracer.Start(t.Context(), "GET /events", trace.WithSpanKind(trace.SpanKindServer))
	_, asked := tracer.Start(ctx, "find events", trace.WithSpanKind(trace.SpanKindClient))
	asked.End()
	request.End()
	var names []string
	for _, s := range recorder.Ended() {
		names = append(names, s.Name())
	}
	if len(names) != 2 || names[0] != "find events" || names[1] != "GET /events" {
		t.Errorf("spans %q", names)
	}
}
