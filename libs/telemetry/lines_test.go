package telemetry_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// writes records each write.
type writes struct {
	mu  sync.Mutex
	all []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, string(p))
	return len(p), nil
}

// take returns the writes since the previous call.
func (w *writes) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// TestLinesOfRequestsAreWrittenTogether verifies that request lines are buffered for a while,
// and any other line is written at once, after them, as are errors.
func TestLinesOfRequestsAreWrittenTogether(t *testing.T) {
	t.Parallel()
	to := &writes{}
	lines := telemetry.NewLines(to)
	log := telemetry.Logger(lines, "test")
	const few = 10
	for n := range few {
		log.Info(telemetry.RequestMessage, "n", n)
	}
	testkit.Eventually(t, 20*time.Second, func() error {
		written := to.take()
		if len(written) == 0 {
			return errors.New("nothing was written")
		}
		if len(written) != 1 || strings.Count(written[0], "\n") != few {
			t.Errorf("%d writes: %q", len(written), written)
		}
		return nil
	})
	for text, other := range map[string]func(){
		"something else": func() { log.Info("something else") },
		"WARN":           func() { log.With("a", 1).WithGroup("g").Warn(telemetry.RequestMessage) },
		"":               func() { lines.Flush() },
	} {
		log.Info(telemetry.RequestMessage, "n", "before")
		other()
		written := strings.Join(to.take(), "")
		before, after := strings.Index(written, `"n":"before"`), strings.LastIndex(written, text)
		if before < 0 || after < before {
			t.Errorf("%q is not written at once, behind what waited: %q", text, written)
		}
	}
}

// TestManyLinesDoNotWait verifies that the buffer is bounded, and lines keep their order.
func TestManyLinesDoNotWait(t *testing.T) {
	t.Parallel()
	to := &writes{}
	lines := telemetry.NewLines(to)
	log := telemetry.Logger(lines, "test")
	const many = 20_000
	for n := range many {
		log.Info(telemetry.RequestMessage, "n", n)
	}
	lines.Flush()
	written := to.take()
	text := strings.Join(written, "")
	if len(written) < 3 || len(written) > many/10 || strings.Count(text, "\n") != many {
		t.Fatalf("%d lines in %d writes", strings.Count(text, "\n"), len(written))
	}
	n := 0
	for line := range strings.Lines(text) {
		if !strings.Contains(line, fmt.Sprintf(`"n":%d}`, n)) {
			t.Fatalf("line %d: %s", n, line)
		}
		n++
	}
	for _, w := range written {
		if !strings.HasSuffix(w, "\n") || len(w) > 257<<10 {
			t.Errorf("a write of %d bytes ends with %q", len(w), w[len(w)-10:])
		}
	}
}

// slow is a log that is not read until it is opened.
type slow struct {
	writes
	open chan struct{}
}

func (s *slow) Write(p []byte) (int, error) {
	<-s.open
	return s.writes.Write(p)
}

// TestRequestsDoNotWaitForTheReaderOfTheLog verifies that requests continue while lines are
// written, until a few thousand are buffered.
func TestRequestsDoNotWaitForTheReaderOfTheLog(t *testing.T) {
	t.Parallel()
	to := &slow{open: make(chan struct{})}
	lines := telemetry.NewLines(to)
	log := telemetry.Logger(lines, "test")
	var went atomic.Int64
	done := make(chan struct{})
	const many = 20_000
	go func() {
		defer close(done)
		for n := range many {
			log.Info(telemetry.RequestMessage, "n", n)
			went.Add(1)
		}
	}()
	testkit.Eventually(t, 20*time.Second, func() error {
		if n := went.Load(); n < 1000 {
			return fmt.Errorf("%d lines went on while none was read", n)
		}
		return nil
	})
	close(to.open)
	<-done
	lines.Flush()
	all := to.take()
	if n := strings.Count(strings.Join(all, ""), "\n"); n != many {
		t.Errorf("%d lines were written", n)
	}
	for _, w := range all {
		if len(w) > 257<<10 {
			t.Errorf("%d bytes waited", len(w))
		}
	}
}
