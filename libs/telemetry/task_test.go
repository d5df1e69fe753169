package telemetry

import (
	"errors"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

func TestTaskSpans(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	clean(t)
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)))
	otel.SetTextMapPropagator(propagation.TraceContext{})

	ctx, producer := StartProducer(t.Context(), "recalc")
	headers := InjectHeaders(ctx)
	Finish(producer, nil)
	_, consumer := StartConsumer(t.Context(), headers, "recalc")
	Finish(consumer, errors.New("secret"))
	_, alone := StartConsumer(t.Context(), nil, "recalc")
	Finish(alone, nil)

	ended := spans.Ended()
	send, process, other := ended[0], ended[1], ended[2]
	if send.Name() != "send recalc" || send.SpanKind() != trace.SpanKindProducer {
		t.Errorf("producer %s %s", send.Name(), send.SpanKind())
	}
	if process.Name() != "process recalc" || process.SpanKind() != trace.SpanKindConsumer || process.Parent().SpanID() != send.SpanContext().SpanID() {
		t.Errorf("consumer %s %s below %s", process.Name(), process.SpanKind(), process.Parent().SpanID())
	}
	if len(process.Links()) != 1 || process.Links()[0].SpanContext.SpanID() != send.SpanContext().SpanID() {
		t.Errorf("links %v", process.Links())
	}
	if process.Status().Code.String() != "Error" || process.Status().Description == "secret" {
		t.Errorf("status %v", process.Status())
	}
	got := attrs(process.Attributes())
	for k, want := range map[string]string{"messaging.system": "asynq", "messaging.operation.type": "process", "messaging.operation.name": "process", "messaging.destination.name": "recalc"} {
		if got[k] != want {
			t.Errorf("%s = %q, want %q", k, got[k], want)
		}
	}
	if other.Parent().IsValid() || len(other.Links()) != 0 {
		t.Errorf("a task without a trace has the parent %v", other.Parent())
	}
}

func attrs(list []attribute.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range list {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}
