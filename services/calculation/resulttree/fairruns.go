package resulttree

import (
	"context"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// taken is how many notifications a process accepts per possible run, to choose the next run from.
	taken = 8
	// longAfter is the duration after which a run is long: those of a few decisions take some milliseconds, that of a
	// large event with another factor set minutes.
	longAfter = 20 * time.Millisecond
	// restAfter is the number of records of a segment after which a long run yields.
	restAfter = 64
	// longestRest is the longest pause of a long run.
	longestRest = 50 * time.Millisecond
	// besideFor is for how long after the last run that is not long others are expected.
	besideFor = time.Second
)

// turns bounds the concurrent runs. Of the waiting organizations, the one with the fewest runs is next, and none
// occupies all slots while there are two: the single approval of an organization does not wait for a thousand events
// of another, nor for its long ones. While others are active a long run works half of the time.
type turns struct {
	scheduler *fairshare.Scheduler

	mu sync.Mutex
	// short is the number of runs, waiting or running, that are not long, and last is when one ended.
	short int
	last  time.Time
}

func newTurns(runs int) *turns {
	return &turns{scheduler: fairshare.New(fairshare.Options{Slots: runs, Share: max(1, runs-1)})}
}

// of makes each run wait for a slot of its organization; waits is called meanwhile.
func (t *turns) of(waits func() (ended func()), run func(context.Context, record.OrgID, record.EventID) error) func(context.Context, record.OrgID, record.EventID) error {
	return func(ctx context.Context, org record.OrgID, event record.EventID) error {
		mine := &turn{turns: t}
		t.began()
		defer mine.end()
		ended := waits()
		end, err := t.scheduler.Acquire(ctx, string(org), 1)
		ended()
		if err != nil {
			return err
		}
		defer end()
		mine.since = time.Now()
		return run(context.WithValue(ctx, turnKey{}, mine), org, event)
	}
}

func (t *turns) began() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.short++
}

// ended records that a run has ended, or has become long.
func (t *turns) ended(long bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.short--
	if !long {
		t.last = time.Now()
	}
}

// beside reports whether there are runs that are not long, or were lately.
func (t *turns) beside() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.short > 0 || time.Since(t.last) < besideFor
}

// turn is the state of one run, which only that run uses.
type turn struct {
	turns *turns
	long  bool
	since time.Time // its beginning, or when it rested last
}

type turnKey struct{}

// rest pauses a long run for as long as it has worked since its last pause. It is called between the parts of a run.
func rest(ctx context.Context) {
	if t, ok := ctx.Value(turnKey{}).(*turn); ok {
		t.rest(ctx)
	}
}

func (t *turn) rest(ctx context.Context) {
	worked := time.Since(t.since)
	if !t.long {
		if worked < longAfter {
			return
		}
		t.long = true
		t.turns.ended(true)
	}
	if t.turns.beside() {
		timer := time.NewTimer(min(worked, longestRest))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	t.since = time.Now()
}

// end ends the accounting of the run.
func (t *turn) end() {
	if !t.long {
		t.turns.ended(false)
	}
}
