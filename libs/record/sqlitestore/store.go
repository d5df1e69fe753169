// Package sqlitestore stores organizations, events and records in the embedded
// engine. It implements record.Store.
//
// Every write is one transaction of the single writer, so numbers (seq, slot) and
// the quota are checked and assigned in one step, in this process and, by the
// lock of the file, against any other.
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// Store is a record.Store over one database file.
type Store struct {
	db       *sqlitex.DB
	segments *segments
	events   *lru.Cache[eventKey, keptRow]
}

var (
	_ record.Store       = (*Store)(nil)
	_ record.EntryKeeper = (*Store)(nil)
)

// New returns the store of a database that was opened with Schema. The caller
// closes the database.
func New(db *sqlitex.DB) *Store {
	return &Store{db: db, segments: newSegments(), events: newEventRows()}
}

// write runs fn as one durable transaction. Sentinel errors of package record are returned unchanged; other errors
// are wrapped with verb.
func (s *Store) write(ctx context.Context, verb string, fn func(context.Context, sqlitex.Tx) error) error {
	return wrap(verb, s.db.Write(ctx, fn))
}

// writeApart is write for writes that change no row of events, which EventContext caches.
func (s *Store) writeApart(ctx context.Context, verb string, fn func(context.Context, sqlitex.Tx) error) error {
	return s.write(sqlitex.Minor(ctx), verb, fn)
}

// wrap adds the failed operation to an error of the engine.
func wrap(verb string, err error) error {
	for _, sentinel := range []error{
		record.ErrNotFound, record.ErrConflict, record.ErrDuplicate, record.ErrDuplicateReference, record.ErrQuota,
	} {
		if errors.Is(err, sentinel) {
			return sentinel
		}
	}
	return sqlitex.Wrap(verb, err)
}

// changedOne returns ErrConflict if a conditional write changed no row.
func changedOne(result sql.Result, err error) error {
	if ok, err := changed(result, err); err != nil || ok {
		return err
	}
	return record.ErrConflict
}

// changed reports whether a statement has changed a row.
func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// exists reports whether a query returns a row.
func exists(ctx context.Context, tx sqlitex.Tx, query string, args ...any) (bool, error) {
	var one int
	err := tx.QueryRowContext(ctx, query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// found replaces sql.ErrNoRows by ErrNotFound.
func found[T any](verb string, value T, err error) (T, error) {
	var none T
	if errors.Is(err, sql.ErrNoRows) {
		return none, record.ErrNotFound
	}
	if err != nil {
		return none, wrap(verb, err)
	}
	return value, nil
}
