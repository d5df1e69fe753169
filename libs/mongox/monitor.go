package mongox

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"
	"go.opentelemetry.io/otel/trace"
)

// monitorScope names the instrumentation in traces and metrics.
const monitorScope = "github.com/eventcarbon/ecf/libs/mongox"

// NewMonitor returns a monitor that records a client span and the duration of each MongoDB command. Neither contains
// the command, whose filter has ids and emails. Heartbeats and handshakes are omitted.
func NewMonitor() *event.CommandMonitor {
	duration, err := dbconv.NewClientOperationDuration(otel.Meter(monitorScope),
		metric.WithExplicitBucketBoundaries(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	if err != nil {
		otel.Handle(err)
	}
	m := &monitor{tracer: otel.Tracer(monitorScope), duration: duration}
	return &event.CommandMonitor{
		Started: m.started,
		Succeeded: func(ctx context.Context, e *event.CommandSucceededEvent) {
			m.finished(ctx, &e.CommandFinishedEvent, nil)
		},
		Failed: func(ctx context.Context, e *event.CommandFailedEvent) {
			m.finished(ctx, &e.CommandFinishedEvent, e.Failure)
		},
	}
}

type monitor struct {
	tracer   trace.Tracer
	duration dbconv.ClientOperationDuration
	running  sync.Map // commandKey → runningCommand; each entry ends with its command
}

type commandKey struct {
	connection string
	request    int64
}

type runningCommand struct {
	span  trace.Span
	attrs []attribute.KeyValue
}

func (m *monitor) started(ctx context.Context, e *event.CommandStartedEvent) {
	if isHousekeeping(e.CommandName) {
		return
	}
	collection := collectionOf(e.CommandName, e.Command)
	attrs := []attribute.KeyValue{
		m.duration.AttrNamespace(e.DatabaseName),
		m.duration.AttrOperationName(e.CommandName),
	}
	name := e.CommandName
	if collection != "" {
		attrs = append(attrs, m.duration.AttrCollectionName(collection))
		name += " " + collection
	}
	attrs = append(attrs, serverOf(e.ConnectionID)...)
	_, span := m.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(semconv.DBSystemNameMongoDB), trace.WithAttributes(attrs...))
	m.running.Store(commandKey{e.ConnectionID, e.RequestID}, runningCommand{span, attrs})
}

func (m *monitor) finished(ctx context.Context, e *event.CommandFinishedEvent, failure error) {
	v, ok := m.running.LoadAndDelete(commandKey{e.ConnectionID, e.RequestID})
	if !ok {
		return
	}
	cmd := v.(runningCommand)
	attrs := cmd.attrs
	if failure != nil {
		kind := errorKind(failure)
		attrs = append(attrs, m.duration.AttrErrorType(dbconv.ErrorTypeAttr(kind)))
		cmd.span.SetAttributes(semconv.ErrorTypeKey.String(kind))
		cmd.span.SetStatus(codes.Error, kind)
		if se, ok := errors.AsType[mongo.ServerError](failure); ok {
			if list := se.ErrorCodes(); len(list) > 0 {
				cmd.span.SetAttributes(semconv.DBResponseStatusCode(strconv.Itoa(list[0])))
			}
		}
	}
	cmd.span.End()
	m.duration.Record(trace.ContextWithSpan(ctx, cmd.span), e.Duration.Seconds(), dbconv.SystemNameMongoDB, attrs...)
}

// errorKind classifies a failure with few values and without its text.
func errorKind(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded), mongo.IsTimeout(err):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case mongo.IsDuplicateKeyError(err):
		return "duplicate_key"
	case mongo.IsNetworkError(err):
		return "network"
	}
	return "command_failed"
}

// isHousekeeping reports whether the driver sends a command for itself. Authentication is included: its commands
// contain secrets and are not part of requests.
func isHousekeeping(command string) bool {
	switch command {
	case "hello", "isMaster", "ismaster", "ping", "buildInfo", "endSessions",
		"saslStart", "saslContinue", "authenticate", "getnonce":
		return true
	}
	return false
}

// collectionOf reads the collection a command is about: the value of its first
// element, or for getMore its field "collection".
func collectionOf(name string, command bson.Raw) string {
	field := name
	if name == "getMore" {
		field = "collection"
	}
	value, err := command.LookupErr(field)
	if err != nil {
		return ""
	}
	s, _ := value.StringValueOK()
	return s
}

// serverOf reads "host:port[-n]".
func serverOf(connection string) []attribute.KeyValue {
	end := len(connection)
	if connection != "" && connection[end-1] == ']' {
		for i := end - 1; i > 0; i-- {
			if connection[i] == '[' && connection[i-1] != '/' {
				end = i
				break
			}
		}
	}
	host, port, err := net.SplitHostPort(connection[:end])
	if err != nil {
		return nil
	}
	attrs := []attribute.KeyValue{semconv.ServerAddress(host)}
	if n, err := strconv.Atoi(port); err == nil {
		attrs = append(attrs, semconv.ServerPort(n))
	}
	return attrs
}
