package telemetry

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Request is what the line of a request says. What is empty is left out, but for the method,
// the route and the id.
type Request struct {
	At            time.Time // when it had been answered
	Took          time.Duration
	Method, Route string
	Status        int
	ID            string
	Org, Actor    string // of the caller
	Code          string // of an error
	Error, Stack  string // of one that is ours
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

// LogRequest writes the line of a request. A line of the level Info to Lines is put together
// in place: there is one for each request, and by way of a record it takes four times as long.
func LogRequest(ctx context.Context, log *slog.Logger, level slog.Level, r Request) {
	h := log.Handler()
	if !h.Enabled(ctx, level) {
		return
	}
	if p, ok := h.(promptly); ok && level == slog.LevelInfo && p.start != "" && r.plain() && !trace.SpanContextFromContext(ctx).IsValid() {
		_ = p.lines.addRequest(&r, p.start) // there is nowhere to say so
		return
	}
	// Of no place in a program: all of these lines are of the same one.
	record := slog.NewRecord(r.At, level, RequestMessage, 0)
	record.AddAttrs(r.attrs(make([]slog.Attr, 0, 10))...)
	_ = h.Handle(ctx, record)
}

// startOf returns how the line of a request of a service goes on after its time.
func startOf(service string) string {
	if !plain(service) {
		return ""
	}
	return `","level":"INFO","msg":"` + RequestMessage + `","service":"` + service + `","method":"`
}

// plain reports whether the line can be put together in place.
func (r *Request) plain() bool {
	return r.Error == "" && r.Stack == "" && plain(r.Method) && plain(r.Route) && plain(r.ID) && plain(r.Org) && plain(r.Actor) && plain(r.Code)
}

// plain reports whether a text is written as it is in JSON.
func plain(s string) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// Where x has a byte that is less than n, and n is at most 0x80, x-n*each has the top
		// bit of such a byte, which x has not; it has no such bit where x has none.
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

// append appends the line of a plain request, as slog.JSONHandler writes it.
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
