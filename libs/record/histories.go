package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Histories reads all that is stored of a tenant, deleted or not. It is for
// package histories, which verifies it.
type Histories interface {
	// OrganizationIDs lists up to limit tenants with ids above after, ascending.
	OrganizationIDs(ctx context.Context, after OrgID, limit int) ([]OrgID, error)
	// RecordsAfter reads up to limit records that come after a place in the order
	// of event, type and number, tombstones included.
	RecordsAfter(ctx context.Context, org OrgID, after Place, limit int) ([]Record, error)
	// RecordsByID reads those of the records that exist, tombstones included.
	RecordsByID(ctx context.Context, org OrgID, ids []ID) ([]Record, error)
	// StoredRecords is RecordsAfter for verification: unreadable records are included, with their damage.
	StoredRecords(ctx context.Context, org OrgID, after Place, limit int) ([]StoredRecord, error)
	// StoredRecordsByID is RecordsByID for verification.
	StoredRecordsByID(ctx context.Context, org OrgID, ids []ID) ([]StoredRecord, error)
	// StoredEvents is EventsAfter for verification.
	StoredEvents(ctx context.Context, org OrgID, after int64, limit int) ([]StoredEvent, error)
	// TenantAfter returns the lowest organization id above after under which anything is stored, whether or not the
	// organization exists; empty if there is none.
	TenantAfter(ctx context.Context, after OrgID) (OrgID, error)
	// EntriesAfter reads up to limit stored entries after the given one, ordered by record and revision: those of
	// these records, or all if ids is nil.
	EntriesAfter(ctx context.Context, org OrgID, ids []ID, after EntryPlace, limit int) ([]StoredEntry, error)
}

// Place is the position of a record among those of its tenant.
type Place struct {
	Event EventID
	Type  string
	Seq   int64
}

// PlaceOf returns the place of a record.
func PlaceOf(r Record) Place { return Place{Event: r.Event, Type: r.Type, Seq: r.Seq} }

// EntryPlace is the position of a stored entry among those of its tenant.
type EntryPlace struct {
	Record ID
	Rev    int64
}

// StoredEntry is an entry as it lies apart from its record.
type StoredEntry struct {
	Event  EventID
	Record ID
	Entry  Entry
	// Damage is the reason why the entry cannot be read; then only Rev of Entry is set.
	Damage error
}

// StoredRecord is a record as it lies in the store.
type StoredRecord struct {
	Record Record
	// Damage is the reason why the record cannot be read; then only its place is set.
	Damage error
}

// StoredEvent is an event as it lies in the store.
type StoredEvent struct {
	Event Event
	// Damage is the reason why the event cannot be read; then only ID, Org, Slot and Deleted are set.
	Damage error
}

// Damage is the error of stored data that cannot be decoded. Verification distinguishes
// it from an unavailable store.
type Damage struct{ Err error }

// Damaged makes an error a Damage; nil stays nil.
func Damaged(err error) error {
	if err == nil {
		return nil
	}
	return &Damage{err}
}

// IsDamage reports whether an error is of what is stored.
func IsDamage(err error) bool {
	var damage *Damage
	return errors.As(err, &damage)
}

// Error implements error.
func (d *Damage) Error() string { return d.Err.Error() }

// Unwrap returns what was found.
func (d *Damage) Unwrap() error { return d.Err }

// CheckRefKey returns an error if the stored key of a record's reference is wrong. No chain covers references.
func CheckRefKey(r Record, key string) error {
	if key == r.RefKey() {
		return nil
	}
	return Damaged(fmt.Errorf("its external reference is %q, and its key is of another one", r.Reference))
}

// CheckBoundary returns an error if the boundary of an event is not JSON, which its history would show as none.
func CheckBoundary(e Event) error {
	if len(e.Boundary) == 0 || json.Valid(e.Boundary) {
		return nil
	}
	return Damaged(errors.New("its boundary is no JSON"))
}

// Place returns the place of the entry.
func (e StoredEntry) Place() EntryPlace { return EntryPlace{Record: e.Record, Rev: e.Entry.Rev} }

// Intact reports whether the entry is what was sealed, for this record.
func (e Entry) Intact(org OrgID, id ID) bool { return e.Hash == e.digest(org, id) }

// Describes reports whether a record is what its newest entry left behind.
func (e Entry) Describes(r Record) bool {
	return r.Rev == e.Rev && r.Status == e.To && r.Deleted == (e.Move == Delete) && r.UpdatedAt.Equal(e.At) &&
		(e.Input == "" || e.Input == inputHash(r))
}
