package sqlitex

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestWritesAreRunAgainOnlyWhereOneHasToBeUndone: a write that fails before it has
// changed anything costs the others nothing; after one that did, the next transactions
// have savepoints, in which nothing is run twice.
func TestWritesAreRunAgainOnlyWhereOneHasToBeUndone(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	failure := errors.New("refused")
	const n, failing = 10, 6
	round := 0
	batch := func(before func(ctx context.Context, tx Tx) error) (runs int) {
		t.Helper()
		round++
		for i, err := range atOnce(t, db, n, func(i int) func(context.Context, Tx) error {
			return func(ctx context.Context, tx Tx) error {
				runs++
				if i == failing {
					return errors.Join(before(ctx, tx), failure)
				}
				return put(fmt.Sprint(round, "-", i))(ctx, tx)
			}
		}) {
			if (i == failing) != errors.Is(err, failure) || i != failing && err != nil {
				t.Errorf("round %d, write %d: got error %v", round, i, err)
			}
		}
		if got := rows(t, db); got != round*(n-1) {
			t.Errorf("round %d: %d rows, want %d", round, got, round*(n-1))
		}
		return runs
	}
	for what, nothing := range map[string]func(context.Context, Tx) error{
		"nothing": func(context.Context, Tx) error { return nil },
		"no row": func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM t WHERE id = 'none'")
			return err
		},
		"duplicate": func(ctx context.Context, tx Tx) error { return put("1-0")(ctx, tx) },
		"read": func(ctx context.Context, tx Tx) error {
			var count int
			return tx.QueryRowContext(ctx, " select count(*) FROM t").Scan(&count)
		},
	} {
		if what == "duplicate" && round == 0 {
			batch(func(context.Context, Tx) error { return nil })
		}
		if runs := batch(nothing); runs != n {
			t.Errorf("%s before the error: %d runs of %d writes", what, runs, n)
		}
	}
	for what, change := range map[string]func(context.Context, Tx) error{
		"row": put("gone"),
		"two statements": func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO t (id, n) VALUES ('gone', 1); DELETE FROM t WHERE id = 'none'")
			return err
		},
		"returning": func(ctx context.Context, tx Tx) error {
			var id string
			return tx.QueryRowContext(ctx, "INSERT INTO t (id, n) VALUES ('gone', 1) RETURNING id").Scan(&id)
		},
		"returning rows": func(ctx context.Context, tx Tx) error {
			_, err := List(ctx, tx, func(row Scanner) (id string, err error) { return id, row.Scan(&id) }, "INSERT INTO t (id, n) VALUES ('gone', 1) RETURNING id")
			return err
		},
	} {
		db.writer.guarded = 0
		// Those up to the failing one are run once more, with the others.
		if runs := batch(change); runs != n+failing+1 {
			t.Errorf("%s before the error: %d runs of %d writes, want %d", what, runs, n, n+failing+1)
		}
		if runs := batch(change); runs != n {
			t.Errorf("%s before the error, with savepoints: %d runs of %d writes", what, runs, n)
		}
	}
}

// TestWritesAreRunAgainAfterARowThatCannotBeRead: an engine that fails while it reads may have rolled back the
// transaction, whatever the write says of that, so each write is run again by itself.
func TestWritesAreRunAgainAfterARowThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const overflows = "SELECT abs(-9223372036854775807 - 1)"
	scan := func(row Scanner) (n int64, err error) { return n, row.Scan(&n) }
	for what, read := range map[string]struct {
		run   func(context.Context, Tx) error
		fails bool
	}{
		"a later row": {fails: true, run: func(ctx context.Context, tx Tx) error {
			_, err := List(ctx, tx, scan, "SELECT 1 UNION ALL "+overflows)
			return err
		}},
		"a first row, ignored": {run: func(ctx context.Context, tx Tx) error {
			_, _ = List(ctx, tx, scan, overflows)
			return nil
		}},
		"a single row, ignored": {run: func(ctx context.Context, tx Tx) error {
			_, _ = scan(tx.QueryRowContext(ctx, overflows))
			return nil
		}},
	} {
		db := openNew(t)
		const n, failing = 10, 6
		runs := 0
		for i, err := range atOnce(t, db, n, func(i int) func(context.Context, Tx) error {
			return func(ctx context.Context, tx Tx) error {
				if runs++; i == failing {
					return read.run(ctx, tx)
				}
				return put(fmt.Sprint(i))(ctx, tx)
			}
		}) {
			if (i == failing && read.fails) != (err != nil) {
				t.Errorf("%s: write %d: got error %v", what, i, err)
			}
		}
		if runs != failing+1+n || rows(t, db) != n-1 {
			t.Errorf("%s: %d runs of %d writes, and %d rows; want %d and %d", what, runs, n, rows(t, db), failing+1+n, n-1)
		}
	}
}

// TestAFailureOfTheEngineIsNotTakenForSuccess: a write that says nothing of what the
// engine failed in is not answered as written, nor are the ones after it written outside
// of a transaction.
func TestAFailureOfTheEngineIsNotTakenForSuccess(t *testing.T) {
	t.Parallel()
	db := openNew(t, limitPages(40))
	const n, silent = 10, 4
	for i, err := range atOnce(t, db, n, func(i int) func(context.Context, Tx) error {
		return func(ctx context.Context, tx Tx) error {
			if i == silent {
				_, _ = tx.ExecContext(ctx, `INSERT INTO t (id, body) VALUES (?, ?)`, "silent", strings.Repeat("x", 400_000))
				return nil
			}
			return put(fmt.Sprint(i))(ctx, tx)
		}
	}) {
		if (i == silent) != (err != nil) {
			t.Errorf("write %d: got error %v", i, err)
		}
	}
	if got := rows(t, db); got != n-1 {
		t.Errorf("%d rows, want %d", got, n-1)
	}
}
