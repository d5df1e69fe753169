package notify

import (
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// fastEvents is the number of events of one organization per fastWindow that a process
	// enqueues as interactive. Further ones go into the bulk queue, which is as fast while
	// nobody else needs the workers.
	fastEvents = 64
	fastWindow = time.Minute
)

// fastLane keeps the interactive queue free of the thousands of events that one organization,
// or the sweeper on its behalf, may enqueue at once. The zero value is ready to use.
type fastLane struct {
	mu     sync.Mutex
	began  time.Time
	events map[record.OrgID]map[record.EventID]bool
}

// takes reports whether an event is among the first ones of its organization. One that was
// remains so within the window. A nil fastLane accepts all.
func (f *fastLane) takes(org record.OrgID, event record.EventID, now time.Time) bool {
	if f == nil {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// A negative age means that the clock was set back.
	if age := now.Sub(f.began); f.events == nil || age < 0 || age >= fastWindow {
		f.began, f.events = now, map[record.OrgID]map[record.EventID]bool{}
	}
	own := f.events[org]
	if own == nil {
		own = map[record.EventID]bool{}
		f.events[org] = own
	}
	if own[event] {
		return true
	}
	if len(own) >= fastEvents {
		return false
	}
	own[event] = true
	return true
}
