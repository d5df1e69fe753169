package telemetry

import (
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// withoutPolling passes on all spans but those of calls to a database that belong
// to no request and no task: what polls makes many a second, each a trace of one
// span that nobody would look at. Their durations are measured all the same.
type withoutPolling struct{ sdktrace.SpanProcessor }

// OnEnd implements sdktrace.SpanProcessor.
func (p withoutPolling) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanKind() == trace.SpanKindClient && !s.Parent().IsValid() {
		return
	}
	p.SpanProcessor.OnEnd(s)
}
