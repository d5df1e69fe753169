package sqlitestore

import (
	"context"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// factorPacks is the factor sets that operators have added. They are of no
// organization.
func factorPacks() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE factor_packs (
			id       TEXT    NOT NULL PRIMARY KEY,
			checksum TEXT    NOT NULL,
			added_at INTEGER NOT NULL,
			document TEXT    NOT NULL
		) STRICT`,
		`CREATE INDEX factor_packs_added ON factor_packs (added_at, id)`,
	)
}

// InsertFactorPack implements record.FactorPacks.
func (s *Store) InsertFactorPack(ctx context.Context, p record.FactorPack) error {
	return s.write(ctx, "insert factor pack", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO factor_packs (id, checksum, added_at, document) VALUES (?, ?, ?, ?)`,
			p.ID, p.Checksum, p.AddedAt.UnixMilli(), string(p.Document))
		if sqlitex.IsDuplicate(err) {
			return record.ErrDuplicate
		}
		return err
	})
}

// FactorPack implements record.FactorPacks.
func (s *Store) FactorPack(ctx context.Context, id string) (record.FactorPack, error) {
	var p record.FactorPack
	var added int64
	err := s.db.QueryRowContext(ctx, `SELECT id, checksum, added_at, document FROM factor_packs WHERE id = ?`, id).Scan(&p.ID, &p.Checksum, &added, &p.Document)
	p.AddedAt = time.UnixMilli(added).UTC()
	return found("read factor pack", p, err)
}

// FactorPackIDs implements record.FactorPacks.
func (s *Store) FactorPackIDs(ctx context.Context) ([]string, error) {
	ids, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT id FROM factor_packs ORDER BY added_at DESC, id DESC`)
	return ids, wrap("list factor packs", err)
}
