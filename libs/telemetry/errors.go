package telemetry

import (
	"io"
	"log/slog"
	"sync"
	"time"
)

// errorLogEvery is how often failures of the telemetry itself are logged.
const errorLogEvery = time.Minute

// ErrorHandler logs what fails in the telemetry itself: at most one line a
// minute, with the number of failures since, and never into the exported logs,
// where each line about a collector that is away would be one more record that
// cannot be exported.
type ErrorHandler struct {
	log *slog.Logger
	now func() time.Time

	mu      sync.Mutex
	logged  time.Time
	skipped int
}

// NewErrorHandler returns an otel.ErrorHandler that writes JSON lines to w.
func NewErrorHandler(w io.Writer, service string, now func() time.Time) *ErrorHandler {
	return &ErrorHandler{log: slog.New(slog.NewJSONHandler(w, nil)).With("service", service), now: now}
}

// Handle implements otel.ErrorHandler.
func (h *ErrorHandler) Handle(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	if age := now.Sub(h.logged); !h.logged.IsZero() && age >= 0 && age < errorLogEvery {
		h.skipped++
		return
	}
	h.log.Warn("telemetry", "error", Redact(err.Error()), "skipped", h.skipped)
	h.logged, h.skipped = now, 0
}
