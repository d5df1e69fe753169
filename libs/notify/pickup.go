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
	// anyway is after how long a queue is polled although no task was signaled: the connection
	// that would have signaled it may be dead.
	anyway = 500 * time.Millisecond
	// blockFor is how long one blocking command waits for a task.
	blockFor = 2 * time.Second
	// between is asynq's poll interval while no poll is made to wait.
	between = time.Millisecond
)

// pickup is a client for asynq's server whose polls block until there is a task. asynq sleeps
// between polls of an empty queue: a short interval makes idle workers load Redis, a long one
// delays results. Redis can signal a task: moving the oldest task of a list to its own position
// blocks while the list is empty, and changes nothing. Where Redis does not support this
// (before 6.2), polls are as frequent as before.
//
// All waiting processes are woken by one task. Those that find it gone sleep once as before, so
// that they cost no more than polling did.
type pickup struct {
	redis.UniversalClient

	stop <-chan struct{}
	look time.Duration

	// Used only by the goroutine in which asynq polls.
	lists       map[string]bool // of all polled queues
	empty       map[string]bool // of queues found empty since the last task or wait
	told, found bool            // whether the last wait ended with a task; whether one was found since
	ask         bool            // poll every queue, because the last wait timed out

	arrived chan struct{}
	waits   sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]time.Time // start of the wait, by queue
	cannot  bool
}

func newPickup(client redis.UniversalClient, stop <-chan struct{}, look time.Duration) *pickup {
	return &pickup{
		UniversalClient: client, stop: stop, look: look,
		lists: map[string]bool{}, empty: map[string]bool{}, arrived: make(chan struct{}, 1), waiting: map[string]time.Time{},
	}
}

// Close ends the waits and closes the connections.
func (p *pickup) Close() error {
	err := p.UniversalClient.Close()
	p.waits.Wait()
	return err
}

// EvalSha runs a script. For the script by which asynq takes a task, it first waits until there
// may be one if the queue was empty before.
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
		return redis.NewCmdResult(nil, redis.Nil) // a task would have been signaled
	}
	cmd := p.UniversalClient.EvalSha(ctx, sha, keys, args...)
	p.looked(list, cmd.Err())
	return cmd
}

// Eval runs a script that Redis has not cached, for example after a restart; EvalSha was tried
// before.
func (p *pickup) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	cmd := p.UniversalClient.Eval(ctx, script, keys, args...)
	if list, ok := takenFrom(keys); ok {
		p.looked(list, cmd.Err())
	}
	return cmd
}

// looked records the outcome of a poll of a list.
func (p *pickup) looked(list string, err error) {
	switch {
	case err == nil:
		clear(p.empty)
		p.found = true
	case errors.Is(err, redis.Nil):
		p.empty[list] = true
	case redis.HasErrorPrefix(err, "NOSCRIPT"):
		// The script itself is sent at once.
	default:
		// asynq polls again at once, and a server that responds with an error, such as one that
		// loads its data, would get nothing but polls.
		p.rest(min(p.look, anyway))
	}
}

// takenFrom returns the list of pending tasks, if the keys are those of asynq's script:
// pending, paused, active and lease of one queue.
func takenFrom(keys []string) (list string, ok bool) {
	if len(keys) != 4 || !strings.HasSuffix(keys[1], ":paused") || !strings.HasSuffix(keys[3], ":lease") {
		return "", false
	}
	return keys[0], strings.HasSuffix(keys[0], ":pending")
}

// wait blocks until a task may be there.
func (p *pickup) wait() {
	defer func() {
		clear(p.empty)
		p.found = false
	}()
	if p.told && !p.found || p.unable() {
		p.rest(p.look)
	}
	p.told, p.ask = false, true
	if p.unable() {
		return
	}
	select {
	case <-p.arrived: // a stale signal; if it was not, the new wait ends at once
	default:
	}
	for list := range p.lists { // a poll of one of them may have failed
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

// rest sleeps as long as asynq would between two polls with the given interval.
func (p *pickup) rest(interval time.Duration) {
	timer := time.NewTimer(interval/2 + rand.N(interval)) //nolint:gosec // so that processes do not look at once
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.stop:
	}
}

// watch makes p.arrived signal the next task in a list, unless a goroutine does so already.
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
			p.rest(p.look)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, list)
		p.cannot = p.cannot || err != nil && strings.Contains(err.Error(), "unknown command")
		select {
		case p.arrived <- struct{}{}: // before the list can be polled, so that it is not signaled twice
		default: // signaled already
		}
	})
}

// block returns when the list has a task, or when that cannot be determined.
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

// isWaiting reports whether a task in the list would be signaled. A command that has not
// returned in time may never do so.
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
