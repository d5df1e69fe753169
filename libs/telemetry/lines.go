package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// RequestMessage is the message of the log line of a request.
const RequestMessage = "request"

const (
	// linesWait is how long the log line of a request is buffered at most.
	linesWait = 100 * time.Millisecond
	// linesRoom is the number of buffered bytes at which they are written. Requests
	// continue meanwhile, up to linesMost; beyond that they wait for the reader of the
	// log.
	linesRoom = 32 << 10
	linesMost = 8 * linesRoom
)

// Lines is a log that buffers the lines of requests and writes them in batches, outside
// of the requests: at thousands a second a write for each would cost more than
// formatting it, and requests would wait for the reader of the log. Any other line, and
// any above level Info, is written at once, after the buffered ones. A killed process
// loses the request lines of the last tenth of a second.
type Lines struct {
	// writing is held while writing, so that the order of lines is kept. It is acquired
	// before mu.
	writing sync.Mutex
	to      io.Writer
	spare   []byte // the buffer not in use

	mu    sync.Mutex
	lines []byte
	stamp stamp
	due   bool // a write is scheduled
	later interface{ Reset(d time.Duration) bool }
}

// NewLines returns a log that writes to w.
func NewLines(w io.Writer) *Lines {
	l := &Lines{to: w}
	timer := time.AfterFunc(time.Hour, l.Flush)
	timer.Stop()
	l.later = timer
	return l
}

// Write implements io.Writer. It expects one line.
func (l *Lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.room()
	before := len(l.lines)
	l.lines = append(l.lines, line...)
	l.schedule(before)
	return len(line), err
}

// addRequest buffers the line of a plain request.
func (l *Lines) addRequest(r *Request, start string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.room()
	before := len(l.lines)
	l.lines = r.append(l.lines, start, &l.stamp)
	l.schedule(before)
	return err
}

// room waits, with mu held, until there is room for another line.
func (l *Lines) room() (err error) {
	if len(l.lines) >= linesMost {
		l.mu.Unlock()
		err = l.flush()
		l.mu.Lock()
	}
	return err
}

// schedule schedules a write of the buffer after a line was appended; before is the
// previous length.
func (l *Lines) schedule(before int) {
	switch {
	case before == 0:
		l.later.Reset(linesWait)
	case len(l.lines) > linesRoom && !l.due:
		l.due = true
		l.later.Reset(0)
	}
}

// Flush writes the buffered lines.
func (l *Lines) Flush() { _ = l.flush() } // an error cannot be reported anywhere

func (l *Lines) flush() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	lines := l.lines
	l.lines, l.due = l.spare[:0], false
	l.mu.Unlock()
	l.spare = lines
	if len(lines) == 0 {
		return nil
	}
	_, err := l.to.Write(lines)
	return err
}

// promptly is the handler that writes other lines at once.
type promptly struct {
	slog.Handler
	lines *Lines
	start string // prefix of the line of a request, after its time; empty if the line has other attributes
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
