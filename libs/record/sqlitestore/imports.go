package sqlitestore

import (
	"context"
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// InsertImport implements record.Imports.
func (s *Store) InsertImport(ctx context.Context, org record.OrgID, i record.Import) error {
	i.Org = org
	body, err := json.Marshal(i)
	if err != nil {
		return wrap("insert import", err)
	}
	return s.write(ctx, "insert import", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO imports (id, org, event, rev, open, body) VALUES (?, ?, ?, ?, ?, ?)`,
			i.ID, org, i.Event, i.Rev, i.Open(), string(body))
		if sqlitex.IsDuplicate(err) {
			return record.ErrDuplicate
		}
		return err
	})
}

// Import implements record.Imports.
func (s *Store) Import(ctx context.Context, org record.OrgID, event record.EventID, id string) (record.Import, error) {
	var i record.Import
	var body []byte
	err := s.db.QueryRowContext(ctx, `SELECT body FROM imports WHERE id = ? AND org = ? AND event = ?`, id, org, event).Scan(&body)
	if err == nil {
		err = json.Unmarshal(body, &i)
	}
	return found("read import", i, err)
}

// ReplaceImport implements record.Imports.
func (s *Store) ReplaceImport(ctx context.Context, org record.OrgID, i record.Import, prevRev int64) error {
	i.Org = org
	body, err := json.Marshal(i)
	if err != nil {
		return wrap("replace import", err)
	}
	return s.write(ctx, "replace import", func(ctx context.Context, tx sqlitex.Tx) error {
		return changedOne(tx.ExecContext(ctx, `UPDATE imports SET rev = ?, open = ?, body = ? WHERE id = ? AND org = ? AND event = ? AND rev = ?`,
			i.Rev, i.Open(), string(body), i.ID, org, i.Event, prevRev))
	})
}

// PutImportPart implements record.Imports.
func (s *Store) PutImportPart(ctx context.Context, org record.OrgID, id string, n int64, part []byte) error {
	return s.write(ctx, "store import", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO import_parts (org, id, n, part) VALUES (?, ?, ?, ?) ON CONFLICT (org, id, n) DO NOTHING`, org, id, n, part)
		return err
	})
}

// ImportPart implements record.Imports.
func (s *Store) ImportPart(ctx context.Context, org record.OrgID, id string, n int64) ([]byte, error) {
	var part []byte
	err := s.db.QueryRowContext(ctx, `SELECT part FROM import_parts WHERE org = ? AND id = ? AND n = ?`, org, id, n).Scan(&part)
	return found("read import", part, err)
}

// DropImportParts implements record.Imports.
func (s *Store) DropImportParts(ctx context.Context, org record.OrgID, id string) error {
	return s.write(ctx, "drop import", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM import_parts WHERE org = ? AND id = ?`, org, id)
		return err
	})
}

// OpenImports implements record.Imports.
func (s *Store) OpenImports(ctx context.Context, after string, limit int) ([]record.OpenImport, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	open, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (o record.OpenImport, err error) {
		err = row.Scan(&o.Org, &o.Event, &o.ID)
		return o, err
	}, `SELECT org, event, id FROM imports INDEXED BY imports_open WHERE open = 1 AND id > ? ORDER BY id LIMIT ?`, after, limit)
	return open, wrap("read open imports", err)
}

// EventImports implements record.Imports.
func (s *Store) EventImports(ctx context.Context, org record.OrgID, event record.EventID, skip, limit int64) (page []record.Import, total int64, err error) {
	tx, err := s.db.Snapshot(ctx)
	if err != nil {
		return nil, 0, wrap("list imports", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only read
	if total, err = scanNumber(tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM imports WHERE org = ? AND event = ?`, org, event)); err != nil {
		return nil, 0, wrap("count imports", err)
	}
	// A negative LIMIT would mean no limit.
	page, err = sqlitex.List(ctx, tx, scanJSON[record.Import], `SELECT body FROM imports WHERE org = ? AND event = ?
		ORDER BY julianday(json_extract(body, '$.createdAt')) DESC, id DESC LIMIT ? OFFSET ?`, org, event, max(limit, 0), max(skip, 0))
	return page, total, wrap("list imports", err)
}

// ImportsOfFile implements record.Imports.
func (s *Store) ImportsOfFile(ctx context.Context, org record.OrgID, event record.EventID, hash string) ([]record.Import, error) {
	all, err := sqlitex.List(ctx, s.db, scanJSON[record.Import], `SELECT body FROM imports INDEXED BY imports_file
		WHERE org = ? AND event = ? AND json_extract(body, '$.hash') = ?
		ORDER BY julianday(json_extract(body, '$.createdAt')) DESC, id DESC LIMIT ?`, org, event, hash, record.MaxImportsOfFile)
	return all, wrap("find imports of file", err)
}
