package connections

import (
	"sync"
	"time"
)

// deadline is the read or write deadline of a connection. A server sets three per
// request, half a minute or more ahead; each sets a timer, and almost none is ever
// reached. So a deadline is applied lazily, by the read or write that it is for, and
// not at all if the current one is at most deadlineStep later.
type deadline struct {
	mu            sync.Mutex // guards against Close by another goroutine
	wanted, until time.Time  // until is the deadline in effect
}

// deadlineStep is how late a deadline may be. A deadline in effect that is at most this
// much later is kept; otherwise a busy connection would set timers for each request.
const deadlineStep = 50 * time.Millisecond

// deadlineSoon is how near a deadline has to be to be set at once: it may be meant to
// interrupt a pending operation.
const deadlineSoon = time.Second

// want requests a deadline.
func (d *deadline) want(t time.Time, set func(time.Time) error) error {
	if t.IsZero() || time.Until(t) > deadlineSoon {
		d.mu.Lock()
		d.wanted = t
		d.mu.Unlock()
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted, d.until = t, t
	return set(t)
}

// apply sets the requested deadline, unless the one in effect is at most deadlineStep
// later.
func (d *deadline) apply(set func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if late := d.until.Sub(d.wanted); late >= 0 && late <= deadlineStep {
		return nil
	}
	d.until = d.wanted
	if !d.until.IsZero() {
		d.until = d.until.Add(deadlineStep)
	}
	return set(d.until)
}
