package resulttree

import (
	"context"
	"sync"

	"github.com/eventcarbon/ecf/libs/record"
)

// coalescer lets one run at a time work on an event within a process: a
// notification of an event that is being worked on makes that run begin again at
// its end instead of occupying another worker. So an event that takes long, because
// it is large or because many approve at once, occupies one worker of a process and
// not all of them, and workers of one process never write against each other. What
// is remembered here is no more than a notification: if it is lost with the process,
// the marks stay, and the sweeper notifies again.
type coalescer struct {
	run func(ctx context.Context, org record.OrgID, event record.EventID) error

	mu sync.Mutex
	// again reports of each event that is being worked on whether a notification
	// has come meanwhile.
	again map[eventKey]bool
}

type eventKey struct {
	org   record.OrgID
	event record.EventID
}

func newCoalescer(run func(context.Context, record.OrgID, record.EventID) error) *coalescer {
	return &coalescer{run: run, again: map[eventKey]bool{}}
}

// do runs over the event, or leaves it to the run that is in progress.
func (a *coalescer) do(ctx context.Context, org record.OrgID, event record.EventID) (err error) {
	key := eventKey{org, event}
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

// begin reports whether the caller is to run.
func (a *coalescer) begin(key eventKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, running := a.again[key]; running {
		a.again[key] = true
		return false
	}
	a.again[key] = false
	return true
}

// end reports whether no notification has come since the last run began.
func (a *coalescer) end(key eventKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.again[key] {
		a.again[key] = false
		return false
	}
	delete(a.again, key)
	return true
}
