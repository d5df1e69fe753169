package notify

import (
	"context"
	"crypto/md5" //nolint:gosec // what asynq names its keys by
	"encoding/hex"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// gathering is the time between the starts of two runs of an event, while notifications
	// arrive faster than runs cover them.
	gathering = 50 * time.Millisecond
	// busyFor is how long an event counts as busy after a notification that found a task
	// waiting: until that task, which may be held for gathering, has begun, and as long again.
	busyFor = 2 * gathering
	// waitsAlone is how long a waiting task keeps other tasks of its event out of the queue. If
	// its worker dies before it begins, the notification of the sweeper, which comes after a
	// second at the earliest, is not rejected. asynq's minimum is a second.
	waitsAlone = time.Second
)

// The state of an event in a queue is three keys, which expire independently and may be on
// other nodes of a cluster than the queue. The first is that of asynq's option Unique: the
// waiting task. asynq deletes it when a task has ended; here the worker deletes it before it
// begins.
func waitingKey(queue string, payload []byte) string {
	sum := md5.Sum(payload) //nolint:gosec // as asynq does
	return "asynq:{" + queue + "}:unique:" + TaskType + ":" + hex.EncodeToString(sum[:])
}

// pendingKey is asynq's list of the pending tasks of a queue.
func pendingKey(queue string) string { return "asynq:{" + queue + "}:pending" }

// busyKey exists while notifications arrive faster than they are covered.
func busyKey(queue string, event record.EventID) string {
	return "ecf:{" + queue + "}:busy:" + string(event)
}

// begunKey exists for gathering after a run has begun.
func begunKey(queue string, event record.EventID) string {
	return "ecf:{" + queue + "}:begun:" + string(event)
}

// beginScript begins a run and returns 0, or returns for how many milliseconds it is to be
// held.
//
// KEYS: waitingKey, begunKey, busyKey, and the list of pending tasks. ARGV: the id of the task,
// gathering, the pause if the event is not busy (in milliseconds), and 0 if the task was held
// already.
//
// While other tasks are pending none is held: it would delay them, and notifications of waiting
// tasks are batched anyway.
//
// The key of the waiting task is deleted before the run reads the marks. So a notification that
// was dropped because a task waits has written its mark before that task reads. A task deletes
// only its own key: another waiting task has yet to begin.
var beginScript = redis.NewScript(`
local left = redis.call("PTTL", KEYS[2])
if ARGV[4] == "1" and left > 0 and redis.call("LLEN", KEYS[4]) == 0 then
	local pause = tonumber(ARGV[3])
	if redis.call("EXISTS", KEYS[3]) == 1 then
		pause = tonumber(ARGV[2])
	end
	local wait = pause - (tonumber(ARGV[2]) - left)
	if wait > 0 then
		return wait
	end
end
if redis.call("GET", KEYS[1]) == ARGV[1] then
	redis.call("DEL", KEYS[1])
end
redis.call("SET", KEYS[2], "", "PX", ARGV[2])
return 0
`)

// gatherer starts the runs of tasks of a queue: at once if the event is idle, and batched if it
// is busy, across all processes that notify and work.
type gatherer struct {
	client redis.UniversalClient

	mu   sync.Mutex
	took map[Payload]time.Duration
}

func newGatherer(client redis.UniversalClient) *gatherer {
	return &gatherer{client: client, took: map[Payload]time.Duration{}}
}

// begin blocks until the run of a task may begin: for gathering at most, and not at all once
// stop is closed. The returned function is called at the end of the run.
//
// Without Redis the run begins at once. The task may then keep others out until it ends; the
// marks of their changes remain, and the sweeper notifies again.
func (g *gatherer) begin(ctx context.Context, stop <-chan struct{}, task string, queue string, p Payload, payload []byte) (ended func()) {
	if wait := g.ask(ctx, task, queue, p, payload, true); wait > 0 {
		timer := time.NewTimer(min(wait, gathering))
		select {
		case <-timer.C:
		case <-stop:
		case <-ctx.Done():
		}
		timer.Stop()
		g.ask(ctx, task, queue, p, payload, false)
	}
	began := time.Now()
	return func() { g.ended(p, time.Since(began)) }
}

func (g *gatherer) ask(ctx context.Context, task, queue string, p Payload, payload []byte, mayWait bool) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	wait, err := beginScript.Run(ctx, g.client,
		[]string{waitingKey(queue, payload), begunKey(queue, p.Event), busyKey(queue, p.Event), pendingKey(queue)},
		task, gathering.Milliseconds(), g.pause(p).Milliseconds(), mayWait).Int64()
	if err != nil {
		return 0
	}
	return time.Duration(wait) * time.Millisecond
}

// pause is the time from the start of a run to that of the next one of an event that is not
// busy: twice the duration of the last one in this process, so that no event occupies a worker
// permanently, and runs of several processes do not conflict.
func (g *gatherer) pause(p Payload) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return min(gathering, 2*g.took[p])
}

func (g *gatherer) ended(p Payload, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.took) >= directRoom {
		clear(g.took)
	}
	// At least half of the previous duration: a task that left its work to a concurrent run
	// took no time.
	g.took[p] = max(took, g.took[p]/2)
}

// clientOf returns a client for the connection options of a queue.
func clientOf(opt asynq.RedisConnOpt) redis.UniversalClient {
	client, ok := opt.MakeRedisClient().(redis.UniversalClient)
	if !ok {
		panic("notify: the connection of the queue makes no Redis client") //nolint:forbidigo // a fault of the program; asynq.NewClient does the same
	}
	return client
}
