package telemetry

import (
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// withoutPolling drops the spans of database calls that belong to no request and no
// task: polling makes many a second, each a useless trace of a single span. Their
// durations are still measured.
type withoutPolling struct{ sdktrace.SpanProcessor }

// OnEnd implements sdktrace.SpanProcessor.
func (p withoutPolling) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanKind() == trace.SpanKindClient && !s.Parent().IsValid() {
		return
	}
	p.SpanProcessor.OnEnd(s)
}
