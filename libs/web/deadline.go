package web

import (
	"context"
	"sync"
	"time"
)

// deadlineContext is a context that ends at a deadline, or with end. What that
// takes, a timer and a place in its parent, is made when somebody waits for it:
// most requests are answered from memory before anybody has.
type deadlineContext struct {
	parent   context.Context
	deadline time.Time

	mu     sync.Mutex
	made   context.Context // nil until somebody waits
	cancel context.CancelFunc
	ended  bool
}

func withDeadline(parent context.Context, deadline time.Time) *deadlineContext {
	if sooner, ok := parent.Deadline(); ok && sooner.Before(deadline) {
		deadline = sooner
	}
	return &deadlineContext{parent: parent, deadline: deadline}
}

// Deadline implements context.Context.
func (d *deadlineContext) Deadline() (time.Time, bool) { return d.deadline, true }

// Done implements context.Context.
func (d *deadlineContext) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil {
		d.made, d.cancel = context.WithDeadline(d.parent, d.deadline)
		if d.ended {
			d.cancel()
		}
	}
	return d.made.Done()
}

// Err implements context.Context.
func (d *deadlineContext) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.made != nil:
		return d.made.Err()
	case d.ended:
		return context.Canceled
	case d.parent.Err() != nil:
		return d.parent.Err()
	case !time.Now().Before(d.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context. Once there is a context below, it answers: the
// package context finds there what it needs to end the children with it.
func (d *deadlineContext) Value(key any) any {
	d.mu.Lock()
	made := d.made
	d.mu.Unlock()
	if made != nil {
		return made.Value(key)
	}
	return d.parent.Value(key)
}

// end ends the context, and what was derived from it.
func (d *deadlineContext) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}
