package sqlitex

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Wrap adds the failed operation to an error of the engine. If the engine is unavailable, the error is UNAVAILABLE,
// as that of Write: the request itself is valid. Wrap of nil is nil.
func Wrap(verb string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("%s: %w", verb, err)
	if apperr.CodeOf(err) != apperr.Internal {
		return wrapped
	}
	return unavailable("Nothing can be read right now.", wrapped)
}

// unavailable returns err as UNAVAILABLE where it is an outage.
func unavailable(message string, err error) error {
	if !isOutage(err) {
		return err
	}
	return apperr.New(apperr.Unavailable, "%s", message).Because(err)
}

// isOutage reports whether err is a failure of the engine or its environment that may pass, not of a statement.
func isOutage(err error) bool {
	if errors.Is(err, ErrClosed) || isClosedPool(err) {
		return true
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT:
		return true
	}
	return false
}

// isClosedPool reports whether err is that of database/sql for a closed pool, which is not exported.
func isClosedPool(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if err.Error() == "sql: database is closed" {
			return true
		}
	}
	return false
}
