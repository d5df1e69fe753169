package sqlitestore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const auditColumns = `id, org, seq, at, action, outcome, reason, actor, subject, session, before, after, address, request_id, prev, hash`

func scanAudit(row sqlitex.Scanner) (account.AuditEntry, error) {
	var e account.AuditEntry
	var at int64
	err := row.Scan(&e.ID, &e.Org, &e.Seq, &at, &e.Action, &e.Outcome, &e.Reason, &e.Actor, &e.Subject, &e.Session,
		&e.Before, &e.After, &e.Address, &e.RequestID, &e.Prev, &e.Hash)
	e.At = instant(at)
	return e, err
}

// AppendAudit implements account.Audit.
func (s *Store) AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error) {
	var sealed account.AuditEntry
	err := s.write(ctx, "append to the audit log", func(ctx context.Context, tx sqlitex.Tx) error {
		there, err := scanAudit(tx.QueryRowContext(ctx, `SELECT `+auditColumns+` FROM account_audit WHERE id = ?`, e.ID))
		if err == nil {
			sealed = there
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		last, err := scanAudit(tx.QueryRowContext(ctx,
			`SELECT `+auditColumns+` FROM account_audit WHERE org = ? ORDER BY seq DESC LIMIT 1`, e.Org))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		sealed = e.Seal(last)
		if _, err := tx.ExecContext(ctx, `INSERT INTO account_audit (`+auditColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			sealed.ID, sealed.Org, sealed.Seq, millis(sealed.At), sealed.Action, sealed.Outcome, sealed.Reason, sealed.Actor, sealed.Subject,
			sealed.Session, sealed.Before, sealed.After, sealed.Address, sealed.RequestID, sealed.Prev, sealed.Hash); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO account_audit_heads (org, seq, hash) VALUES (?, ?, ?)
			ON CONFLICT (org) DO UPDATE SET seq = excluded.seq, hash = excluded.hash WHERE seq < excluded.seq`, sealed.Org, sealed.Seq, sealed.Hash)
		return err
	})
	if err != nil {
		return account.AuditEntry{}, err
	}
	return sealed, nil
}

// AuditPage implements account.Audit. Entries are numbered without gaps and never
// removed, so the page is a range below the last number.
func (s *Store) AuditPage(ctx context.Context, org string, skip, limit int64) ([]account.AuditEntry, int64, error) {
	const verb = "list the audit log"
	var last int64
	if err := s.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(seq), 0) FROM account_audit WHERE org = ?`, org).Scan(&last); err != nil {
		return nil, 0, wrap(verb, err)
	}
	high := last - min(skip, last)
	entries, err := sqlitex.List(ctx, s.db, scanAudit,
		`SELECT `+auditColumns+` FROM account_audit WHERE org = ? AND seq > ? AND seq <= ? ORDER BY seq DESC`, org, high-limit, high)
	return entries, last, wrap(verb, err)
}

// AuditAfter implements account.Audit.
func (s *Store) AuditAfter(ctx context.Context, org string, after, limit int64) ([]account.AuditEntry, error) {
	entries, err := sqlitex.List(ctx, s.db, scanAudit,
		`SELECT `+auditColumns+` FROM account_audit WHERE org = ? AND seq > ? ORDER BY seq LIMIT ?`, org, after, limit)
	return entries, wrap("read the audit log", err)
}

// AuditHeads implements account.Audit.
func (s *Store) AuditHeads(ctx context.Context) ([]account.AuditHead, error) {
	heads, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (h account.AuditHead, err error) {
		return h, row.Scan(&h.Org, &h.Seq, &h.Hash)
	}, `SELECT org, seq, hash FROM account_audit_heads
		UNION ALL SELECT DISTINCT org, 0, '' FROM account_audit WHERE org NOT IN (SELECT org FROM account_audit_heads) ORDER BY 1`)
	return heads, wrap("read the heads of the audit log", err)
}
