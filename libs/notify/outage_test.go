package notify_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// lockedLog may be written to while it is read.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// An outage of Redis is two lines of the workers: the loops of the queue's library, which
// log each try, have none.
func TestAnOutageOfTheQueueIsTwoLines(t *testing.T) {
	t.Parallel()
	opt, server := open(t)
	var log lockedLog
	serveLogging(t, opt, slog.New(slog.NewTextHandler(&log, nil)), func(context.Context, record.OrgID, record.EventID) error { return nil })
	has := func(text string) {
		t.Helper()
		testkit.Eventually(t, time.Minute, func() error {
			if !strings.Contains(log.String(), text) {
				return fmt.Errorf("there is no line %q in\n%s", text, log.String())
			}
			return nil
		})
	}
	server.Stop()
	has("the queue of recalculations fails")
	server.Start()
	has("the queue of recalculations works again")
	if lines := strings.Count(log.String(), "\n"); lines != 2 {
		t.Errorf("%d lines of an outage:\n%s", lines, log.String())
	}
}
