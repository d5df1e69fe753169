package record

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Known is data read before a transition is applied, so that Apply need
// not read it again. A transition based on it is correct, because it is written on the condition that
// the record is as it was read. Nothing else is decided by it: before a request is
// refused, or found to be done already, the data are read again.
type Known struct {
	Record Record
	// Event, if set, is the event that the Gate returned after Record was read. One
	// read before the record proves nothing about it: see package signoff.
	Event *Event
}

// outcome is the result of an attempt at a move.
type outcome int

const (
	failed      outcome = iota // the storage engine failed; the move may have been made
	refused                    // for the reason in the error
	overtaken                  // by another write of the record
	beingSigned                // the event is
	unchanged                  // the record is as requested, or deleted
	written
)

// attempt makes a move of the record as it was read, and returns the record after it.
func (w Workflow) attempt(ctx context.Context, r rule, req Request, known Known) (Record, outcome, error) {
	before := known.Record
	made, err := w.made(ctx, req, before)
	if err != nil {
		return Record{}, failed, fmt.Errorf("%s record: read history: %w", req.Move, err)
	}
	if made {
		return before, unchanged, nil
	}
	policy, err := w.policyFor(ctx, r, req, before)
	if err != nil {
		return Record{}, failed, fmt.Errorf("%s record: read policy: %w", req.Move, err)
	}
	var own error // error of a caller who may not approve this record in any state
	if _, possible := NextState(req.Move, before.Status); policy.FourEyes && (r.to == Approved || !possible) {
		own = w.checkEditors(ctx, req, before)
	}
	after, err := w.decide(r, req, before, policy, own)
	if err != nil {
		return Record{}, refused, err
	}
	if req.Move == Edit && len(after.Last.Changed) == 0 {
		// Nothing was changed: no new revision, and no new last editor.
		return before, unchanged, nil
	}
	open, err := w.open(ctx, req, known, after)
	if err != nil {
		return Record{}, refused, err
	}
	if !open {
		return Record{}, beingSigned, nil
	}
	err = w.replace(ctx, req.Org, before, after)
	switch {
	case err == nil:
		return after, written, nil
	case errors.Is(err, ErrConflict):
		return Record{}, overtaken, nil
	case errors.Is(err, ErrDuplicateReference):
		return Record{}, refused, duplicateReference(ctx, w.Store, req.Org, after)
	default:
		return Record{}, failed, fmt.Errorf("%s record: %w", req.Move, err)
	}
}

// replace writes the record after a move. A record holds only its newest history entry; the previous one is stored
// separately with it or, where the store writes one document at a time, before it. A crash in between makes the next
// attempt store it again, which is harmless; it is never lost.
func (w Workflow) replace(ctx context.Context, org OrgID, before, after Record) error {
	if store, ok := w.Store.(EntryKeeper); ok {
		return store.ReplaceRecordKeeping(ctx, org, after, before.Rev, before.Last)
	}
	if err := w.Store.InsertEntry(ctx, org, before.Event, before.ID, before.Last); err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	return w.Store.ReplaceRecord(ctx, org, after, before.Rev)
}

// open reports whether the gate of the event permits a move into or out of the approved records; every other move
// needs no gate. The gate is read after the record: see package signoff.
func (w Workflow) open(ctx context.Context, req Request, known Known, after Record) (bool, error) {
	before := known.Record
	if w.Gate == nil || (before.Status == Approved) == (after.Status == Approved) {
		return true, nil
	}
	var e Event
	var err error
	if known.Event != nil {
		e = *known.Event
	} else {
		e, err = w.Gate(ctx, req.Org, req.Key.Event)
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return false, NoSuchEvent()
	case err != nil:
		return false, fmt.Errorf("%s record: read event: %w", req.Move, err)
	case e.Gate.State == GateSigned:
		return false, eventSigned(e)
	}
	// A fence above the epoch means that the event has changed since it was read.
	if e.Gate.State != GateOpen || before.Fence > e.Gate.Epoch {
		return false, nil
	}
	if req.Move == Approve && req.IfFigure != nil && !req.IfFigure(before, e) {
		return false, recordMoved()
	}
	// This precedes the write of the record. Otherwise a change of the event that was decided while nothing was
	// approved could be written after the approval (see ReplaceEvent).
	if w.Approving != nil && !e.EverApproved {
		if err := w.Approving(ctx, req.Org, req.Key.Event); err != nil {
			return false, fmt.Errorf("%s record: govern event: %w", req.Move, err)
		}
	}
	return true, nil
}

// closingLimit is how long a move waits for a sign-off in progress.
const closingLimit = 2 * time.Second

// closingWait waits for the end of a sign-off.
type closingWait struct {
	now   func() time.Time
	begun time.Time
}

// wait pauses; it returns UNAVAILABLE once a request has waited long enough.
func (c *closingWait) wait(ctx context.Context) error {
	if c.begun.IsZero() {
		c.begun = c.now()
	}
	if waited := c.now().Sub(c.begun); waited >= closingLimit || waited < 0 {
		return eventClosing()
	}
	return Pause(ctx, closingLimit/40)
}

// Pause waits for d, or until ctx ends, whose error it then returns.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
