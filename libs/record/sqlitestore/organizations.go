package sqlitestore

import (
	"context"
	"fmt"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// InsertOrganization implements record.Organizations.
func (s *Store) InsertOrganization(ctx context.Context, o record.Organization) error {
	return s.write(ctx, "insert organization", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO organizations (id, name, plan, four_eyes, created_at, rev) VALUES (?, ?, ?, ?, ?, ?)`,
			o.ID, o.Name, o.Plan, o.Policy.FourEyes, millis(o.CreatedAt), o.Rev)
		if sqlitex.IsDuplicate(err) {
			return record.ErrDuplicate
		}
		return err
	})
}

// Organization implements record.Organizations.
func (s *Store) Organization(ctx context.Context, id record.OrgID) (record.Organization, error) {
	o := record.Organization{ID: id}
	var created int64
	err := s.db.QueryRowContext(ctx,
		`SELECT name, plan, four_eyes, created_at, rev FROM organizations WHERE id = ?`, id).
		Scan(&o.Name, &o.Plan, &o.Policy.FourEyes, &created, &o.Rev)
	o.CreatedAt = instant(created)
	return found("read organization", o, err)
}

// ReplaceOrganization implements record.Organizations.
func (s *Store) ReplaceOrganization(ctx context.Context, o record.Organization, prevRev int64) error {
	if o.Rev != prevRev+1 {
		return fmt.Errorf("replace organization: revision %d does not follow %d", o.Rev, prevRev)
	}
	return s.write(ctx, "replace organization", func(ctx context.Context, tx sqlitex.Tx) error {
		return changedOne(tx.ExecContext(ctx,
			`UPDATE organizations SET name = ?, plan = ?, four_eyes = ?, created_at = ?, rev = ? WHERE id = ? AND rev = ?`,
			o.Name, o.Plan, o.Policy.FourEyes, millis(o.CreatedAt), o.Rev, o.ID, prevRev))
	})
}
