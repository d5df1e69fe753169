package record

import (
	"context"
	"errors"
	"sync"
)

// Rehearsal is a store for one request that is only to be tried out: it reads
// from the store behind it, refuses what that would refuse, and keeps what is
// written to itself, where the same request reads it again. Nothing is stored:
// the store behind it has no method that writes.
type Rehearsal struct {
	Originals

	mu      sync.Mutex
	records map[ID]Record
	// references taken in the dry run, by sub-collection and key
	references map[reference]ID
}

// Originals is what a dry run reads. A Rehearsal answers from it unless it has a method of
// its own: of what a request writes, only records are read again by the same request.
type Originals interface {
	Organization(ctx context.Context, id OrgID) (Organization, error)
	PoliciesAfter(ctx context.Context, org OrgID, after int64, limit int) ([]PolicyEntry, error)
	UsedSlots(ctx context.Context, org OrgID) (int64, error)
	Event(ctx context.Context, org OrgID, id EventID) (Event, error)
	CurrentEvent(ctx context.Context, org OrgID, id EventID) (Event, error)
	EventByReference(ctx context.Context, org OrgID, reference string) (Event, error)
	EventEntries(ctx context.Context, org OrgID, id EventID, from, to int64) ([]EventEntry, error)
	CountByStatus(ctx context.Context, org OrgID, event EventID) (map[Status]int64, error)
	Record(ctx context.Context, org OrgID, key Key) (Record, error)
	FindRecord(ctx context.Context, org OrgID, event EventID, id ID) (Record, error)
	RecordByReference(ctx context.Context, org OrgID, sub Sub, reference string) (Record, error)
	RecordsByID(ctx context.Context, org OrgID, ids []ID) ([]Record, error)
	Entries(ctx context.Context, org OrgID, id ID) ([]Entry, error)
}

type reference struct {
	sub Sub
	key string
}

// Rehearse returns a store for dry runs, which overlays another one.
func Rehearse(store Originals) *Rehearsal {
	return &Rehearsal{Originals: store, records: map[ID]Record{}, references: map[reference]ID{}}
}

// InsertEvent implements the method of Events: the quota is checked, not used.
func (h *Rehearsal) InsertEvent(ctx context.Context, org OrgID, e Event, quota int64) (Event, error) {
	used, err := h.Originals.UsedSlots(ctx, org)
	if err != nil {
		return Event{}, err
	}
	if quota != Unlimited && used >= quota {
		return Event{}, ErrQuota
	}
	if err := h.referEvent(ctx, org, e); err != nil {
		return Event{}, err
	}
	e.Org, e.Slot = org, used+1
	return e, nil
}

// ReplaceEvent implements the method of Events.
func (h *Rehearsal) ReplaceEvent(ctx context.Context, org OrgID, e Event, prevRev int64) error {
	stored, err := h.Originals.Event(ctx, org, e.ID)
	if err := replaceable(err, stored.Rev, prevRev); err != nil {
		return err
	}
	return h.referEvent(ctx, org, e)
}

// referEvent returns ErrDuplicateReference where another event has the reference.
func (h *Rehearsal) referEvent(ctx context.Context, org OrgID, e Event) error {
	if e.Reference == "" || e.Deleted {
		return nil
	}
	owner, err := h.Originals.EventByReference(ctx, org, e.Reference)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err == nil && owner.ID != e.ID:
		return ErrDuplicateReference
	}
	return err
}

// ReplaceOrganization implements the method of Organizations.
func (h *Rehearsal) ReplaceOrganization(ctx context.Context, o Organization, prevRev int64) error {
	stored, err := h.Originals.Organization(ctx, o.ID)
	return replaceable(err, stored.Rev, prevRev)
}

// InsertPolicies implements the method of Policies: they go with an organization that
// is not stored.
func (h *Rehearsal) InsertPolicies(context.Context, OrgID, []PolicyEntry) error { return nil }

// replaceable returns the error of a replacement of the value just read.
func replaceable(err error, rev, prevRev int64) error {
	if errors.Is(err, ErrNotFound) || err == nil && rev != prevRev {
		return ErrConflict
	}
	return err
}

