package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// keyColumns are the columns that scanKey reads, in order. A status of 0 means no response.
const keyColumns = `id, digest, seed, lease, lease_until, expires_at, status, etag, location, body, note`

func scanKey(row sqlitex.Scanner) (record.KeyEntry, error) {
	var e record.KeyEntry
	var a record.KeyAnswer
	var until, expires int64
	if err := row.Scan(&e.ID, &e.Digest, &e.Seed, &e.Lease, &until, &expires, &a.Status, &a.ETag, &a.Location, &a.Body, &a.Note); err != nil {
		return record.KeyEntry{}, err
	}
	e.LeaseUntil, e.ExpiresAt = instant(until), instant(expires)
	if a.Status != 0 {
		e.Answer = &a
	}
	return e, nil
}

// answerOf returns the answer's columns.
func answerOf(e record.KeyEntry) record.KeyAnswer {
	if e.Answer == nil {
		return record.KeyAnswer{}
	}
	return *e.Answer
}

// InsertKey implements record.Keys.
func (s *Store) InsertKey(ctx context.Context, org record.OrgID, e record.KeyEntry) (record.KeyEntry, bool, error) {
	stored, inserted := e, true
	a := answerOf(e)
	err := s.writeApart(ctx, "insert idempotency key", func(ctx context.Context, tx sqlitex.Tx) error {
		var err error
		stored, err = scanKey(tx.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM idempotency_keys WHERE id = ? AND org = ?`, e.ID, org))
		if inserted = errors.Is(err, sql.ErrNoRows); !inserted {
			return err
		}
		stored = e
		_, err = tx.ExecContext(ctx,
			`INSERT INTO idempotency_keys (id, org, digest, seed, lease, lease_until, expires_at, status, etag, location, body, note)
			 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			e.ID, org, e.Digest, e.Seed, e.Lease, millis(e.LeaseUntil), millis(e.ExpiresAt), a.Status, a.ETag, a.Location, a.Body, a.Note)
		return err
	})
	return stored, inserted && err == nil, err
}

// ReplaceKey implements record.Keys.
func (s *Store) ReplaceKey(ctx context.Context, org record.OrgID, e record.KeyEntry, lease string) (bool, error) {
	a := answerOf(e)
	err := s.writeApart(ctx, "replace idempotency key", func(ctx context.Context, tx sqlitex.Tx) error {
		return changedOne(tx.ExecContext(ctx,
			`UPDATE idempotency_keys SET digest = ?, seed = ?, lease = ?, lease_until = ?, expires_at = ?,
				status = ?, etag = ?, location = ?, body = ?, note = ?
			 WHERE id = ? AND org = ? AND lease = ?`,
			e.Digest, e.Seed, e.Lease, millis(e.LeaseUntil), millis(e.ExpiresAt),
			a.Status, a.ETag, a.Location, a.Body, a.Note, e.ID, org, lease))
	})
	if errors.Is(err, record.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

// DeleteKey implements record.Keys.
func (s *Store) DeleteKey(ctx context.Context, org record.OrgID, id, lease string) error {
	return s.writeApart(ctx, "delete idempotency key", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE id = ? AND org = ? AND lease = ?`, id, org, lease)
		return err
	})
}

// DropExpiredKeys implements record.Keys.
func (s *Store) DropExpiredKeys(ctx context.Context, org record.OrgID, now time.Time, limit int) error {
	return s.writeApart(ctx, "drop expired idempotency keys", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`DELETE FROM idempotency_keys WHERE id IN (
				SELECT id FROM idempotency_keys WHERE org = ? AND expires_at <= ? ORDER BY expires_at LIMIT ?)`, org, millis(now), max(limit, 0))
		return err
	})
}
