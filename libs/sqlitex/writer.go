package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// writer is the one connection that writes. Only the commit loop uses it.
type writer struct {
	conn     *sql.Conn
	prepared statements
}

// newWriter takes the connection of the pool and brings the schema up to date.
func newWriter(ctx context.Context, pool *sql.DB, components []Component) (*writer, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn, prepared: statements{prepare: conn.PrepareContext}}
	if err := w.prepareSchema(ctx, components); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return w, nil
}

func (w *writer) close() error { return w.conn.Close() }

// ExecContext implements Tx.
func (w *writer) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt := w.prepared.of(ctx, query); stmt != nil {
		return stmt.ExecContext(ctx, args...)
	}
	return w.conn.ExecContext(ctx, query, args...)
}

// QueryContext implements Tx. It compiles the query each time: rows may still
// be read when the same query is asked again, and one prepared statement
// serves one reader.
func (w *writer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return w.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext implements Tx.
func (w *writer) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if stmt := w.prepared.of(ctx, query); stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return w.conn.QueryRowContext(ctx, query, args...)
}

// commit runs a batch in one transaction and answers every caller after the
// commit. Where the transaction as a whole fails, each write is tried again in
// one of its own: the engine gives up the whole transaction when one statement
// finds the disk full, and what the others saw of it is then not true either.
func (w *writer) commit(batch []*write) {
	results, begun, err := w.try(batch)
	alone := err != nil && begun && len(batch) > 1
	for i, one := range batch {
		if alone {
			own, _, err := w.try(batch[i : i+1])
			one.result <- outcome(own[0], err)
			continue
		}
		one.result <- outcome(results[i], err)
	}
}

// outcome returns the answer to a write: its own error before that of the
// transaction, which may be but its consequence.
func outcome(own, transaction error) error {
	if own != nil || transaction == nil {
		return own
	}
	return fmt.Errorf("commit: %w", transaction)
}

// try runs a batch in one transaction, each write under a savepoint of its
// own. It returns the error of each write, whether the transaction began, and
// its error: if that is not nil, nothing was written.
func (w *writer) try(batch []*write) (results []error, begun bool, err error) {
	results = make([]error, len(batch))
	// Not the caller's context: a cancelled caller must not undo its neighbours.
	ctx := context.Background()
	if _, err := w.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return results, false, err
	}
	defer func() {
		if err != nil {
			// Fails where the engine has rolled back by itself already.
			_, _ = w.ExecContext(ctx, "ROLLBACK")
		}
	}()
	for i, one := range batch {
		if results[i] = one.ctx.Err(); results[i] != nil {
			continue
		}
		if _, err := w.ExecContext(ctx, "SAVEPOINT w"); err != nil {
			return results, true, err
		}
		results[i] = runRecovered(context.WithoutCancel(one.ctx), one.run, w)
		if results[i] != nil {
			if _, err := w.ExecContext(ctx, "ROLLBACK TO w"); err != nil {
				return results, true, errors.Join(err, results[i])
			}
		}
		if _, err := w.ExecContext(ctx, "RELEASE w"); err != nil {
			return results, true, err
		}
	}
	_, err = w.ExecContext(ctx, "COMMIT")
	return results, true, err
}

// runRecovered turns a panic of one write into its error: the loop serves all.
func runRecovered(ctx context.Context, run func(context.Context, Tx) error, tx Tx) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("sqlitex: write panicked: %v", r)
		}
	}()
	return run(ctx, tx)
}
