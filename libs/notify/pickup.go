package notify

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// anyway is after how long a queue is looked into though no task was seen in it: the
	// connection by which one would have been seen may be dead.
	anyway = 500 * time.Millisecond
	// blockFor is how long one command waits for a task.
	blockFor = 2 * time.Second
	// between is how often asynq looks while nothing lets it wait.
	between = time.Millisecond
)

// pickup is a client for asynq's server that lets its looks for tasks wait until there is
// one. asynq asks a queue that was empty again after a while: short, and idle workers
// load Redis; long, and who waits for a result waits for it. Redis itself can tell: moving
// the oldest task of a list to its own place blocks while there is none, and changes
// nothing. Where Redis cannot (before 6.2), the looks come as often as they did.
//
// Of several processes that wait all are told of one task. Those that find it gone look
// as often as before for once, so that they cost no more than they did.
type pickup struct {
	redis.UniversalClient

	stop <-chan struct{}
	look time.Duration

	// Of the goroutine in which asynq looks.
	lists       map[string]bool // of all queues that it looks into
	empty       map[string]bool // of queues that were, since the last task or the last wait
	told, found bool            // whether the last wait ended by a task; whether one was found since
	ask         bool            // every queue, because the last wait has seen none

	arrived chan struct{}
	waits   sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]time.Time // since when, by queue
	cannot  bool
}

func newPickup(client redis.UniversalClient, stop <-chan struct{}, look time.Duration) *pickup {
	return &pickup{
		UniversalClient: client, stop: stop, look: look,
		lists: map[string]bool{}, empty: map[string]bool{}, arrived: make(chan struct{}, 1), waiting: map[string]time.Time{},
	}
}

// Close ends the waits with the connections.
func (p *pickup) Close() error {
	err := p.UniversalClient.Close()
	p.waits.Wait()
	return err
}

// EvalSha runs a script. That by which asynq takes a task waits until there may be one,
// if the queue was empty before.
func (p *pickup) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	list, ok := takenFrom(keys)
	if !ok {
		return p.UniversalClient.EvalSha(ctx, sha, keys, args...)
	}
	p.lists[list] = true
	if p.empty[list] {
		p.wait()
	}
	if !p.ask && p.isWaiting(list) {
		p.empty[list] = true
		return redis.NewCmdResult(nil, redis.Nil) // it would have been told
	}
	cmd := p.UniversalClient.EvalSha(ctx, sha, keys, args...)
	p.looked(list, cmd.Err())
	return cmd
}

// Eval runs a script that Redis does not have, as one that has just begun: EvalSha was
// tried before.
func (p *pickup) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	cmd := p.UniversalClient.Eval(ctx, script, keys, args...)
	if list, ok := takenFrom(keys); ok {
		p.looked(list, cmd.Err())
	}
	return cmd
}

// looked notes what a look into a list has found.
func (p *pickup) looked(list string, err error) {
	switch {
	case err == nil:
		clear(p.empty)
		p.found = true
	case errors.Is(err, redis.Nil):
		p.empty[list] = true
	}
}

// takenFrom returns the list of pending tasks, if the keys are those by which asynq takes one:
// pending, paused, active and lease of one queue.
func takenFrom(keys []string) (list string, ok bool) {
	if len(keys) != 4 || !strings.HasSuffix(keys[1], ":paused") || !strings.HasSuffix(keys[3], ":lease") {
		return "", false
	}
	return keys[0], strings.HasSuffix(keys[0], ":pending")
}

// wait returns when a task may be there.
func (p *pickup) wait() {
	defer func() {
		clear(p.empty)
		p.found = false
	}()
	if p.told && !p.found || p.unable() {
		p.rest()
	}
	p.told, p.ask = false, true
	if p.unable() {
		return
	}
	select {
	case <-p.arrived: // of a task that was found; if not, the wait that begins here ends at once
	default:
	}
	for list := range p.lists { // a look into one of them may have failed
		p.watch(list)
	}
	timer := time.NewTimer(max(anyway, p.look))
	defer timer.Stop()
	select {
	case <-p.arrived:
		p.told, p.ask = true, false
	case <-timer.C:
	case <-p.stop:
	}
}

// rest waits as long as asynq does between two looks.
func (p *pickup) rest() {
	timer := time.NewTimer(p.look/2 + rand.N(p.look)) //nolint:gosec // so that processes do not look at once
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.stop:
	}
}

// watch lets p.arrived know of the next task in a list, unless somebody does.
func (p *pickup) watch(list string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, already := p.waiting[list]; already {
		return
	}
	p.waiting[list] = time.Now()
	p.waits.Go(func() {
		err := p.block(list)
		if err != nil {
			p.rest()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, list)
		p.cannot = p.cannot || err != nil && strings.Contains(err.Error(), "unknown command")
		select {
		case p.arrived <- struct{}{}: // before the list can be looked into, so that it is not told of twice
		default: // it is told already
		}
	})
}

// block returns when the list has a task, or when that cannot be known.
func (p *pickup) block(list string) error {
	for {
		err := p.BLMove(context.Background(), list, list, "RIGHT", "RIGHT", blockFor).Err()
		if !errors.Is(err, redis.Nil) {
			return err
		}
		select {
		case <-p.stop:
			return nil
		default:
		}
		p.mu.Lock()
		p.waiting[list] = time.Now()
		p.mu.Unlock()
	}
}

// isWaiting reports whether a task in the list would have been told. A command that has
// not come back in time may never.
func (p *pickup) isWaiting(list string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	since, ok := p.waiting[list]
	return ok && time.Since(since) < blockFor+time.Second
}

func (p *pickup) unable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cannot
}
