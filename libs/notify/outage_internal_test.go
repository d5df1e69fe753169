package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/telemetry"
)

// answer is an error returned by a server.
type answer string

func (a answer) Error() string { return string(a) }
func (answer) RedisError()     {}

func TestWhatAServerAnswersIsNoOutageUnlessItDoesNotServe(t *testing.T) {
	t.Parallel()
	for err, outage := range map[error]bool{
		redis.Nil: false, answer("NOSCRIPT No matching script"): false, answer("WRONGTYPE no list"): false, redis.ErrClosed: false,
		answer("OOM command not allowed"): true, answer("READONLY You can't write"): true, answer("LOADING Redis is loading"): true,
		answer("NOAUTH Authentication required."): true, errors.New("connection refused"): true,
	} {
		var log bytes.Buffer
		of := telemetry.NewOutage(slog.New(slog.NewTextHandler(&log, nil)), nil, "the queue")
		command := reached{of}.ProcessHook(func(context.Context, redis.Cmder) error { return err })
		if got := command(t.Context(), nil); !errors.Is(got, err) {
			t.Errorf("%v is returned as %v", err, got)
		}
		if of.Lasts() != outage || strings.Contains(log.String(), "fails") != outage {
			t.Errorf("%v: an outage: %t, want %t", err, of.Lasts(), outage)
		}
	}
}

// TestLinesOfTheLibrary verifies that asynq's messages are logged rarely per kind, and not
// during an outage.
func TestLinesOfTheLibrary(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	of := telemetry.NewOutage(slog.New(slog.DiscardHandler), nil, "the queue")
	l := &asynqLog{log: logger, outage: of}
	for i := range 10 {
		l.Error(fmt.Sprintf("Dequeue error: of %d", i))
		l.Warn("recoverer: no")
		l.Info("Starting processing")
	}
	if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "asynq: Dequeue error: of 0") {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
	log.Reset()
	of.Report(t.Context(), errors.New("refused"))
	l.Error("Failed to write server state data: refused")
	l.Fatal("it is over: refused")
	if log.Len() > 0 {
		t.Errorf("logged in an outage:\n%s", log.String())
	}
}
