package redisx

import (
	"context"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// Commands of a request are spans by the present conventions, of the cache's client
// and of the queue's; what polls makes no trace, and no argument is on any span.
func TestCommandsAreTraced(t *testing.T) { //nolint:paralleltest // sets the tracer of the process
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(provider)
	defer otel.SetTracerProvider(before)
	url, _ := testkit.Redis(t)
	cache, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cache.Close() }()
	opt, err := AsynqOpt(url)
	if err != nil {
		t.Fatal(err)
	}
	queue := opt.MakeRedisClient().(redis.UniversalClient)
	defer func() { _ = queue.Close() }()

	work := func(ctx context.Context) {
		for _, client := range []redis.UniversalClient{cache, queue} {
			_ = client.Get(ctx, "no-such-key").Err()
			_ = client.Set(ctx, "secret-key", "secret-value", 0).Err()
			_ = client.LPush(ctx, "secret-key", "x").Err() // of another kind
			pipe := client.Pipeline()
			pipe.Incr(ctx, "counter")
			pipe.Incr(ctx, "counter")
			_, _ = pipe.Exec(ctx)
		}
	}
	work(t.Context()) // belongs to nothing
	if made := recorder.Ended(); len(made) != 0 {
		t.Errorf("polling made %d spans, such as %s", len(made), made[0].Name())
	}
	ctx, parent := provider.Tracer("test").Start(t.Context(), "request")
	work(ctx)
	parent.End()
	var names []string
	for _, s := range recorder.Ended() {
		if s.Name() == "request" {
			continue
		}
		names = append(names, s.Name())
		if s.SpanKind() != trace.SpanKindClient || s.Parent().SpanID() != parent.SpanContext().SpanID() {
			t.Errorf("%s is no client's span of the request", s.Name())
		}
		got := map[attribute.Key]string{}
		for _, a := range s.Attributes() {
			got[a.Key] = a.Value.String()
		}
		want := map[attribute.Key]string{"db.system.name": "redis", "db.namespace": "0", "db.operation.name": s.Name(), "server.address": "127.0.0.1"}
		if s.Name() == "LPUSH" {
			want["error.type"] = "WRONGTYPE"
		}
		if s.Name() == "PIPELINE" {
			want["db.operation.batch.size"] = "2"
		}
		want["server.port"] = got["server.port"]
		if len(got) != len(want) || got["server.port"] == "" {
			t.Errorf("%s has %v, want %v", s.Name(), got, want)
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s: %s is %q, want %q", s.Name(), key, got[key], value)
			}
		}
	}
	if want := []string{"GET", "SET", "LPUSH", "PIPELINE", "GET", "SET", "LPUSH", "PIPELINE"}; !slices.Equal(names, want) {
		t.Errorf("spans %v, want %v", names, want)
	}
}
