package gateway

import (
	"sync"
	"time"
)

// deadline is that of a connection for reading, or that for writing. A server sets three of them
// for each request, half a minute and more ahead; each sets a timer, and hardly one is ever
// reached. So one is set when something is read or written that it is for, and is not where the
// one that the connection has is hardly later.
type deadline struct {
	mu            sync.Mutex // another goroutine may end what waits
	wanted, until time.Time  // until is the one that the connection has
}

// deadlineSoon is how far ahead a deadline is set at once: it is for who waits already.
const deadlineSoon = time.Second

// want asks for a deadline.
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

// apply sets the deadline that is wanted, unless the connection has one that is later by
// deadlineStep at most.
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
