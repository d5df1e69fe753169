package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/eventcarbon/ecf/libs/record"
)

// OrganizationIDs implements record.Histories.
func (s *Store) OrganizationIDs(ctx context.Context, after record.OrgID, limit int) ([]record.OrgID, error) {
	ids, err := list(ctx, s.db, func(row scanner) (id record.OrgID, err error) { return id, row.Scan(&id) },
		`SELECT id FROM organizations WHERE id > ? ORDER BY id LIMIT ?`, after, limit)
	return ids, wrap("list organizations", err)
}

// RecordsAfter implements record.Histories.
func (s *Store) RecordsAfter(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.Record, error) {
	records, err := list(ctx, s.db, scanRecord,
		`SELECT `+recordColumns+` FROM records
		 WHERE org = ? AND (event, type, seq) > (?, ?, ?) ORDER BY event, type, seq LIMIT ?`,
		org, after.Event, after.Type, after.Seq, limit)
	return records, wrap("read all records", err)
}

// RecordsByID implements record.Histories.
func (s *Store) RecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.Record, error) {
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, wrap("read records by id", err)
	}
	// The sign keeps the engine from the indexes by organization: it would read all records of one.
	records, err := list(ctx, s.db, scanRecord,
		`SELECT `+recordColumns+` FROM records WHERE +org = ? AND id IN (SELECT value FROM json_each(?))`, org, string(wanted))
	return records, wrap("read records by id", err)
}

// EntriesAfter implements record.Histories.
func (s *Store) EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error) {
	if ids == nil {
		entries, err := list(ctx, s.db, scanStoredEntry,
			`SELECT event, record, rev, entry FROM history
			 WHERE org = ? AND (record, rev) > (?, ?) ORDER BY record, rev LIMIT ?`, org, after.Record, after.Rev, limit)
		return entries, wrap("read all histories", err)
	}
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, wrap("read histories", err)
	}
	entries, err := list(ctx, s.db, scanStoredEntry,
		`SELECT event, record, rev, entry FROM history
		 WHERE org = ? AND record IN (SELECT value FROM json_each(?)) AND (record, rev) > (?, ?)
		 ORDER BY record, rev LIMIT ?`, org, string(wanted), after.Record, after.Rev, limit)
	return entries, wrap("read histories", err)
}

// scanStoredEntry reads an entry as it lies there: one that cannot be read is a
// finding, not a failure.
func scanStoredEntry(row scanner) (e record.StoredEntry, err error) {
	var text []byte
	if err := row.Scan(&e.Event, &e.Record, &e.Entry.Rev, &text); err != nil {
		return e, err
	}
	var stored entryJSON
	if e.Damage = json.Unmarshal(text, &stored); e.Damage != nil {
		return e, nil //nolint:nilerr // that is the finding
	}
	entry, damage := entryFromJSON(stored)
	if damage == nil && entry.Rev != e.Entry.Rev {
		damage = errors.New("the entry is of another revision")
	}
	if e.Damage = damage; damage == nil {
		e.Entry = entry
	}
	return e, nil
}
