package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/trace"
)

// Logger returns the logger of a service: one JSON object per line on w, with the name
// of the service and, inside a span, trace_id and span_id. If the environment enables
// the logs signal, the same records are exported. The level is Info unless one is
// given.
func Logger(w io.Writer, service string, level ...slog.Leveler) *slog.Logger {
	var least slog.Leveler = slog.LevelInfo
	if len(level) > 0 && level[0] != nil {
		least = level[0]
	}
	var h slog.Handler = withTrace{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least})}
	h = h.WithAttrs([]slog.Attr{slog.String("service", service)})
	if lines, ok := w.(*Lines); ok {
		h = promptly{h, lines, startOf(service)}
	}
	if enabled(logs, os.Getenv) {
		h = fanout{h, atLeast{otelslog.NewHandler(scope), least}}
	}
	return slog.New(h)
}

// withTrace adds the ids of the current span to each record.
type withTrace struct{ slog.Handler }

func (h withTrace) Handle(ctx context.Context, r slog.Record) error {
	if sc := trace.SpanContextFromContext(ctx); sc.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", sc.TraceID().String()), slog.String("span_id", sc.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h withTrace) WithAttrs(a []slog.Attr) slog.Handler { return withTrace{h.Handler.WithAttrs(a)} }
func (h withTrace) WithGroup(name string) slog.Handler   { return withTrace{h.Handler.WithGroup(name)} }

// atLeast is a handler with a minimum level.
type atLeast struct {
	slog.Handler
	level slog.Leveler
}

func (h atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= h.level.Level() && h.Handler.Enabled(ctx, l)
}

func (h atLeast) WithAttrs(a []slog.Attr) slog.Handler {
	return atLeast{h.Handler.WithAttrs(a), h.level}
}
func (h atLeast) WithGroup(name string) slog.Handler {
	return atLeast{h.Handler.WithGroup(name), h.level}
}

// fanout passes each record to two handlers.
type fanout struct{ a, b slog.Handler }

func (f fanout) Enabled(ctx context.Context, l slog.Level) bool {
	return f.a.Enabled(ctx, l) || f.b.Enabled(ctx, l)
}

func (f fanout) Handle(ctx context.Context, r slog.Record) error {
	var errs []error
	for _, h := range []slog.Handler{f.a, f.b} {
		if h.Enabled(ctx, r.Level) {
			errs = append(errs, h.Handle(ctx, r.Clone()))
		}
	}
	return errors.Join(errs...)
}

func (f fanout) WithAttrs(a []slog.Attr) slog.Handler {
	return fanout{f.a.WithAttrs(a), f.b.WithAttrs(a)}
}
func (f fanout) WithGroup(name string) slog.Handler {
	return fanout{f.a.WithGroup(name), f.b.WithGroup(name)}
}
