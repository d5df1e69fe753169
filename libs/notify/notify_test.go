package notify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// runs counts the calls of the handler.
type runs struct {
	mu     sync.Mutex
	events []record.EventID
	traces []trace.TraceID
}

func (r *runs) add(ctx context.Context, e record.EventID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	r.traces = append(r.traces, trace.SpanContextFromContext(ctx).TraceID())
}

func (r *runs) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

func serve(t *testing.T, opt asynq.RedisConnOpt, handle func(context.Context, record.OrgID, record.EventID) error) {
	t.Helper()
	serveLogging(t, opt, quiet(), handle)
}

func serveLogging(t *testing.T, opt asynq.RedisConnOpt, log *slog.Logger, handle func(context.Context, record.OrgID, record.EventID) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- notify.Serve(ctx, opt, 4, notify.Often, 5*time.Second, log, handle) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func open(t *testing.T) (asynq.RedisConnOpt, *testkit.RedisServer) {
	t.Helper()
	url, server := testkit.Redis(t)
	opt, err := redisx.AsynqOpt(url)
	if err != nil {
		t.Fatal(err)
	}
	return opt, server
}

// TestNotificationWhileTheTaskRunsIsNotLost verifies that a change made while the task of an
// earlier one runs is handled after it, because the worker may have read already. asynq's
// Unique option, and one task id per event, would both reject the second task.
func TestNotificationWhileTheTaskRunsIsNotLost(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), time.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	var r runs
	running, release := make(chan struct{}, 16), make(chan struct{})
	serve(t, opt, func(ctx context.Context, org record.OrgID, event record.EventID) error {
		if org != "org" {
			return fmt.Errorf("organization %q", org)
		}
		r.add(ctx, event)
		running <- struct{}{}
		<-release
		return nil
	})
	send(t, notifier, "event")
	<-running
	send(t, notifier, "event") // the worker has read already
	<-running
	close(release)
	if r.count() < 2 {
		t.Fatalf("%d runs", r.count())
	}
}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestOneLogLineForEachTask verifies that each task logs one line, whether or not it failed.
func TestOneLogLineForEachTask(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), time.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	var log lines
	serveLogging(t, opt, slog.New(slog.NewJSONHandler(&log, nil)), func(_ context.Context, _ record.OrgID, event record.EventID) error {
		if event == "bad" {
			return errors.New("cannot")
		}
		return nil
	})
	for _, event := range []record.EventID{"good", "bad"} {
		notifier.Notify(t.Context(), "org", event)
	}
	testkit.Eventually(t, 10*time.Second, func() error {
		for _, want := range []string{
			`"level":"INFO","msg":"task","queue":"interactive","org":"org","event":"good","ms":`,
			`"level":"ERROR","msg":"recalculation failed; its marks stay","queue":"interactive","org":"org","event":"bad","ms":`,
		} {
			if n := strings.Count(log.String(), want); n != 1 {
				return fmt.Errorf("%d lines with %s in\n%s", n, want, log.String())
			}
		}
		return nil
	})
}

// TestNotificationAfterAFailureIsNotRefused verifies that a failed task in asynq's archive does
// not keep out the next one.
func TestNotificationAfterAFailureIsNotRefused(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), time.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	var r runs
	serve(t, opt, func(ctx context.Context, _ record.OrgID, event record.EventID) error {
		r.add(ctx, event)
		return errors.New("cannot")
	})
	for n := 1; n <= 3; n++ {
		testkit.Eventually(t, 10*time.Second, func() error {
			if r.count() < n {
				notifier.Notify(t.Context(), "org", "event")
				return fmt.Errorf("run %d has not come", n)
			}
			return nil
		})
	}
}

func TestNotificationsOfOneMomentCoalesce(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	notifier := notifierOf(t, opt, notify.QueueInteractive)
	began := time.Now()
	for range 500 {
		notifier.Notify(t.Context(), "org", "event")
	}
	notifier.Notify(t.Context(), "org", "other")
	// A task that has waited for a second does not keep others out.
	if n, most := pending(t, opt), 2+int(time.Since(began)/time.Second); n < 1 || n > most {
		t.Fatalf("%d tasks for 500 notifications of one event and one of another; want %d at most", n, most)
	}
}

// pending counts the pending tasks of the interactive queue.
func pending(t *testing.T, opt asynq.RedisConnOpt) int {
	t.Helper()
	inspector := asynq.NewInspector(opt)
	t.Cleanup(func() { _ = inspector.Close() })
	info, err := inspector.GetQueueInfo(notify.QueueInteractive)
	if err != nil {
		t.Fatal(err)
	}
	return info.Pending
}

// TestPauseEndsWhenTheClockIsPutBack verifies that the pause after a failed notification is a
// second even if the clock is set back by an hour.
func TestPauseEndsWhenTheClockIsPutBack(t *testing.T) {
	t.Parallel()
	opt, server := open(t)
	clock := testkit.NewClock(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), clock.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	send := func() error { return notifier.TryNotify(t.Context(), "org", "event") }
	server.Stop()
	if send() == nil {
		t.Fatal("notified without a queue")
	}
	server.Start()
	if send() == nil {
		t.Fatal("there is no pause after a failure")
	}
	clock.Advance(-time.Hour)
	// The client may take a while to reconnect; each failure starts another pause.
	testkit.Eventually(t, 30*time.Second, func() error {
		err := send()
		if err != nil {
			clock.Advance(-time.Hour)
		}
		return err
	})
}

func TestNotifyWithoutRedisIsLoggedAndQuick(t *testing.T) {
	t.Parallel()
	opt, server := open(t)
	server.Stop()
	var log bytes.Buffer
	notifier := notify.NewQueue(opt, notify.QueueInteractive, slog.New(slog.NewJSONHandler(&log, nil)), time.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	began := time.Now()
	for range 1000 {
		notifier.Notify(t.Context(), "org", "event")
	}
	// Not a measurement: without the pause a thousand notifications would take minutes.
	if took := time.Since(began); took > 30*time.Second {
		t.Fatalf("a thousand notifications without Redis took %s", took)
	}
	if !bytes.Contains(log.Bytes(), []byte("queueing recalculations fails")) {
		t.Fatalf("log: %s", log.String())
	}
}

func TestTraceCrossesTheQueue(t *testing.T) {
	opt, _ := open(t)
	t.Setenv("OTEL_TRACES_EXPORTER", "console")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	t.Setenv("OTEL_LOGS_EXPORTER", "none")
	shutdown, err := telemetry.Setup(t.Context(), "test", "v0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shutdown(context.Background()) })
	notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), time.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	var r runs
	serve(t, opt, func(ctx context.Context, _ record.OrgID, event record.EventID) error {
		r.add(ctx, event)
		return nil
	})
	ctx, span := telemetry.StartProducer(t.Context(), "a request")
	notifier.Notify(ctx, "org", "event")
	span.End()
	testkit.Eventually(t, 10*time.Second, func() error {
		if r.count() == 0 {
			return errors.New("not run")
		}
		return nil
	})
	if want := span.SpanContext().TraceID(); !want.IsValid() || r.traces[0] != want {
		t.Fatalf("the worker is in trace %s, the request in %s", r.traces[0], want)
	}
}