// InsertRecord implements the method of Records.
func (h *Rehearsal) InsertRecord(ctx context.Context, org OrgID, r Record) (Record, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refer(ctx, org, r); err != nil {
		return Record{}, err
	}
	r.Org = org
	h.records[r.ID] = r
	return r, nil
}

// InsertRecords implements the method of Records.
func (h *Rehearsal) InsertRecords(ctx context.Context, org OrgID, sub Sub, records []Record) (stored []Record, refused []error, err error) {
	stored, refused = make([]Record, len(records)), make([]error, len(records))
	for i, r := range records {
		r.Event, r.Type = sub.Event, sub.Type
		stored[i], err = h.InsertRecord(ctx, org, r)
		if errors.Is(err, ErrDuplicateReference) {
			refused[i], err = err, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return stored, refused, nil
}

// refer takes a record's reference, or returns an error if another record has it.
func (h *Rehearsal) refer(ctx context.Context, org OrgID, r Record) error {
	if r.Reference == "" || r.Deleted {
		return nil
	}
	at := reference{r.Key().Sub(), r.RefKey()}
	if owner, taken := h.references[at]; taken {
		if owner != r.ID {
			return ErrDuplicateReference
		}
		return nil
	}
	// The record that has it in the store may be this one.
	stored, err := h.Originals.Record(ctx, org, r.Key())
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if err != nil || stored.Reference != r.Reference {
		owner, err := h.Originals.RecordByReference(ctx, org, r.Key().Sub(), r.Reference)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if err == nil && !h.released(owner, r.Reference) {
			return ErrDuplicateReference
		}
	}
	h.references[at] = r.ID
	return nil
}

// released reports whether the record that has the reference in the store has released it in the dry run. The caller
// holds the lock.
func (h *Rehearsal) released(owner Record, ref string) bool {
	r, rehearsed := h.records[owner.ID]
	return rehearsed && (r.Deleted || r.Reference != ref)
}

// RecordByReference implements the method of Records.
func (h *Rehearsal) RecordByReference(ctx context.Context, org OrgID, sub Sub, ref string) (Record, error) {
	h.mu.Lock()
	for _, r := range h.records {
		if r.Org == org && r.Key().Sub() == sub && r.Reference == ref && !r.Deleted {
			h.mu.Unlock()
			return r, nil
		}
	}
	h.mu.Unlock()
	r, err := h.Originals.RecordByReference(ctx, org, sub, ref)
	if err != nil {
		return Record{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released(r, ref) {
		return Record{}, ErrNotFound
	}
	return r, nil
}

// Record implements the method of Records.
func (h *Rehearsal) Record(ctx context.Context, org OrgID, key Key) (Record, error) {
	h.mu.Lock()
	r, rehearsed := h.records[key.ID]
	h.mu.Unlock()
	if !rehearsed {
		return h.Originals.Record(ctx, org, key)
	}
	if r.Org != org || r.Key() != key || r.Deleted {
		return Record{}, ErrNotFound
	}
	return r, nil
}

// ReplaceRecord implements the method of Records.
func (h *Rehearsal) ReplaceRecord(ctx context.Context, org OrgID, r Record, prevRev int64) error {
	before, err := h.Record(ctx, org, r.Key())
	if err := replaceable(err, before.Rev, prevRev); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.refer(ctx, org, r); err != nil {
		return err
	}
	h.records[r.ID] = r
	return nil
}

// InsertEntry implements the method of Records: nothing is kept.
func (h *Rehearsal) InsertEntry(context.Context, OrgID, EventID, ID, Entry) error { return nil }

// InsertEventEntry implements the method of Gates: nothing is kept.
func (h *Rehearsal) InsertEventEntry(context.Context, OrgID, EventID, EventEntry) error { return nil }

// SetEverApproved implements the method of Gates: nothing is kept.
func (h *Rehearsal) SetEverApproved(context.Context, OrgID, EventID) error { return nil }

// FindRecord implements the method of Records.
func (h *Rehearsal) FindRecord(ctx context.Context, org OrgID, event EventID, id ID) (Record, error) {
	h.mu.Lock()
	r, rehearsed := h.records[id]
	h.mu.Unlock()
	if !rehearsed {
		return h.Originals.FindRecord(ctx, org, event, id)
	}
	return h.Record(ctx, org, Key{Event: event, Type: r.Type, ID: id})
}
