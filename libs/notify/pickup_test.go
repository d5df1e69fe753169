package notify_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// serveLooking runs a worker with a poll interval, and returns the events it receives.
func serveLooking(t *testing.T, opt asynq.RedisConnOpt, look time.Duration) (given <-chan record.EventID) {
	t.Helper()
	events := make(chan record.EventID, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- notify.Serve(ctx, opt, 4, look, 5*time.Second, quiet(), func(_ context.Context, _ record.OrgID, event record.EventID) error {
			events <- event
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the worker does not end")
		}
	})
	return events
}

func got(t *testing.T, given <-chan record.EventID, want record.EventID) {
	t.Helper()
	select {
	case event := <-given:
		if event != want {
			t.Errorf("%s was taken up, want %s", event, want)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%s is not taken up", want)
	}
}

// TestAWaitingWorkerIsToldOfATask verifies that a worker with a poll interval of an hour
// receives tasks of both queues at once, even after a flush of scripts, and stops without
// delay.
func TestAWaitingWorkerIsToldOfATask(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	given := serveLooking(t, opt, time.Hour)
	people, bulk := notifierOf(t, opt, notify.QueueInteractive), notifierOf(t, opt, notify.QueueBulk)
	client := opt.MakeRedisClient().(redis.UniversalClient) //nolint:forcetypeassert // so asynq says
	t.Cleanup(func() { _ = client.Close() })
	for _, event := range []record.EventID{"first", "second", "third"} {
		if err := client.ScriptFlush(t.Context()).Err(); err != nil { // like a server that has restarted
			t.Fatal(err)
		}
		send(t, people, event)
		got(t, given, event)
		send(t, bulk, event+" in bulk")
		got(t, given, event+" in bulk")
	}
}

// TestAWorkerThatCannotBeToldLooks verifies that a Redis without the command is sent it once
// per queue at most, and that tasks are received even if it fails or never returns.
func TestAWorkerThatCannotBeToldLooks(t *testing.T) {
	t.Parallel()
	const never = "it does not answer"
	for answer, once := range map[string]bool{"ERR unknown command 'blmove'": true, "LOADING Redis is loading": false, never: true} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			opt, _ := open(t)
			var attempts atomic.Int64
			over := make(chan struct{})
			given := serveLooking(t, watched{opt, func(cmd redis.Cmder) error {
				if cmd.Name() != "blmove" {
					return nil
				}
				attempts.Add(1)
				if answer == never {
					<-over
				}
				return errors.New(answer)
			}}, notify.Often)
			t.Cleanup(func() { close(over) })
			for _, queue := range []string{notify.QueueInteractive, notify.QueueBulk} {
				notifier := notifierOf(t, opt, queue)
				for n := range 3 {
					event := record.EventID(fmt.Sprint(queue, n))
					send(t, notifier, event)
					got(t, given, event)
				}
			}
			if n := attempts.Load(); n < 1 || once && n > 2 {
				t.Errorf("%d attempts to be told, want one for each queue at most", n)
			}
		})
	}
}

// TestARefusingServerIsAskedLittle verifies that a worker polls a server that responds with
// errors no more often than an idle one, and receives tasks once it is in service again. asynq
// itself polls again at once.
func TestARefusingServerIsAskedLittle(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	var refusals atomic.Int64
	var inService atomic.Bool
	began := time.Now()
	given := serveLooking(t, watched{opt, func(cmd redis.Cmder) error {
		if name := cmd.Name(); inService.Load() || name != "eval" && name != "evalsha" {
			return nil
		}
		refusals.Add(1)
		return errors.New("MISCONF Redis is configured to save RDB snapshots")
	}}, notify.Often)
	testkit.Eventually(t, time.Minute, func() error {
		if n := refusals.Load(); n < 50 {
			return fmt.Errorf("%d polls", n)
		}
		return nil
	})
	// Polls are half an interval apart at least; other loops of asynq run every few seconds.
	if n, took := refusals.Load(), time.Since(began); took < time.Duration(n)*notify.Often/3 {
		t.Errorf("%d polls in %v", n, took)
	}
	inService.Store(true)
	send(t, notifierOf(t, opt, notify.QueueInteractive), "event")
	got(t, given, "event")
}

// TestAnIdleWorkerAsksLittle verifies that an idle worker sends fewer commands than by polling
// two queues every 20 ms, and not many more while other workers get the tasks.
func TestAnIdleWorkerAsksLittle(t *testing.T) {
	t.Parallel()
	opt, _ := open(t)
	all, commands := counting(opt)
	given := serveLooking(t, all, notify.Often)
	notifier := notifierOf(t, opt, notify.QueueInteractive)
	send(t, notifier, "event")
	got(t, given, "event")
	few := func(what string, count int64, each time.Duration) {
		t.Helper()
		testkit.Eventually(t, 30*time.Second, func() error {
			before, began := commands.Load(), time.Now()
			testkit.Eventually(t, time.Minute, func() error {
				if n := commands.Load() - before; n < count {
					return fmt.Errorf("%s: %d commands", what, n)
				}
				return nil
			})
			if asked, took := commands.Load()-before, time.Since(began); took < time.Duration(asked)*each {
				return fmt.Errorf("%s: %d commands in %v, want one in %v at most", what, asked, took, each)
			}
			return nil
		})
	}
	few("no task", 8, 40*time.Millisecond)
	inspector := asynq.NewInspector(opt)
	t.Cleanup(func() { _ = inspector.Close() })
	if err := inspector.PauseQueue(notify.QueueInteractive); err != nil {
		t.Fatal(err)
	}
	send(t, notifier, "another")
	few("a queue that is paused", 125, 4*time.Millisecond)
	if err := inspector.UnpauseQueue(notify.QueueInteractive); err != nil {
		t.Fatal(err)
	}
	got(t, given, "another")
}
