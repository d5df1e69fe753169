package telemetry

import (
	"io"
	"log/slog"
	"time"
)

// ErrorHandler logs errors of the telemetry itself: one line every RemindEvery, with
// the number of errors since, and never to the exported logs, where each line about an
// unreachable collector would be another record that cannot be exported.
type ErrorHandler struct {
	log    *slog.Logger
	seldom *LineLimiter
}

// NewErrorHandler returns an otel.ErrorHandler that writes JSON lines to w.
func NewErrorHandler(w io.Writer, service string, now func() time.Time) *ErrorHandler {
	return &ErrorHandler{log: slog.New(slog.NewJSONHandler(w, nil)).With("service", service), seldom: NewLineLimiter(now)}
}

// Handle implements otel.ErrorHandler.
func (h *ErrorHandler) Handle(err error) {
	if skipped, ok := h.seldom.Take(""); ok {
		h.log.Warn("telemetry", "error", Redact(err.Error()), "skipped", skipped)
	}
}
