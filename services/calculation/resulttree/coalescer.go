package resulttree

import (
	"context"
	"sync"

	"github.com/eventcarbon/ecf/libs/record"
)

// coalescer lets one run at a time work on an event within a process: a notification for an event in progress makes
// that run start again at its end instead of occupying another worker. So a slow event, because it is large or many
// approve at once, occupies only one worker of a process, and workers of one process never conflict. Its state is
// only notifications: if they are lost with the process, the marks remain, and the sweeper notifies again.
type coalescer struct {
	run func(ctx context.Context, org record.OrgID, event record.EventID) error

	mu sync.Mutex
	// again reports for each event in progress whether a notification has arrived meanwhile.
	again map[eventKey]bool
}

type eventKey struct {
	org   record.OrgID
	event record.EventID
}

func newCoalescer(run func(context.Context, record.OrgID, record.EventID) error) *coalescer {
	return &coalescer{run: run, again: map[eventKey]bool{}}
}

// do runs the event, or leaves it to the run in progress.
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
