// Package sqlitestore stores accounts in the embedded engine. It implements
// account.Store.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// Store is an account.Store over one database file.
type Store struct{ db *sqlitex.DB }

var _ account.Store = (*Store)(nil)

// New returns the store of a database that was opened with Schema. The caller
// closes the database.
func New(db *sqlitex.DB) *Store { return &Store{db} }

// Ping implements account.Store.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// write runs fn in one durable transaction.
func (s *Store) write(ctx context.Context, verb string, fn func(context.Context, sqlitex.Tx) error) error {
	return wrap(verb, s.db.Write(ctx, fn))
}

// wrap returns the sentinel errors of package account unchanged, and adds the operation
// to a failure of the engine.
func wrap(verb string, err error) error {
	if sentinel := account.Sentinel(err); sentinel != nil {
		return sentinel
	}
	if errors.Is(err, sql.ErrNoRows) {
		return account.ErrNotFound
	}
	return sqlitex.Wrap(verb, err)
}

// unique returns which unique column was violated: the id or the email.
func unique(err error) error {
	switch {
	case !sqlitex.IsDuplicate(err):
		return err
	case strings.Contains(err.Error(), "email_key"):
		return account.ErrEmailTaken
	}
	return account.ErrDuplicate
}

// millis and instant store times as Unix milliseconds, the zero time as 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
