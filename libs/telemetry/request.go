package telemetry

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Request is the content of the log line of a request. Empty fields are omitted, except
// for method, route and id.
type Request struct {
	At            time.Time // when it was answered
	Took          time.Duration
	Method, Route string
	Status        int
	ID            string
	Org, Actor    string // of the caller
	Code          string // of an error
	Error, Stack  string // of an internal error
}

// attrs appends the attributes of the line.
func (r *Request) attrs(to []slog.Attr) []slog.Attr {
	to = append(to, slog.String("method", r.Method), slog.String("route", r.Route), slog.Int("status", r.Status),
		slog.Float64("ms", r.ms()), slog.String("request_id", r.ID))
	for _, a := range []slog.Attr{slog.String("org", r.Org), slog.String("actor", r.Actor), slog.String("code", r.Code), slog.String("error", r.Error), slog.String("stack", r.Stack)} {
		if a.Value.String() != "" {
			to = append(to, a)
		}
	}
	return to
}

func (r *Request) ms() float64 { return float64(r.Took.Microseconds()) / 1000 }

// LogRequest writes the log line of a request. A line of level Info to Lines is
// formatted directly: a slog.Record takes four times as long.
func LogRequest(ctx context.Context, log *slog.Logger, level slog.Level, r Request) {
	h := log.Handler()
	if !h.Enabled(ctx, level) {
		return
	}
	if p, ok := h.(promptly); ok && level == slog.LevelInfo && p.start != "" && r.plain() && !trace.SpanContextFromContext(ctx).IsValid() {
		_ = p.lines.addRequest(&r, p.start) // an error cannot be reported anywhere
		return
	}
	// Without a source position: it would be the same for all of these lines.
	record := slog.NewRecord(r.At, level, RequestMessage, 0)
	record.AddAttrs(r.attrs(make([]slog.Attr, 0, 10))...)
	_ = h.Handle(ctx, record)
}

// startOf returns the prefix of a service's request lines after the time.
func startOf(service string) string {
	if !plain(service) {
		return ""
	}
	return `","level":"INFO","msg":"` + RequestMessage + `","service":"` + service + `","method":"`
}

// plain reports whether the line can be formatted directly.
func (r *Request) plain() bool {
	return r.Error == "" && r.Stack == "" && plain(r.Method) && plain(r.Route) && plain(r.ID) && plain(r.Org) && plain(r.Actor) && plain(r.Code)
}

// plain reports whether JSON needs no escapes for s.
func plain(s string) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// If x has a byte less than n, for n up to 0x80, then x-n*each has the top bit
		// of such a byte set where x has not; if x has none, it has no such bit.
		quote, backslash := w^'"'*each, w^'\\'*each
		if (w|(w-' '*each)&^w|(quote-each)&^quote|(backslash-each)&^backslash)&top != 0 {
			return false
		}
	}
	for i := range len(s) {
		if b := s[i]; b < ' ' || b >= 0x80 || b == '"' || b == '\\' {
			return false
		}
	}
	return true
}

// append appends the line of a plain request, formatted as slog.JSONHandler would.
func (r *Request) append(to []byte, start string, s *stamp) []byte {
	to = append(to, `{"time":"`...)
	to = s.append(to, r.At)
	to = append(to, start...)
	to = append(to, r.Method...)
	to = append(to, `","route":"`...)
	to = append(to, r.Route...)
	to = append(to, `","status":`...)
	to = strconv.AppendInt(to, int64(r.Status), 10)
	to = append(to, `,"ms":`...)
	to = appendThousandths(to, r.Took.Microseconds())
	to = append(to, `,"request_id":"`...)
	to = append(to, r.ID...)
	if r.Org != "" {
		to = append(append(to, `","org":"`...), r.Org...)
	}
	if r.Actor != "" {
		to = append(append(to, `","actor":"`...), r.Actor...)
	}
	if r.Code != "" {
		to = append(append(to, `","code":"`...), r.Code...)
	}
	return append(to, "\"}\n"...)
}
