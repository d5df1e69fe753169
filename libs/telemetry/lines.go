package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// RequestMessage is the message of the line that each request makes.
const RequestMessage = "request"

const (
	// linesWait is how long a line of a request waits for others at most.
	linesWait = 100 * time.Millisecond
	// linesRoom is how many bytes of them wait.
	linesRoom = 32 << 10
)

// Lines is a log to which the lines of requests are written together: one write for each of
// thousands a second takes more than making them. Any other line, and any above the level
// Info, is written at once, with those before it. A process that is killed loses the lines
// of the requests that it has answered in the last tenth of a second.
type Lines struct {
	mu    sync.Mutex
	to    io.Writer
	lines []byte
	room  []byte // where the line of a request is put together
	later interface{ Reset(d time.Duration) bool }
}

// NewLines returns a log that writes to w.
func NewLines(w io.Writer) *Lines {
	l := &Lines{to: w, lines: make([]byte, 0, linesRoom)}
	timer := time.AfterFunc(time.Hour, l.Flush)
	timer.Stop()
	l.later = timer
	return l
}

// Write implements io.Writer: it takes a line.
func (l *Lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.take(line); err != nil {
		return 0, err
	}
	return len(line), nil
}

// take puts a line behind those that wait.
func (l *Lines) take(line []byte) error {
	if len(l.lines)+len(line) > linesRoom {
		if err := l.flush(); err != nil {
			return err
		}
	}
	if len(l.lines) == 0 {
		l.later.Reset(linesWait)
	}
	l.lines = append(l.lines, line...)
	return nil
}

// Flush writes the lines that wait.
func (l *Lines) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.flush() // there is nowhere to say so
}

func (l *Lines) flush() error {
	if len(l.lines) == 0 {
		return nil
	}
	_, err := l.to.Write(l.lines)
	l.lines = l.lines[:0]
	return err
}

// promptly writes what does not wait.
type promptly struct {
	slog.Handler
	lines *Lines
	start string // of the line of a request, after its time; empty where it has more than Request
}

// Handle implements slog.Handler.
func (h promptly) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level > slog.LevelInfo || r.Message != RequestMessage {
		h.lines.Flush()
	}
	return err
}

// WithAttrs implements slog.Handler.
func (h promptly) WithAttrs(a []slog.Attr) slog.Handler {
	return promptly{Handler: h.Handler.WithAttrs(a), lines: h.lines}
}

// WithGroup implements slog.Handler.
func (h promptly) WithGroup(name string) slog.Handler {
	return promptly{Handler: h.Handler.WithGroup(name), lines: h.lines}
}
