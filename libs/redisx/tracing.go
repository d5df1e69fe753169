package redisx

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// traced adds a client span for each command or pipeline that belongs to a request or a task, but not for polling.
// Spans contain no arguments: keys and values contain ids.
type traced struct {
	tracer trace.Tracer
	where  []attribute.KeyValue
}

// instrument has the commands of a client traced and returns it. Address is empty
// where several servers may answer.
func instrument(client redis.UniversalClient, address string, database int) redis.UniversalClient {
	t := &traced{
		tracer: otel.Tracer("github.com/eventcarbon/ecf/libs/redisx"),
		where:  []attribute.KeyValue{semconv.DBSystemNameRedis, semconv.DBNamespace(strconv.Itoa(database))},
	}
	if host, port, err := net.SplitHostPort(address); err == nil {
		t.where = append(t.where, semconv.ServerAddress(host))
		if n, err := strconv.Atoi(port); err == nil {
			t.where = append(t.where, semconv.ServerPort(n))
		}
	}
	client.AddHook(t)
	return client
}

// DialHook implements redis.Hook.
func (t *traced) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (t *traced) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, span := t.start(ctx, strings.ToUpper(cmd.FullName()))
		err := next(ctx, cmd)
		end(span, err)
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (t *traced) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		ctx, span := t.start(ctx, "PIPELINE", semconv.DBOperationBatchSize(len(commands)))
		err := next(ctx, commands)
		end(span, err)
		return err
	}
}

// start begins a child span of that of the context; without one it returns one that records nothing.
func (t *traced) start(ctx context.Context, operation string, attrs ...attribute.KeyValue) (context.Context, trace.Span) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, trace.SpanFromContext(ctx)
	}
	return t.tracer.Start(ctx, operation, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(t.where...), trace.WithAttributes(append(attrs, semconv.DBOperationName(operation))...))
}

func end(span trace.Span, err error) {
	// A missing key is not an error.
	if err != nil && !errors.Is(err, redis.Nil) {
		kind := errorKind(err)
		span.SetAttributes(semconv.ErrorTypeKey.String(kind))
		span.SetStatus(codes.Error, kind)
	}
	span.End()
}

// errorKind classifies a failure with few values and without its text: that of the server begins with a word for its
// kind, such as OOM.
func errorKind(err error) string {
	var network net.Error
	var server redis.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timeout"
	case errors.As(err, &server):
		kind, _, _ := strings.Cut(server.Error(), " ")
		if kind != "" && strings.Trim(kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			return kind
		}
		return "command_failed"
	}
	return "network"
}
