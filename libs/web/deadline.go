package web

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// deadlineContext is a context that ends at a deadline or by a call of end. Its timer
// and its registration with the parent are created only when a caller waits for it:
// most requests are answered from memory before that.
type deadlineContext struct {
	parent   context.Context
	deadline time.Time

	mu    sync.Mutex           // protects changes of made and ended
	made  atomic.Pointer[made] // nil until somebody waits
	ended atomic.Bool
}

// made is the underlying context, once created.
type made struct {
	context.Context
	cancel context.CancelFunc
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
	if m := d.made.Load(); m != nil {
		return m.Done()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.made.Load()
	if m == nil {
		ctx, cancel := context.WithDeadline(d.parent, d.deadline)
		m = &made{ctx, cancel}
		d.made.Store(m)
		if d.ended.Load() {
			cancel()
		}
	}
	return m.Done()
}

// Err implements context.Context.
func (d *deadlineContext) Err() error {
	if m := d.made.Load(); m != nil {
		return m.Err()
	}
	switch {
	case d.ended.Load():
		return context.Canceled
	case d.parent.Err() != nil:
		return d.parent.Err()
	case !time.Now().Before(d.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context. Once the underlying context exists, Value delegates
// to it, because package context finds there what it needs to cancel child contexts.
func (d *deadlineContext) Value(key any) any {
	if m := d.made.Load(); m != nil {
		return m.Value(key)
	}
	return d.parent.Value(key)
}

// end ends the context and those derived from it.
func (d *deadlineContext) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended.Store(true)
	if m := d.made.Load(); m != nil {
		m.cancel()
	}
}
