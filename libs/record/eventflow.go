package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// EventStore is the part of a store that an EventFlow uses.
type EventStore interface {
	Event(ctx context.Context, org OrgID, id EventID) (Event, error)
	ReplaceEvent(ctx context.Context, org OrgID, e Event, prevRev int64) error
	InsertEventEntry(ctx context.Context, org OrgID, id EventID, e EventEntry) error
	EventEntries(ctx context.Context, org OrgID, id EventID, from, to int64) ([]EventEntry, error)
	EventByReference(ctx context.Context, org OrgID, reference string) (Event, error)
}

// EventFlow applies changes of events: each is one conditional write together
// with its history entry and, if figures are affected, the mark that requests their
// recalculation.
type EventFlow struct {
	Store EventStore
	Now   func() time.Time
	// Report, if set, enters actions on an event into the audit log, each at least once: Apply reports the latest
	// entry of the history before replacing it. Without Report, the next change does.
	Report EventReport
	// Once, if set, identifies the request of this change: a change that it already made is found in the history and
	// not repeated.
	Once string
	// Still, if set, is called before a change is written, which may have taken long to calculate; its error ends it.
	Still func(ctx context.Context) error
}

// EventReport enters actions on an event into the audit log. It may be called
// again with the same ones.
type EventReport func(ctx context.Context, org OrgID, id EventID, actions []EventEntry) error

// maxOwed bounds the unreported actions of an event. It is reached only without Report: with it, a change fails if it
// cannot report the ones before it.
const maxOwed = 500

// Unreported returns the actions on the event that are not known to be in
// the audit log, oldest first.
func (e Event) Unreported() []EventEntry {
	if e.Last.Rev == 0 {
		return nil // the event predates histories
	}
	owed := e.Owed[max(0, len(e.Owed)-maxOwed):]
	return append(slices.Clip(owed), EventEntry{Rev: e.Last.Rev, Action: e.Last.Action, By: e.Last.By, At: e.Last.At, Hash: e.Last.Hash})
}

// EventRequest is a requested change of an event.
type EventRequest struct {
	Org     OrgID
	ID      EventID
	Action  EventAction
	By      Actor
	Comment string
	// Proposal is the id of the approved proposal, for the entry.
	Proposal string
	// FourEyes and PolicyRev identify the policy in force.
	FourEyes  bool
	PolicyRev int64
	// Gate is the required state of the event; GateOpen for changes that affect a figure.
	// While it is closing, a request that needs it open is answered UNAVAILABLE,
	// and EVENT_SIGNED once it is signed.
	Gate GateState
	// AnyGate lifts that condition, for changes that affect no figure.
	AnyGate bool
	// Change edits the event. It may be called repeatedly, each time with the event as stored. Its error is returned
	// unchanged.
	Change func(e *Event) error
	// Entry, when set, may edit the entry after Change: a change that turned out
	// to be a proposal has another action.
	Entry func(entry *EventEntry)
}

// ErrUnchanged is returned by a Change without effect: Apply returns the event unchanged, and no error.
var ErrUnchanged = errors.New("record: nothing to change")

// ErrMade is the error of an Apply whose request (EventFlow.Once) has already made its
// change. EntryOnce finds it.
var ErrMade = errors.New("record: the request has made its change")

// EntryOnce looks in the history of an event, as it was read, for what the request of
// a name has done to it; false where it has done nothing. It is to be asked before
// what the change would meet now: done, it may not be possible any more.
func EntryOnce(ctx context.Context, store interface {
	EventEntries(ctx context.Context, org OrgID, id EventID, from, to int64) ([]EventEntry, error)
}, e Event, once string) (EventEntry, bool, error) {
	if once == "" || e.Last.Rev == 0 {
		return EventEntry{}, false, nil
	}
	if e.Last.Once == once {
		return e.Last, true, nil
	}
	// The entry stored under the newest revision may be that of an attempt that failed; the entry in the event is the
	// valid one.
	for to := e.Rev - 1; to >= e.Begin; to -= entriesAtOnce {
		entries, err := store.EventEntries(ctx, e.Org, e.ID, max(e.Begin, to-entriesAtOnce+1), to)
		if err != nil {
			return EventEntry{}, false, fmt.Errorf("read the history of event %s: %w", e.ID, err)
		}
		for _, entry := range slices.Backward(entries) {
			if entry.Once == once {
				return entry, true, nil
			}
		}
		if len(entries) > 0 && e.Last.At.Sub(entries[0].At) > onceLooksBack {
			break
		}
	}
	return EventEntry{}, false, nil
}

const (
	// entriesAtOnce is how many entries EntryOnce reads at a time.
	entriesAtOnce = 100
	// onceLooksBack is longer than the lifetime of an idempotency key, by a day for clock skew: older entries belong
	// to requests that cannot be repeated any more.
	onceLooksBack = 48 * time.Hour
)

