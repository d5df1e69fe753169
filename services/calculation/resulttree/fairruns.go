package resulttree

import (
	"context"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// taken is how many notifications a process takes up for each run that it can make:
	// those that wait for a run are the ones it chooses among.
	taken = 8
	// longAfter is after what time a run is long: those of a few decisions take some
	// milliseconds, and that of a large event under another factor set minutes.
	longAfter = 20 * time.Millisecond
	// restAfter is after how many records of a segment a long run lets others go first.
	restAfter = 64
	// longestRest is the longest that a long run leaves the processors and storage to others
	// at a time.
	longestRest = 50 * time.Millisecond
	// besideFor is for how long after the last run that is not long others are expected.
	besideFor = time.Second
)

// turns bounds how many runs are made at once. Of the organizations that wait, the
// one that has had the fewest runs goes next, and none has all of them while there are
// two: the one approval of an organization does not wait for a thousand events of
// another, nor for its long ones. And beside others a long run works half of the time.
type turns struct {
	scheduler *fairshare.Scheduler

	mu sync.Mutex
	// short is how many runs are made, or wait for their turn, that are not long, and last
	// is when one ended.
	short int
	last  time.Time
}

func newTurns(runs int) *turns {
	return &turns{scheduler: fairshare.New(fairshare.Options{Slots: runs, Share: max(1, runs-1)})}
}

// of lets each run wait for the turn of its organization; waits is told of it.
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

// ended takes note that a run is over, or that it has become long.
func (t *turns) ended(long bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.short--
	if !long {
		t.last = time.Now()
	}
}

// beside reports whether there are runs that are not long, or have been lately.
func (t *turns) beside() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.short > 0 || time.Since(t.last) < besideFor
}

// turn is that of one run, which alone uses it.
type turn struct {
	turns *turns
	long  bool
	since time.Time // its beginning, or when it rested last
}

type turnKey struct{}

// rest leaves the processors and storage to others for as long as the run of ctx, where that
// is a long one, has had them since it rested last. It is called between the parts of a run.
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

// end ends what others have of the run.
func (t *turn) end() {
	if !t.long {
		t.turns.ended(false)
	}
}
