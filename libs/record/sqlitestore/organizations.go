package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// InsertOrganization implements record.Organizations.
func (s *Store) InsertOrganization(ctx context.Context, o record.Organization) error {
	policy, err := o.EncodePolicy()
	if err != nil {
		return wrap("insert organization", err)
	}
	return s.write(ctx, "insert organization", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO organizations (id, name, plan, four_eyes, created_at, rev, policy) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			o.ID, o.Name, o.Plan, o.Policy.FourEyes, millis(o.CreatedAt), o.Rev, policy)
		if sqlitex.IsDuplicate(err) {
			return record.ErrDuplicate
		}
		if err != nil {
			return err
		}
		return putAutoApproval(ctx, tx, o)
	})
}

// Organization implements record.Organizations.
func (s *Store) Organization(ctx context.Context, id record.OrgID) (record.Organization, error) {
	o := record.Organization{ID: id}
	var created int64
	var below, byID, byName, byRole, policy sql.NullString
	var spotCheck sql.NullInt64
	err := s.db.QueryRowContext(ctx,
		`SELECT name, plan, four_eyes, created_at, rev, below_kg, spot_check, by_id, by_name, by_role, policy
		FROM organizations LEFT JOIN auto_approvals ON org = id WHERE id = ?`, id).
		Scan(&o.Name, &o.Plan, &o.Policy.FourEyes, &created, &o.Rev, &below, &spotCheck, &byID, &byName, &byRole, &policy)
	if err != nil {
		return found("read organization", o, err)
	}
	o.CreatedAt = instant(created)
	if below.Valid {
		a := record.AutoApproval{SpotCheckOneIn: spotCheck.Int64, By: record.Actor{ID: byID.String, Name: byName.String}}
		if a.BelowKg, err = decimal.Parse(below.String); err == nil {
			a.By.Role, err = identity.ParseRole(byRole.String)
		}
		o.Policy.AutoApprove = a
	}
	if err == nil {
		err = o.DecodePolicy(policy.String)
	}
	return found("read organization", o, record.Damaged(err))
}

// ReplaceOrganization implements record.Organizations.
func (s *Store) ReplaceOrganization(ctx context.Context, o record.Organization, prevRev int64) error {
	if o.Rev != prevRev+1 {
		return fmt.Errorf("replace organization: revision %d does not follow %d", o.Rev, prevRev)
	}
	policy, err := o.EncodePolicy()
	if err != nil {
		return wrap("replace organization", err)
	}
	return s.write(ctx, "replace organization", func(ctx context.Context, tx sqlitex.Tx) error {
		err := changedOne(tx.ExecContext(ctx,
			`UPDATE organizations SET name = ?, plan = ?, four_eyes = ?, created_at = ?, rev = ?, policy = ? WHERE id = ? AND rev = ?`,
			o.Name, o.Plan, o.Policy.FourEyes, millis(o.CreatedAt), o.Rev, policy, o.ID, prevRev))
		if err != nil {
			return err
		}
		return putAutoApproval(ctx, tx, o)
	})
}

// putAutoApproval stores the automatic approval of an organization, in the transaction that writes the organization.
func putAutoApproval(ctx context.Context, tx sqlitex.Tx, o record.Organization) error {
	a := o.Policy.AutoApprove
	if !a.On() {
		_, err := tx.ExecContext(ctx, `DELETE FROM auto_approvals WHERE org = ?`, o.ID)
		return err
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO auto_approvals (org, below_kg, spot_check, by_id, by_name, by_role) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (org) DO UPDATE SET below_kg = excluded.below_kg, spot_check = excluded.spot_check,
			by_id = excluded.by_id, by_name = excluded.by_name, by_role = excluded.by_role`,
		o.ID, a.BelowKg.String(), a.SpotCheckOneIn, a.By.ID, a.By.Name, a.By.Role.String())
	return err
}

// Age returns how many organizations there are, and when the first of them was made.
func (s *Store) Age(ctx context.Context) (organizations int64, since time.Time, err error) {
	var first sql.NullInt64
	err = s.db.QueryRowContext(ctx, `SELECT COUNT(*), MIN(created_at) FROM organizations`).Scan(&organizations, &first)
	if first.Valid {
		since = instant(first.Int64)
	}
	return organizations, since, sqlitex.Wrap("count organizations", err)
}