// Apply makes one change: read, check the gate, change, write on the condition
// that nothing came between. Errors for the client: EVENT_NOT_FOUND,
// EVENT_SIGNED, UNAVAILABLE, DUPLICATE_REFERENCE, RATE_LIMITED (LargeChanges), and
// those of Change; ErrMade for who has set Once.
func (f EventFlow) Apply(ctx context.Context, req EventRequest) (Event, error) {
	for range applyAttempts {
		before, err := f.Store.Event(ctx, req.Org, req.ID)
		if errors.Is(err, ErrNotFound) {
			return Event{}, NoSuchEvent()
		}
		if err != nil {
			return Event{}, fmt.Errorf("%s event: %w", req.Action, err)
		}
		// Checked after every read: if the change was not visible in it and is made before the write, the revision
		// differs and the write fails.
		if _, made, err := EntryOnce(ctx, f.Store, before, f.Once); err != nil || made {
			if err == nil {
				err = ErrMade
			}
			return Event{}, err
		}
		if err := req.gate(before); err != nil {
			return Event{}, err
		}
		after, err := f.next(req, before)
		if errors.Is(err, ErrUnchanged) {
			return before, nil
		}
		if err != nil {
			return Event{}, err
		}
		if f.Still != nil {
			if err := f.Still(ctx); err != nil {
				return Event{}, err
			}
		}
		after.Owed = before.Unreported()
		if f.Report != nil {
			if err := f.Report(ctx, req.Org, req.ID, after.Owed); err != nil {
				return Event{}, fmt.Errorf("%s event: report what was done before: %w", req.Action, err)
			}
			after.Owed = nil
		}
		if err := f.Store.InsertEventEntry(ctx, req.Org, req.ID, Adopted(before).Last); err != nil {
			return Event{}, fmt.Errorf("%s event: keep history: %w", req.Action, err)
		}
		err = f.Store.ReplaceEvent(ctx, req.Org, after, before.Rev)
		if errors.Is(err, ErrConflict) {
			continue
		}
		if errors.Is(err, ErrDuplicateReference) {
			return Event{}, DuplicateEventReference(ctx, f.Store, req.Org, after)
		}
		if err != nil {
			return Event{}, fmt.Errorf("%s event: %w", req.Action, err)
		}
		return after, nil
	}
	return Event{}, apperr.Overtaken("event")
}

// CheckOpen returns nil if the figure of the event may change, otherwise EVENT_SIGNED
// or, during a sign-off, UNAVAILABLE.
func (e Event) CheckOpen() error {
	switch e.Gate.State {
	case GateSigned:
		return eventSigned(e)
	case GateClosing:
		return eventClosing()
	}
	return nil
}

func (req EventRequest) gate(before Event) error {
	if req.AnyGate || before.Gate.State == req.Gate {
		return nil
	}
	if err := before.CheckOpen(); err != nil {
		return err
	}
	return apperr.New(apperr.InvalidTransition, "This event is not signed off.").
		With(apperr.Detail{Field: "signOff", Code: "OPEN", Message: "Only a signed event can be opened again."})
}

// restated reports whether a change requires a new revision of the result: its figures are calculated in another
// context, or reported for another boundary, other participants, or beside other offsets and removals.
func restated(before, after Event) bool {
	return after.Context() != before.Context() || slices.ContainsFunc(eventFields, func(f eventField) bool {
		return f.is&reported != 0 && !bytes.Equal(jsonOf(f.value(&before)), jsonOf(f.value(&after)))
	})
}

// next returns the event after the change, with its history entry.
func (f EventFlow) next(req EventRequest, before Event) (Event, error) {
	before = Adopted(before)
	after := before
	after.Mark = "" // keep the stored mark unless this change sets one
	if err := req.Change(&after); err != nil {
		return Event{}, err
	}
	now := f.Now().UTC().Truncate(time.Millisecond)
	after.Rev, after.UpdatedAt = before.Rev+1, now
	if req.By.ID != System().ID {
		// UpdatedBy names a person and their role. The system has neither; its changes are in the history.
		after.UpdatedBy = req.By
	}
	if restated(before, after) {
		after.ContextRev = before.ContextRev + 1
	}
	if after.ContextRev != before.ContextRev || after.Deleted {
		after.Mark = NewMark(f.Now())
	}
	entry := EventEntry{
		Action: req.Action, By: req.By, At: now, Comment: req.Comment, Change: req.Proposal, FourEyes: req.FourEyes, PolicyRev: req.PolicyRev, Once: f.Once,
	}
	if req.Entry != nil {
		req.Entry(&entry)
	}
	after = entry.seal(before, after)
	var err error
	after.Large, err = before.Large.with(after.Last)
	return after, err
}
