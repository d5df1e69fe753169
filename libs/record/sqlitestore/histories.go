package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// OrganizationIDs implements record.Histories.
func (s *Store) OrganizationIDs(ctx context.Context, after record.OrgID, limit int) ([]record.OrgID, error) {
	ids, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (id record.OrgID, err error) { return id, row.Scan(&id) },
		`SELECT id FROM organizations WHERE id > ? ORDER BY id LIMIT ?`, after, limit)
	return ids, wrap("list organizations", err)
}

// RecordsAfter implements record.Histories.
func (s *Store) RecordsAfter(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.Record, error) {
	records, err := sqlitex.List(ctx, s.db, scanRecord,
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
	// The unary plus keeps the engine from using the indexes by organization, with which it would read all its
	// records.
	records, err := sqlitex.List(ctx, s.db, scanRecord,
		`SELECT `+recordColumns+` FROM records WHERE +org = ? AND id IN (SELECT value FROM json_each(?))`, org, string(wanted))
	return records, wrap("read records by id", err)
}

// EntriesAfter implements record.Histories.
func (s *Store) EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error) {
	if ids == nil {
		entries, err := sqlitex.List(ctx, s.db, scanStoredEntry,
			`SELECT event, record, rev, entry FROM history
			 WHERE org = ? AND (record, rev) > (?, ?) ORDER BY record, rev LIMIT ?`, org, after.Record, after.Rev, limit)
		return entries, wrap("read all histories", err)
	}
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, wrap("read histories", err)
	}
	entries, err := sqlitex.List(ctx, s.db, scanStoredEntry,
		`SELECT event, record, rev, entry FROM history
		 WHERE org = ? AND record IN (SELECT value FROM json_each(?)) AND (record, rev) > (?, ?)
		 ORDER BY record, rev LIMIT ?`, org, string(wanted), after.Record, after.Rev, limit)
	return entries, wrap("read histories", err)
}

// TenantAfter implements record.Histories.
func (s *Store) TenantAfter(ctx context.Context, after record.OrgID) (record.OrgID, error) {
	var next *record.OrgID
	err := s.db.QueryRowContext(ctx,
		`SELECT MIN(org) FROM (
			SELECT MIN(id) AS org FROM organizations WHERE id > ?1
			UNION ALL SELECT MIN(org) FROM events WHERE org > ?1
			UNION ALL SELECT MIN(org) FROM event_history WHERE org > ?1
			UNION ALL SELECT MIN(org) FROM records WHERE org > ?1
			UNION ALL SELECT MIN(org) FROM history WHERE org > ?1
			UNION ALL SELECT MIN(org) FROM supplier_factors WHERE org > ?1
			UNION ALL SELECT MIN(org) FROM policies WHERE org > ?1)`, after).Scan(&next)
	if err != nil || next == nil {
		return "", wrap("list tenants", err)
	}
	return *next, nil
}

// StoredRecords implements record.Histories.
func (s *Store) StoredRecords(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.StoredRecord, error) {
	records, err := sqlitex.List(ctx, s.db, scanVerified,
		`SELECT `+recordColumns+`, ref_key FROM records
		 WHERE org = ? AND (event, type, seq) > (?, ?, ?) ORDER BY event, type, seq LIMIT ?`,
		org, after.Event, after.Type, after.Seq, limit)
	return records, wrap("read all records", err)
}

// StoredRecordsByID implements record.Histories.
func (s *Store) StoredRecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.StoredRecord, error) {
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, wrap("read records by id", err)
	}
	records, err := sqlitex.List(ctx, s.db, scanVerified,
		`SELECT `+recordColumns+`, ref_key FROM records WHERE +org = ? AND id IN (SELECT value FROM json_each(?))`, org, string(wanted))
	return records, wrap("read records by id", err)
}

// scanVerified reads a record, and whether it is found by the reference that it has.
func scanVerified(row sqlitex.Scanner) (record.StoredRecord, error) {
	var key string
	r, err := scanStoredRecord(row, &key)
	if err == nil && r.Damage == nil {
		r.Damage = record.CheckRefKey(r.Record, key)
	}
	return r, err
}

// StoredEvents implements record.Histories.
func (s *Store) StoredEvents(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.StoredEvent, error) {
	events, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (record.StoredEvent, error) {
		r, err := scanEventRow(row)
		if err != nil {
			return record.StoredEvent{}, err
		}
		e, damage := r.event()
		if damage == nil {
			damage = record.CheckBoundary(e)
		}
		if damage != nil {
			e = r.e
		}
		return record.StoredEvent{Event: e, Damage: damage}, nil
	}, `SELECT `+eventColumns+` FROM events WHERE org = ? AND slot > ? ORDER BY slot LIMIT ?`, org, after, limit)
	return events, wrap("read all events", err)
}

// scanStoredEntry decodes an entry: damage is a finding, not an error.
func scanStoredEntry(row sqlitex.Scanner) (e record.StoredEntry, err error) {
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
