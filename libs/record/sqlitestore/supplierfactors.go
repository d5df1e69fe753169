package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// suppliers is the library of suppliers' factors of each organization.
func suppliers() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE supplier_factors (
			id      TEXT    NOT NULL PRIMARY KEY,
			org     TEXT    NOT NULL,
			key     TEXT    NOT NULL,
			version INTEGER NOT NULL,
			rev     INTEGER NOT NULL,
			deleted INTEGER NOT NULL,
			body    TEXT    NOT NULL
		) STRICT, WITHOUT ROWID`,
		`CREATE UNIQUE INDEX supplier_factors_version ON supplier_factors (org, key, version DESC)`,
	)
}

// InsertSupplierFactor implements record.SupplierFactors.
func (s *Store) InsertSupplierFactor(ctx context.Context, org record.OrgID, f record.SupplierFactor) error {
	body, err := record.EncodeSupplierFactor(org, f)
	if err != nil {
		return wrap("insert supplier factor", err)
	}
	return s.write(ctx, "insert supplier factor", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO supplier_factors (id, org, key, version, rev, deleted, body) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			f.ID, org, f.Key(), f.Version, f.Rev, f.Deleted, string(body))
		if sqlitex.IsDuplicate(err) {
			return record.ErrDuplicate
		}
		return err
	})
}

// SupplierFactor implements record.SupplierFactors.
func (s *Store) SupplierFactor(ctx context.Context, org record.OrgID, id string) (record.SupplierFactor, error) {
	f, err := scanSupplierFactor(s.db.QueryRowContext(ctx, `SELECT body FROM supplier_factors WHERE id = ? AND org = ? AND deleted = 0`, id, org))
	return found("read supplier factor", f, err)
}

// ReplaceSupplierFactor implements record.SupplierFactors.
func (s *Store) ReplaceSupplierFactor(ctx context.Context, org record.OrgID, f record.SupplierFactor, prevRev int64) error {
	body, err := record.EncodeSupplierFactor(org, f)
	if err != nil {
		return wrap("replace supplier factor", err)
	}
	return s.write(ctx, "replace supplier factor", func(ctx context.Context, tx sqlitex.Tx) error {
		return changedOne(tx.ExecContext(ctx, `UPDATE supplier_factors SET rev = ?, deleted = ?, body = ? WHERE id = ? AND org = ? AND rev = ? AND deleted = 0`,
			f.Rev, f.Deleted, string(body), f.ID, org, prevRev))
	})
}

// SupplierFactorList implements record.SupplierFactors.
func (s *Store) SupplierFactorList(ctx context.Context, org record.OrgID, skip, limit int64) (page []record.SupplierFactor, total int64, err error) {
	tx, err := s.db.Snapshot(ctx)
	if err != nil {
		return nil, 0, wrap("list supplier factors", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only read
	if total, err = scanNumber(tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM supplier_factors WHERE org = ? AND deleted = 0`, org)); err != nil {
		return nil, 0, wrap("count supplier factors", err)
	}
	// A negative LIMIT would mean no limit.
	page, err = sqlitex.List(ctx, tx, scanSupplierFactor, `SELECT body FROM supplier_factors WHERE org = ? AND deleted = 0
		ORDER BY key, version DESC LIMIT ? OFFSET ?`, org, max(limit, 0), max(skip, 0))
	return page, total, wrap("list supplier factors", err)
}

// SupplierFactorVersions implements record.SupplierFactors.
func (s *Store) SupplierFactorVersions(ctx context.Context, org record.OrgID, key string) ([]record.SupplierFactor, error) {
	all, err := sqlitex.List(ctx, s.db, scanSupplierFactor, `SELECT body FROM supplier_factors WHERE org = ? AND key = ? ORDER BY version DESC`, org, key)
	return all, wrap("read versions of a supplier factor", err)
}

// StoredSupplierFactors implements record.SupplierFactors.
func (s *Store) StoredSupplierFactors(ctx context.Context, org record.OrgID, after string, limit int) ([]record.StoredSupplierFactor, error) {
	all, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (record.StoredSupplierFactor, error) {
		var id string
		var body []byte
		err := row.Scan(&id, &body)
		return record.ReadStoredSupplierFactor(id, body), err
	}, `SELECT id, body FROM supplier_factors WHERE org = ? AND id > ? ORDER BY id LIMIT ?`, org, after, max(limit, 0))
	return all, wrap("read all supplier factors", err)
}

func scanSupplierFactor(row sqlitex.Scanner) (f record.SupplierFactor, err error) {
	var body []byte
	if err := row.Scan(&body); err != nil {
		return f, err
	}
	return record.DecodeSupplierFactor(body)
}
