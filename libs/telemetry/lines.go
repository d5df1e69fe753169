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
	// linesRoom is how many bytes of them wait until they are written. Requests go on
	// meanwhile, up to linesMost: then they wait for whoever reads the log.
	linesRoom = 32 << 10
	linesMost = 8 * linesRoom
)

// Lines is a log to which the lines of requests are written together, and by none of them: one
// write for each of thousands a second takes more than making them, and the request that made
// one would wait for whoever reads the log. Any other line, and any above the level Info, is
// written at once, with those before it. A process that is killed loses the lines of the
// requests that it has answered in the last tenth of a second.
type Lines struct {
	// writing is held by who writes, so that lines keep their order. It is taken before mu.
	writing sync.Mutex
	to      io.Writer
	spare   []byte // the buffer that does not take lines

	mu    sync.Mutex
	lines []byte
	stamp stamp
	due   bool // they are about to be written
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

// Write implements io.Writer: it takes a line.
func (l *Lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.room()
	before := len(l.lines)
	l.lines = append(l.lines, line...)
	l.schedule(before)
	return len(line), err
}

// addRequest appends the line of a plain request to those that wait.
func (l *Lines) addRequest(r *Request, start string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.room()
	before := len(l.lines)
	l.lines = r.append(l.lines, start, &l.stamp)
	l.schedule(before)
	return err
}

// room waits, with mu held, until there is room for one more line.
func (l *Lines) room() (err error) {
	if len(l.lines) >= linesMost {
		l.mu.Unlock()
		err = l.flush()
		l.mu.Lock()
	}
	return err
}

// schedule has a line written that was appended to lines of so many bytes.
func (l *Lines) schedule(before int) {
	switch {
	case before == 0:
		l.later.Reset(linesWait)
	case len(l.lines) > linesRoom && !l.due:
		l.due = true
		l.later.Reset(0)
	}
}

// Flush writes the lines that wait.
func (l *Lines) Flush() { _ = l.flush() } // there is nowhere to say so

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
