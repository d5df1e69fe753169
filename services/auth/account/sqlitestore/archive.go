package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// UsersAfter implements account.Archive.
func (s *Store) UsersAfter(ctx context.Context, org, after string, limit int) ([]account.User, error) {
	users, err := sqlitex.List(ctx, s.db, scanUser,
		`SELECT `+userColumns+` FROM account_users WHERE org = ? AND id > ? ORDER BY id LIMIT ?`, org, after, max(limit, 0))
	return users, wrap("read all users", err)
}

// OrgAfter implements account.Archive.
func (s *Store) OrgAfter(ctx context.Context, after string) (string, error) {
	var next *string
	err := s.db.QueryRowContext(ctx, `SELECT MIN(org) FROM account_users WHERE org > ?`, after).Scan(&next)
	if err != nil || next == nil {
		return "", wrap("list organizations of users", err)
	}
	return *next, nil
}

// SessionsAfter implements account.Archive.
func (s *Store) SessionsAfter(ctx context.Context, org, after string, limit int) ([]account.Session, error) {
	sessions, err := sqlitex.List(ctx, s.db, scanSession,
		`SELECT `+sessionColumns+` FROM account_sessions WHERE org = ? AND id > ? ORDER BY id LIMIT ?`, org, after, max(limit, 0))
	return sessions, wrap("read all sessions", err)
}
