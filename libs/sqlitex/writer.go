package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// writer is the one connection that writes. Only the commit loop uses it.
type writer struct {
	conn     *sql.Conn
	prepared statements
	// changed reports that the current write has, or may have, changed something; broken that the engine may have
	// rolled back the transaction.
	changed, broken bool
	// guarded is for how many transactions each write has a savepoint.
	guarded int
	// unsynced: a commit does not wait until it is on the disk.
	unsynced bool
	// remembered are the numbers of Remember.
	remembered map[any]int64
	// versions is informed of minor commits.
	versions *versions
	// asked is the number of statements of writes.
	asked atomic.Int64
}

// newWriter acquires the connection of the pool and upgrades the schema.
func newWriter(ctx context.Context, pool *sql.DB, components []Component) (*writer, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn, prepared: statements{prepare: conn.PrepareContext}, remembered: map[any]int64{}}
	if err := w.prepareSchema(ctx, components); err != nil {
		_ = conn.Close()
		return nil, err
	}
	// The pages that a savepoint would restore are kept in memory, not in files of the temporary directory: if that is
	// full, writes go on. They are those that one write changes. Steps of the schema may need more.
	if _, err := conn.ExecContext(ctx, "PRAGMA temp_store = MEMORY"); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("set temp_store: %w", err)
	}
	return w, nil
}

func (w *writer) close() error { return w.conn.Close() }

// ExecContext implements Tx.
func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	w.asked.Add(1)
	result, err := w.exec(ctx, query, args...)
	if err != nil {
		w.noteError(err)
		return result, err
	}
	n, unknown := result.RowsAffected()
	w.changed = w.changed || n > 0 || unknown != nil || !isUpdate(query)
	return result, nil //nolint:nilerr // who cannot tell how many rows were affected may have changed some
}

// noteError records an error of a statement. A constraint violation undoes only its statement; after any other error
// the transaction may have ended.
func (w *writer) noteError(err error) { w.broken = w.broken || isEngineError(err) }

// isEngineError reports whether err is of the engine, not of the written data.
func isEngineError(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff != sqlite3.SQLITE_CONSTRAINT
}

func (w *writer) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt := w.prepared.of(ctx, query); stmt != nil {
		return stmt.ExecContext(ctx, args...)
	}
	return w.conn.ExecContext(ctx, query, args...)
}

// isUpdate reports whether a statement changes nothing if it affects no row. Of several statements only the last one
// reports affected rows.
func isUpdate(query string) bool {
	if strings.IndexByte(query, ';') >= 0 {
		return false
	}
	return hasPrefix(query, "INSERT ") || hasPrefix(query, "UPDATE ") || hasPrefix(query, "DELETE ")
}

// isRead reports whether a query cannot change anything.
func isRead(query string) bool { return hasPrefix(query, "SELECT ") }

func hasPrefix(query, word string) bool {
	query = strings.TrimLeft(query, " \t\r\n")
	return len(query) >= len(word) && strings.EqualFold(query[:len(word)], word)
}

// QueryContext implements Tx. It compiles the query each time: a prepared statement can have only one reader, and
// rows may still be open when the same query runs again.
func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	w.asked.Add(1)
	w.changed = w.changed || !isRead(query)
	rows, err := w.conn.QueryContext(ctx, query, args...)
	w.noteError(err)
	return rows, err
}

// QueryRowContext implements Tx.
func (w *writer) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	w.asked.Add(1)
	w.changed = w.changed || !isRead(query)
	row := w.queryRow(ctx, query, args...)
	w.noteError(row.Err())
	return row
}

func (w *writer) queryRow(ctx context.Context, query string, args ...any) *sql.Row {
	if stmt := w.prepared.of(ctx, query); stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return w.conn.QueryRowContext(ctx, query, args...)
}

// guardedAfter is for how many transactions writes have savepoints after one of them had to be undone.
const guardedAfter = 64

// errToUndo ends a transaction without savepoints in which a write failed that had
// changed something, or the engine did.
var errToUndo = errors.New("sqlitex: a write has to be undone")

// commit runs a batch in one transaction and answers every caller after the commit. If the transaction as a whole
// fails, each write is retried separately: the engine rolls back the whole transaction when one statement finds the
// disk full, and then what the others read in it is not valid either.
//
// A savepoint costs as much as a small write: the engine copies each page that is changed below one. Writes rarely
// fail after a change, so there are none until that happens; then the transaction starts again with them.
func (w *writer) commit(batch []*write) {
	guarded := w.guarded > 0
	if guarded {
		w.guarded--
	}
	results, begun, err := w.try(batch, guarded)
	if errors.Is(err, errToUndo) && !w.broken && len(batch) > 1 {
		w.guarded = guardedAfter
		results, begun, err = w.try(batch, true)
	}
	alone := err != nil && begun && len(batch) > 1
	for i, one := range batch {
		if alone {
			own, _, err := w.try(batch[i:i+1], true)
			one.result <- outcome(own[0], err)
			continue
		}
		one.result <- outcome(results[i], err)
	}
}

// outcome returns the error of a write: its own rather than that of the transaction, which may be only a consequence.
func outcome(own, transaction error) error {
	if own != nil || transaction == nil {
		return own
	}
	return fmt.Errorf("commit: %w", transaction)
}

// try runs a batch in one transaction, with guarded each write under its own savepoint. It returns the error of each
// write, whether the transaction began, and its error: if that is not nil, nothing was written.
func (w *writer) try(batch []*write, guarded bool) (results []error, begun bool, err error) {
	results = make([]error, len(batch))
	clear(w.remembered)
	// Not the caller's context: a cancelled caller must not undo its neighbours.
	ctx := context.Background()
	if err := w.setSync(ctx, batch); err != nil {
		return results, false, err
	}
	if _, err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return results, false, err
	}
	minor := areMinor(batch)
	var before transactionState
	if minor {
		before = w.versions.begun()
	}
	defer func() {
		if err != nil {
			// Fails where the engine has rolled back by itself already.
			_, _ = w.exec(ctx, "ROLLBACK")
		}
	}()
	for i, one := range batch {
		if results[i] = one.ctx.Err(); results[i] != nil {
			continue
		}
		if guarded {
			if _, err := w.exec(ctx, "SAVEPOINT w"); err != nil {
				return results, true, err
			}
		}
		w.changed, w.broken = false, false
		results[i] = runRecovered(context.WithoutCancel(one.ctx), one.run, w)
		// Including the error of a row read after the query had begun.
		w.broken = w.broken || isEngineError(results[i])
		switch {
		case !guarded && (w.broken || results[i] != nil && w.changed):
			return results, true, errToUndo
		case !guarded:
			continue
		case results[i] != nil:
			clear(w.remembered)
			if _, err := w.exec(ctx, "ROLLBACK TO w"); err != nil {
				return results, true, errors.Join(err, results[i])
			}
		}
		if _, err := w.exec(ctx, "RELEASE w"); err != nil {
			return results, true, err
		}
	}
	if _, err = w.exec(ctx, "COMMIT"); err == nil && minor {
		w.versions.committed(before)
	}
	return results, true, err
}

// runRecovered turns a panic of one write into its error: the loop serves all writes.
func runRecovered(ctx context.Context, run func(context.Context, Tx) error, tx Tx) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("sqlitex: write panicked: %v", r)
		}
	}()
	return run(ctx, tx)
}
