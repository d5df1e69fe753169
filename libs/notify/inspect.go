package notify

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// QueueState is the state of one queue. Tasks are never retried by the queue itself: one that
// fails is archived, and the sweeper notifies again for its marks.
type QueueState struct {
	Name string
	// Pending tasks wait, Active ones have been taken by a process, which schedules them fairly
	// (or had been when it died), Archived ones have failed.
	Pending, Active, Retry, Archived int
	// Wait is how long the oldest pending task has waited.
	Wait time.Duration
	// Processed and Failed count tasks since the queue was created, or since Redis lost its
	// data.
	Processed, Failed int
}

// WorkerProcess is a process that takes tasks from the queue.
type WorkerProcess struct {
	Host    string
	PID     int
	Workers int // the number of tasks it takes at a time
	Busy    int // the number of tasks it has taken, not all of which are running
	Started time.Time
}

// errLooking is returned while an earlier query has not returned.
var errLooking = errors.New("notify: the queue has not answered yet")

// queueNames is the key of asynq's set of queue names.
const queueNames = "asynq:queues"

// inspector queries the queues.
type inspector struct {
	client redis.UniversalClient
	asynq  *asynq.Inspector
	busy   atomic.Bool
}

func newInspector(opt asynq.RedisConnOpt) *inspector {
	client := clientOf(opt)
	return &inspector{client: client, asynq: asynq.NewInspectorFromRedisClient(client)}
}

// look returns the state of all queues and their workers. asynq does not support deadlines: a
// query that has not returned when ctx ends continues in the background, and until then no
// other begins.
func (i *inspector) look(ctx context.Context) ([]QueueState, []WorkerProcess, error) {
	if !i.busy.CompareAndSwap(false, true) {
		return nil, nil, errLooking
	}
	type seen struct {
		queues  []QueueState
		workers []WorkerProcess
		err     error
	}
	done := make(chan seen, 1)
	go func() {
		var s seen
		if s.queues, s.err = i.queues(ctx); s.err == nil {
			s.workers, s.err = i.workers()
		}
		i.busy.Store(false) // before the caller continues, which may query again
		done <- s
	}()
	select {
	case s := <-done:
		return s.queues, s.workers, s.err
	case <-ctx.Done():
		return nil, nil, errLooking
	}
}

func (i *inspector) queues(ctx context.Context) ([]QueueState, error) {
	// A client of asynq stores the name of a queue with its first task only: after a flush of
	// Redis the queue would work, but not be visible.
	if err := i.client.SAdd(ctx, queueNames, QueueInteractive, QueueBulk).Err(); err != nil {
		return nil, fmt.Errorf("look at the queues: %w", err)
	}
	var states []QueueState
	for _, name := range []string{QueueInteractive, QueueBulk} {
		info, err := i.asynq.GetQueueInfo(name)
		if err != nil {
			return nil, fmt.Errorf("look at queue %s: %w", name, err)
		}
		states = append(states, QueueState{
			Name: name, Pending: info.Pending, Active: info.Active, Retry: info.Retry, Archived: info.Archived,
			Wait: max(0, info.Latency), Processed: info.ProcessedTotal, Failed: info.FailedTotal,
		})
	}
	return states, nil
}

func (i *inspector) workers() ([]WorkerProcess, error) {
	servers, err := i.asynq.Servers()
	if err != nil {
		return nil, fmt.Errorf("look at workers: %w", err)
	}
	processes := make([]WorkerProcess, 0, len(servers))
	for _, s := range servers {
		processes = append(processes, WorkerProcess{Host: s.Host, PID: s.PID, Workers: s.Concurrency, Busy: len(s.ActiveWorkers), Started: s.Started})
	}
	return processes, nil
}
