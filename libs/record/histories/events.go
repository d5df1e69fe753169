package histories

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/eventcarbon/ecf/libs/record"
)

// Events is what verifying the histories of events reads.
type Events interface {
	StoredEvents(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.StoredEvent, error)
	EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
	EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error)
}

// EventTally is what a verification of events has gone through.
type EventTally struct{ Events, Entries int64 }

// VerifyEvents verifies all events of a tenant, including deleted ones, and reports the faults of each chain. It
// works while servers run: an event with faults is reread until it did not change meanwhile.
func VerifyEvents(ctx context.Context, store Events, org record.OrgID, report func(error) error) (EventTally, error) {
	var tally EventTally
	for after := int64(0); ; {
		events, err := store.StoredEvents(ctx, org, after, auditRecords)
		if err != nil || len(events) == 0 {
			return tally, err
		}
		for _, stored := range events {
			e := stored.Event
			// Slots are consecutive and never reused.
			if e.Slot > after+1 {
				if err := report(fmt.Errorf("the events with the numbers %d to %d are missing", after+1, e.Slot-1)); err != nil {
					return tally, err
				}
			}
			after = e.Slot
			if stored.Damage != nil {
				tally.Events++
				if err := report(fmt.Errorf("event %s: it cannot be read: %w", e.ID, stored.Damage)); err != nil {
					return tally, err
				}
				continue
			}
			entries, fault, err := verifyEvent(ctx, store, e)
			if record.IsDamage(err) {
				fault, err = fmt.Errorf("event %s: its history cannot be read: %w", e.ID, err), nil
			}
			if err != nil {
				return tally, fmt.Errorf("verify history of event %s: %w", e.ID, err)
			}
			tally.Events, tally.Entries = tally.Events+1, tally.Entries+entries
			if fault == nil {
				continue
			}
			if err := report(fault); err != nil {
				return tally, err
			}
		}
	}
}

// verifyEvent returns the number of an event's entries, and their faults.
func verifyEvent(ctx context.Context, store Events, e record.Event) (entries int64, fault, err error) {
	for range auditAttempts {
		if e.Last.Rev == 0 {
			return 0, verifyUnchanged(ctx, store, e), nil
		}
		all, err := store.EventEntries(ctx, e.Org, e.ID, 0, math.MaxInt32)
		if err != nil {
			return 0, nil, err
		}
		chain := make([]record.EventEntry, 0, len(all)+1)
		for _, entry := range all {
			// A change that failed leaves a copy of the newest entry.
			if entry.Rev == e.Last.Rev && entry.Hash == e.Last.Hash {
				continue
			}
			chain = append(chain, entry)
		}
		fault = record.VerifyEventHistory(e, append(chain, e.Last))
		if fault == nil {
			fault = contradictions(e, append(chain, e.Last))
		}
		if fault == nil && len(chain) > 0 && chain[0].Rev != e.Begin {
			fault = fmt.Errorf("event %s: its history begins at revision %d, not %d", e.ID, chain[0].Rev, e.Begin)
		}
		now, readErr := store.EventContext(ctx, e.Org, e.ID)
		if readErr != nil {
			return 0, nil, readErr
		}
		if fault == nil || now.Rev == e.Rev && now.Last.Hash == e.Last.Hash {
			return int64(len(chain)) + 1, fault, nil
		}
		e = now
	}
	return 0, nil, errors.New("it does not stand still")
}

// contradictions returns the differences between an event's creator, last editor and times and those in its complete
// history: no hash covers them.
func contradictions(e record.Event, entries []record.EventEntry) error {
	wrong := func(field string) error {
		return fmt.Errorf("event %s: its %s is not what its history says", e.ID, field)
	}
	if first := entries[0]; first.Action == record.EventCreated {
		if !e.CreatedAt.Equal(first.At) {
			return wrong("createdAt")
		}
		if e.CreatedBy != first.By {
			return wrong("createdBy")
		}
	}
	if !e.UpdatedAt.Equal(entries[len(entries)-1].At) {
		return wrong("updatedAt")
	}
	return nil
}

// verifyUnchanged verifies an event that predates histories and is unchanged since: it has no entries, except one that a
// failed change may have left.
func verifyUnchanged(ctx context.Context, store Events, e record.Event) error {
	all, err := store.EventEntries(ctx, e.Org, e.ID, 0, math.MaxInt32)
	if err != nil {
		return err
	}
	adopted := record.Adopted(e).Last
	for _, entry := range all {
		if entry.Rev != adopted.Rev || entry.Hash != adopted.Hash {
			return fmt.Errorf("event %s: it has lost its history, of which revision %d is left", e.ID, entry.Rev)
		}
	}
	return nil
}
