package record

import "context"

// Histories reads all that is stored of a tenant, deleted or not. It is for
// package histories, which verifies it.
type Histories interface {
	// OrganizationIDs lists up to limit tenants with ids above after, ascending.
	OrganizationIDs(ctx context.Context, after OrgID, limit int) ([]OrgID, error)
	// RecordsAfter reads up to limit records that come after a place in the order
	// of event, type and number, tombstones included.
	RecordsAfter(ctx context.Context, org OrgID, after Place, limit int) ([]Record, error)
	// RecordsByID reads those of the records that there are, tombstones included.
	RecordsByID(ctx context.Context, org OrgID, ids []ID) ([]Record, error)
	// EntriesAfter reads up to limit stored entries that come after one in the
	// order of record and revision: of these records, or of all with ids nil.
	EntriesAfter(ctx context.Context, org OrgID, ids []ID, after EntryPlace, limit int) ([]StoredEntry, error)
}

// Place is where a record stands among those of its tenant.
type Place struct {
	Event EventID
	Type  string
	Seq   int64
}

// PlaceOf returns the place of a record.
func PlaceOf(r Record) Place { return Place{Event: r.Event, Type: r.Type, Seq: r.Seq} }

// EntryPlace is where a stored entry stands among those of its tenant.
type EntryPlace struct {
	Record ID
	Rev    int64
}

// StoredEntry is an entry as it lies apart from its record.
type StoredEntry struct {
	Event  EventID
	Record ID
	Entry  Entry
	// Damage states why the entry cannot be read; of Entry only Rev is then known.
	Damage error
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
