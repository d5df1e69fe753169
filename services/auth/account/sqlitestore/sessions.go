package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const sessionColumns = `id, user, org, secret_hash, epoch, created_at, expires, last_used_at,
	created_addr, created_agent, last_addr, last_agent, ended_at, end_reason, rev, mark, member, member_org, member_epoch`

func scanSession(row sqlitex.Scanner) (account.Session, error) {
	var v account.Session
	var created, expires, used, ended int64
	err := row.Scan(&v.ID, &v.User, &v.Org, &v.SecretHash, &v.Epoch, &created, &expires, &used,
		&v.Created.Address, &v.Created.UserAgent, &v.Last.Address, &v.Last.UserAgent, &ended, &v.EndReason, &v.Rev, &v.Mark,
		&v.Member, &v.MemberOrg, &v.MemberEpoch)
	v.CreatedAt, v.Expires, v.LastUsedAt, v.EndedAt = instant(created), instant(expires), instant(used), instant(ended)
	return v, err
}

// InsertSession implements account.Sessions.
func (s *Store) InsertSession(ctx context.Context, v account.Session) error {
	return s.write(ctx, "insert session", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO account_sessions (`+sessionColumns+`, created_net, last_net) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			v.ID, v.User, v.Org, v.SecretHash, v.Epoch, millis(v.CreatedAt), millis(v.Expires), millis(v.LastUsedAt),
			v.Created.Address, v.Created.UserAgent, v.Last.Address, v.Last.UserAgent, millis(v.EndedAt), v.EndReason, v.Rev, v.Mark,
			v.Member, v.MemberOrg, v.MemberEpoch, v.Created.Network(), v.Last.Network())
		return unique(err)
	})
}

// Session implements account.Sessions.
func (s *Store) Session(ctx context.Context, id string) (account.Session, error) {
	v, err := scanSession(s.db.QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM account_sessions WHERE id = ?`, id))
	if err != nil {
		return account.Session{}, wrap("read session", err)
	}
	return v, nil
}

// TouchSession implements account.Sessions.
func (s *Store) TouchSession(ctx context.Context, org, id string, at time.Time, from account.Origin) error {
	return s.write(ctx, "touch session", func(ctx context.Context, tx sqlitex.Tx) error {
		var used int64
		err := tx.QueryRowContext(ctx, `SELECT last_used_at FROM account_sessions WHERE org = ? AND id = ? AND ended_at = 0 AND expires > ?`,
			org, id, millis(at)).Scan(&used)
		if errors.Is(err, sql.ErrNoRows) {
			return account.ErrEnded
		}
		if err != nil || used > millis(at) {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE account_sessions SET last_used_at = ?, last_addr = ?, last_agent = ?, last_net = ? WHERE org = ? AND id = ?`,
			millis(at), from.Address, from.UserAgent, from.Network(), org, id)
		return err
	})
}

// EndSession implements account.Sessions.
func (s *Store) EndSession(ctx context.Context, org, user, id string, at time.Time, reason, mark string) error {
	return s.write(ctx, "end session", func(ctx context.Context, tx sqlitex.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE account_sessions SET ended_at = ?, end_reason = ?, rev = rev + 1, mark = ?
			WHERE org = ? AND user = ? AND id = ? AND ended_at = 0`, millis(at), reason, mark, org, user, id)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); n > 0 || err != nil {
			return err
		}
		var one int
		return tx.QueryRowContext(ctx, `SELECT 1 FROM account_sessions WHERE org = ? AND user = ? AND id = ?`, org, user, id).Scan(&one)
	})
}

const liveSessions = ` FROM account_sessions WHERE org = ? AND user = ? AND ended_at = 0 AND expires > ? AND (epoch >= ? OR id = ?)`

// SessionsPage implements account.Sessions.
func (s *Store) SessionsPage(ctx context.Context, u account.User, now time.Time, skip, limit int64) ([]account.Session, int64, error) {
	return page(ctx, s, "list sessions", scanSession,
		`SELECT `+sessionColumns+liveSessions+` ORDER BY created_at DESC, id DESC`, `SELECT COUNT(*)`+liveSessions,
		[]any{u.Org, u.ID, millis(now), u.Epoch, u.Kept}, skip, limit)
}

// NewestSessions implements account.Sessions.
func (s *Store) NewestSessions(ctx context.Context, u account.User, now time.Time, limit int64) ([]account.Session, error) {
	newest, err := sqlitex.List(ctx, s.db, scanSession, `SELECT `+sessionColumns+liveSessions+` ORDER BY created_at DESC, id DESC LIMIT ?`,
		u.Org, u.ID, millis(now), u.Epoch, u.Kept, limit)
	return newest, wrap("read newest sessions", err)
}

// KnownNetwork implements account.Sessions.
func (s *Store) KnownNetwork(ctx context.Context, u account.User, network string) (known bool, err error) {
	if network == "" {
		return false, ctx.Err()
	}
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM account_sessions WHERE org = ? AND user = ? AND created_net = ?)
		OR EXISTS (SELECT 1 FROM account_sessions WHERE org = ? AND user = ? AND last_net = ?)`,
		u.Org, u.ID, network, u.Org, u.ID, network).Scan(&known)
	return known, wrap("look for a network", err)
}

const openSessions = ` FROM account_sessions WHERE org = ? AND user = ? AND ended_at = 0`

// SurplusSessions implements account.Sessions. Most users have few sessions, which the
// index counts; only those of others are put in the order of their use.
func (s *Store) SurplusSessions(ctx context.Context, org, user string, since time.Time, keep, limit int64) ([]account.Session, error) {
	var open int64
	err := s.db.QueryRowContext(ctx, `SELECT COUNT(*)`+openSessions, org, user).Scan(&open)
	if err != nil || open <= keep {
		return nil, wrap("count sessions", err)
	}
	surplus, err := sqlitex.List(ctx, s.db, scanSession, `SELECT `+sessionColumns+openSessions+` AND last_used_at < ? ORDER BY last_used_at, id LIMIT ?`,
		org, user, millis(since), min(open-keep, limit))
	return surplus, wrap("read surplus sessions", err)
}

// DropSessions implements account.Sessions.
func (s *Store) DropSessions(ctx context.Context, org, user, member string) (int64, error) {
	return s.deleteSessions(ctx, "drop sessions", `org = ? AND user = ? AND ? IN ('', member)`, org, user, member)
}

// PurgeSessions implements account.Sessions.
func (s *Store) PurgeSessions(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteSessions(ctx, "purge sessions", `expires < ?`, millis(before))
}

func (s *Store) deleteSessions(ctx context.Context, verb, where string, args ...any) (n int64, err error) {
	err = s.write(ctx, verb, func(ctx context.Context, tx sqlitex.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM account_sessions WHERE `+where, args...)
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}

// MarkedSessions implements account.Changes.
func (s *Store) MarkedSessions(ctx context.Context, limit int) ([]account.Session, error) {
	marked, err := sqlitex.List(ctx, s.db, scanSession, `SELECT `+sessionColumns+` FROM account_sessions WHERE mark <> '' LIMIT ?`, limit)
	return marked, wrap("read marked sessions", err)
}

// ClearSessionMark implements account.Changes.
func (s *Store) ClearSessionMark(ctx context.Context, org, id, mark string) error {
	return s.write(ctx, "clear session mark", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE account_sessions SET mark = '' WHERE org = ? AND id = ? AND mark = ?`, org, id, mark)
		return err
	})
}
