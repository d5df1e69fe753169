package notify

import (
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// fastEvents is how many events of one organization a process announces within
	// fastWindow as ones that people wait for. The others go the way of bulk work,
	// which is as fast while nobody else needs the workers.
	fastEvents = 64
	fastWindow = time.Minute
)

// fastLane keeps the queue of what people wait for free of the thousands of events
// that one organization, or the sweeper for it, may announce at once. The zero value
// is ready.
type fastLane struct {
	mu     sync.Mutex
	began  time.Time
	events map[record.OrgID]map[record.EventID]bool
}

// takes reports whether an event is among the first of its organization. One that was
// is so again within the window. A nil fastLane takes all.
func (f *fastLane) takes(org record.OrgID, event record.EventID, now time.Time) bool {
	if f == nil {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// A negative age is of a clock that was put back.
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
