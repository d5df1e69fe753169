package sqlitex

import (
	"context"
	"errors"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Damage returns what is wrong with the pages of the file, one sentence each; nothing if all are as SQLite wrote them. It
// reads the whole file. Queries notice damage only where they meet it, and not everywhere: a damaged index may just not find rows.
func (db *DB) Damage(ctx context.Context) ([]string, error) {
	found, err := List(ctx, db.readers, func(row Scanner) (line string, err error) { return line, row.Scan(&line) }, `PRAGMA integrity_check(20)`)
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_CORRUPT {
		return []string{e.Error()}, nil // it could not even be checked to the end
	}
	if err != nil {
		return nil, Wrap("check the file", err)
	}
	return slices.DeleteFunc(found, func(line string) bool { return line == "ok" }), nil
}
