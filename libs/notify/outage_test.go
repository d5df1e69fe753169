package notify_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAnOutageOfTheQueueIsTwoLines verifies that an outage of Redis makes two log lines,
// without those of asynq's loops.
func TestAnOutageOfTheQueueIsTwoLines(t *testing.T) {
	t.Parallel()
	opt, server := open(t)
	var log lines
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
