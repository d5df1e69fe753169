package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/editions"
)

// parts is version 2: the storage of signed revisions.
func parts() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE IF NOT EXISTS result_parts (
			org TEXT NOT NULL, event TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL,
			PRIMARY KEY (org, event, name))`,
	)
}

// PutPart implements editions.Parts.
func (s *Store) PutPart(ctx context.Context, org record.OrgID, event record.EventID, name string, data []byte, at time.Time) error {
	return s.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO result_parts (org, event, name, at, data) VALUES (?,?,?,?,?)
			 ON CONFLICT (org, event, name) DO UPDATE SET at = max(at, excluded.at)`, org, event, name, at.UnixMilli(), data)
		return err
	})
}

// Part implements editions.Parts.
func (s *Store) Part(ctx context.Context, org record.OrgID, event record.EventID, name string) ([]byte, error) {
	var data []byte
	err := s.db.QueryRowContext(ctx, `SELECT data FROM result_parts WHERE org=? AND event=? AND name=?`, org, event, name).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, editions.ErrNotFound
	}
	if err != nil {
		return nil, sqlitex.Wrap("read part", err)
	}
	return data, nil
}

// PartsBefore implements editions.Parts.
func (s *Store) PartsBefore(ctx context.Context, org record.OrgID, event record.EventID, before time.Time) ([]string, error) {
	names, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (name string, err error) {
		err = row.Scan(&name)
		return name, err
	}, `SELECT name FROM result_parts WHERE org=? AND event=? AND at < ? ORDER BY name`, org, event, before.UnixMilli())
	return names, sqlitex.Wrap("list parts", err)
}

// DeletePart implements editions.Parts.
func (s *Store) DeletePart(ctx context.Context, org record.OrgID, event record.EventID, name string, before time.Time) error {
	return s.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM result_parts WHERE org=? AND event=? AND name=? AND at < ?`, org, event, name, before.UnixMilli())
		return err
	})
}
