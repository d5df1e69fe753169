package telemetry

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// The messaging conventions are still in development: all their names that we use are
// in this file.

// InjectHeaders returns task headers that carry the trace of ctx to the consumer; never
// nil.
func InjectHeaders(ctx context.Context) map[string]string {
	headers := map[string]string{}
	otel.GetTextMapPropagator().Inject(ctx, propagation.MapCarrier(headers))
	return headers
}

// extractHeaders returns ctx with the trace in the headers of a task.
func extractHeaders(ctx context.Context, headers map[string]string) context.Context {
	return otel.GetTextMapPropagator().Extract(ctx, propagation.MapCarrier(headers))
}

// StartProducer starts the span of enqueueing a task, whose headers are to be injected
// from the returned context.
func StartProducer(ctx context.Context, queue string) (context.Context, trace.Span) {
	return otel.Tracer(scope).Start(ctx, "send "+queue, trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(
			semconv.MessagingSystemKey.String("asynq"),
			semconv.MessagingOperationTypeSend,
			semconv.MessagingOperationName("send"),
			semconv.MessagingDestinationName(queue),
		))
}

// StartConsumer starts the span of processing a task of the named queue. The producer's
// span is its parent, so that there is one trace, and also a link, for tools that split
// traces at the queue. Finish ends it.
func StartConsumer(ctx context.Context, headers map[string]string, queue string) (context.Context, trace.Span) {
	ctx = extractHeaders(ctx, headers)
	opts := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(
			semconv.MessagingSystemKey.String("asynq"),
			semconv.MessagingOperationTypeProcess,
			semconv.MessagingOperationName("process"),
			semconv.MessagingDestinationName(queue),
		),
	}
	if producer := trace.SpanContextFromContext(ctx); producer.IsValid() {
		opts = append(opts, trace.WithLinks(trace.Link{SpanContext: producer}))
	}
	return otel.Tracer(scope).Start(ctx, "process "+queue, opts...)
}

// Finish ends a span with the outcome of its work. It omits the text of the error,
// which may contain confidential data.
func Finish(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, "failed")
	}
	span.End()
}
