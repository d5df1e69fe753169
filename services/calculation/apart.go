package calculation

import (
	"context"
	"sync"

	"github.com/eventcarbon/ecf/libs/record"
)

// apart keeps runs over one event apart within a process: a ring for an event
// that is being worked on makes that run begin again at its end instead of
// taking up another worker. So an event that takes long, because it is large or
// because many approve at once, holds one worker of a process and not all of
// them, and workers of one process never write against each other. What is
// remembered here is no more than a ring: if it dies with the process, the marks
// stay, and the sweeper rings.
type apart struct {
	run func(ctx context.Context, org record.OrgID, event record.EventID) error

	mu sync.Mutex
	// again says of each event that is being worked on whether it was rung for
	// meanwhile.
	again map[eventOf]bool
}

type eventOf struct {
	org   record.OrgID
	event record.EventID
}

func newApart(run func(context.Context, record.OrgID, record.EventID) error) *apart {
	return &apart{run: run, again: map[eventOf]bool{}}
}

// do runs over the event, or leaves it to the run that is on the way.
func (a *apart) do(ctx context.Context, org record.OrgID, event record.EventID) (err error) {
	key := eventOf{org, event}
	if !a.begin(key) {
		return nil
	}
	ended := false
	defer func() {
		if !ended { // a failure, or a panic: the marks that stay are the sweeper's
			a.mu.Lock()
			delete(a.again, key)
			a.mu.Unlock()
		}
	}()
	for {
		if err := a.run(ctx, org, event); err != nil {
			return err
		}
		if ended = a.end(key); ended {
			return nil
		}
	}
}

// begin says whether the caller is the one to run.
func (a *apart) begin(key eventOf) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, running := a.again[key]; running {
		a.again[key] = true
		return false
	}
	a.again[key] = false
	return true
}

// end says whether nobody has rung since the last run began.
func (a *apart) end(key eventOf) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.again[key] {
		a.again[key] = false
		return false
	}
	delete(a.again, key)
	return true
}
