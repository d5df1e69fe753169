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
	// gathering is how long after the beginning of a run the next one of the same event
	// begins, while notifications come faster than runs take them up.
	gathering = 50 * time.Millisecond
	// busyFor is how long an event is busy after a notification that found a task waiting:
	// until that task, which may be held for as long as gathering, has begun, and a while.
	busyFor = 2 * gathering
	// waitsAlone is how long a task that waits keeps others of its event out of the queue.
	// If its worker dies before it begins, the sweeper's notification, which comes after
	// a second at the earliest, is not refused. asynq allows no less than a second.
	waitsAlone = time.Second
)

// What is known of an event in a queue is three keys that go by themselves, beside the
// queue in a cluster. The first is asynq's, of its option Unique: the task that waits.
// asynq gives it up when a task has ended; here the worker does before it begins.
func waitingKey(queue string, payload []byte) string {
	sum := md5.Sum(payload) //nolint:gosec // as asynq does
	return "asynq:{" + queue + "}:unique:" + TaskType + ":" + hex.EncodeToString(sum[:])
}

// pendingKey is asynq's list of the tasks of a queue that no worker has yet.
func pendingKey(queue string) string { return "asynq:{" + queue + "}:pending" }

// busyKey is there while notifications come faster than they are taken up.
func busyKey(queue string, event record.EventID) string {
	return "ecf:{" + queue + "}:busy:" + string(event)
}

// begunKey is there for as long as gathering after a run has begun.
func begunKey(queue string, event record.EventID) string {
	return "ecf:{" + queue + "}:begun:" + string(event)
}

// beginScript begins a run and returns 0, or returns for how many milliseconds it is to be held.
//
// KEYS: waitingKey, begunKey, busyKey, and the list of tasks that no worker has yet. ARGV: the id of the task, gathering, the pause that
// is made where the event is not busy (in milliseconds), and 0 if the task was held already.
//
// While other tasks have no worker none is held: it would keep them waiting, and what waits
// is gathered all the same.
//
// The waiting task is given up before the run reads what is due. So whoever is refused
// because a task waits has written its mark before that task reads. It is given up by its
// own task alone: where another one waits, that one has yet to begin.
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

// gatherer lets runs of the tasks of a queue begin: at once where the event is at rest,
// and so that those of a busy event are few, whichever processes notify and work.
type gatherer struct {
	client redis.UniversalClient

	mu   sync.Mutex
	took map[Payload]time.Duration
}

func newGatherer(client redis.UniversalClient) *gatherer {
	return &gatherer{client: client, took: map[Payload]time.Duration{}}
}

// begin returns when the run of a task may begin: after gathering at the latest, and at
// once when stop is closed. Call the function when the run has ended.
//
// Without Redis the run begins at once. The task may then keep others out until it
// ends; the marks of what they would have said stay, and the sweeper notifies again.
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

// pause is how long after the beginning of a run the next one of an event that is not busy
// begins: twice what the last one took in this process, so that no event has a worker
// all the time, and runs of several processes do not write against each other.
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
	// Half of what was known: a task that left its work to a run in progress took no time.
	g.took[p] = max(took, g.took[p]/2)
}

// clientOf makes the client of a queue's connection.
func clientOf(opt asynq.RedisConnOpt) redis.UniversalClient {
	client, ok := opt.MakeRedisClient().(redis.UniversalClient)
	if !ok {
		panic("notify: the connection of the queue makes no Redis client") //nolint:forbidigo // a fault of the program; asynq.NewClient does the same
	}
	return client
}
