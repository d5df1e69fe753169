package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// InsertEvent implements record.Events. The quota is exact because slots are
// unique: slot n is taken by the n-th event, and no slot beyond the quota exists.
func (s *Store) InsertEvent(ctx context.Context, org record.OrgID, e record.Event, quota int64) (record.Event, error) {
	const verb = "insert event"
	done, err := s.locks.acquire(ctx, "slot\x00"+string(org))
	if err != nil {
		return record.Event{}, mongox.Wrap(verb, err)
	}
	defer done()
	state, err := eventStateOf(e)
	if err != nil {
		return record.Event{}, err
	}
	d := eventDoc{ID: string(e.ID), Org: string(org), Mark: e.Mark, EverApproved: e.EverApproved, State: state}
	used, err := s.usedSlots(ctx, org)
	if err != nil {
		return record.Event{}, mongox.Wrap(verb, err)
	}
	for {
		d.Slot = used + 1
		if quota != record.Unlimited && d.Slot > quota {
			return record.Event{}, s.overQuota(ctx, org, e.ID)
		}
		taken, err := insert(ctx, s.events, d)
		if err != nil {
			return record.Event{}, mongox.Wrap(verb, err)
		}
		if !taken {
			e.Org, e.Slot = org, d.Slot
			return e, nil
		}
		// Slots are never reused. If this one is still free, the duplicate is the id or the reference.
		if used, err = s.usedSlots(ctx, org); err != nil {
			return record.Event{}, mongox.Wrap(verb, err)
		}
		if used < d.Slot {
			return record.Event{}, s.takenEvent(ctx, org, e)
		}
	}
}

// takenEvent returns the error for a duplicate id or a duplicate reference.
func (s *Store) takenEvent(ctx context.Context, org record.OrgID, e record.Event) error {
	mine, err := exists(ctx, s.events, bson.D{eq("_id", e.ID), eq("org", org)})
	switch {
	case err != nil:
		return mongox.Wrap("insert event", err)
	case mine || e.Reference == "":
		return record.ErrDuplicate
	}
	return record.ErrDuplicateReference
}

// overQuota distinguishes an event that exists from one above the quota: a retry after the last slot was taken must
// find its event.
func (s *Store) overQuota(ctx context.Context, org record.OrgID, id record.EventID) error {
	mine, err := exists(ctx, s.events, bson.D{eq("_id", id), eq("org", org)})
	switch {
	case err != nil:
		return mongox.Wrap("insert event", err)
	case mine:
		return record.ErrDuplicate
	}
	return record.ErrQuota
}

// Event implements record.Events.
func (s *Store) Event(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	return one(ctx, s.events, "read event", bson.D{eq("_id", id), eq("org", org), eq("deleted", false)}, eventFromDoc)
}

// EventByReference implements record.Events.
func (s *Store) EventByReference(ctx context.Context, org record.OrgID, reference string) (record.Event, error) {
	if reference == "" {
		return record.Event{}, record.ErrNotFound
	}
	return one(ctx, s.events, "read event by reference",
		bson.D{eq("org", org), eq("refKey", record.Event{Reference: reference}.RefKey()), eq("deleted", false)}, eventFromDoc)
}

// EventContext implements record.Counting.
func (s *Store) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	return one(ctx, s.events, "read event context", bson.D{eq("_id", id), eq("org", org)}, eventFromDoc)
}

// EventSpan implements record.Pages.
func (s *Store) EventSpan(ctx context.Context, org record.OrgID, skip, limit int64) (record.Span, error) {
	span, err := s.span(ctx, s.eventsOf(org), skip, limit)
	return span, mongox.Wrap("find page of events", err)
}

// EventRange implements record.Pages.
func (s *Store) EventRange(ctx context.Context, org record.OrgID, from, to int64) ([]record.Event, error) {
	slots, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	return listUpTo(ctx, s.events, "read events", record.RangeBytes, bson.D{eq("org", org), eq("deleted", false), eq("slot", slots)},
		eventFromDoc, options.Find().SetSort(bson.D{eq("slot", -1)}).SetLimit(most))
}

// EventRevisions implements record.Pages. What an event's context moves is not
// shown with the event.
func (s *Store) EventRevisions(ctx context.Context, org record.OrgID, from, to int64) ([]record.Revision, error) {
	return s.eventsOf(org).revisions(ctx, from, to)
}

// UsedSlots implements record.Events.
func (s *Store) UsedSlots(ctx context.Context, org record.OrgID) (int64, error) {
	used, err := s.usedSlots(ctx, org)
	return used, mongox.Wrap("read used slots", err)
}

func (s *Store) usedSlots(ctx context.Context, org record.OrgID) (int64, error) {
	return highest(ctx, s.events, bson.D{eq("org", org)}, "slot")
}

// ReplaceEvent implements record.Events.
func (s *Store) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	state, err := eventStateOf(e)
	if err != nil {
		return err
	}
	asRead := bson.D{eq("_id", e.ID), eq("org", org), eq("rev", prevRev), eq("deleted", false)}
	if !e.EverApproved {
		asRead = append(asRead, eq("everApproved", bson.D{eq("$exists", false)}))
	}
	matched, err := update(ctx, s.events, asRead,
		struct {
			Mark  string     `bson:"mark,omitempty"` // absent: the stored one stays
			State eventState `bson:",inline"`
		}{e.Mark, state})
	if mongox.IsDuplicate(err) {
		return record.ErrDuplicateReference
	}
	if err := mustMatch("replace event", matched, err); err != nil {
		return err
	}
	if e.Deleted {
		// The event is deleted even if this fails: the next compaction includes it.
		_ = s.compact(ctx, s.eventsOf(org))
	}
	return nil
}

// keyEvents sets the refKey of an organization's events that lack it.
func (s *Store) keyEvents(ctx context.Context, org record.OrgID) error {
	type eventID struct {
		ID record.EventID `bson:"_id"`
	}
	missing := bson.D{eq("org", org), eq("refKey", bson.D{eq("$exists", false)})}
	cursor, err := s.events.Find(ctx, missing, options.Find().SetProjection(only("_id")))
	if err != nil {
		return err
	}
	defer cursor.Close(ctx) //nolint:errcheck // Err returns what matters
	for cursor.Next(ctx) {
		var e eventID
		if err := cursor.Decode(&e); err != nil {
			return err
		}
		if _, err := update(ctx, s.events, with(missing, eq("_id", e.ID)), bson.D{eq("refKey", record.Event{ID: e.ID}.RefKey())}); err != nil {
			return err
		}
	}
	return cursor.Err()
}
