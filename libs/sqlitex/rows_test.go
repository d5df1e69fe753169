package sqlitex

import (
	"context"
	"fmt"
	"testing"
)

const putAll = `INSERT INTO t (id, n) SELECT * FROM (VALUES (?, ?)) WHERE column1 IS NOT NULL`

// rowsOf returns rows of the test table with the numbers from, from+1, and so on.
func rowsOf(from, n int) *Rows {
	all := NewRows(2, n)
	for i := range n {
		all.Add(fmt.Sprint("r", from+i), from+i)
	}
	return all
}

func TestRowsAreOneStatement(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	from := 0
	for _, n := range []int{1, 2, 3, 17, MostRows - 1, MostRows} {
		before := db.Traffic().Statements
		mustWrite(t, db, func(ctx context.Context, tx Tx) error {
			_, err := rowsOf(from, n).Exec(ctx, tx, putAll)
			return err
		})
		if got := db.Traffic().Statements - before; got != 1 {
			t.Errorf("%d rows are %d statements", n, got)
		}
		from += n
		if got := rows(t, db); got != from {
			t.Errorf("after %d rows there are %d, want %d", n, got, from)
		}
	}
}

// TestRowsBetweenOtherParameters: there are parameters on both sides of the rows.
func TestRowsBetweenOtherParameters(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		if _, err := rowsOf(0, 5).Exec(ctx, tx, putAll); err != nil {
			return err
		}
		all := NewRows(1, 3)
		for _, id := range []string{"r1", "r2", "r4"} {
			all.Add(id)
		}
		done, err := all.Exec(ctx, tx, `UPDATE t SET body = ? FROM (VALUES (?)) WHERE id = column1 AND n < ?`, "changed", 4)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n != 2 {
			t.Errorf("%d rows were changed (%v), want r1 and r2", n, err)
		}
		found, err := all.Query(ctx, tx, `SELECT id, body = ? FROM t WHERE id IN (VALUES (?)) AND n > ? ORDER BY id`, "changed", 1)
		if err != nil {
			return err
		}
		defer func() { _ = found.Close() }()
		var got string
		for found.Next() {
			var id string
			var changed *bool
			if err := found.Scan(&id, &changed); err != nil {
				return err
			}
			got += fmt.Sprint(id, " ", changed != nil, " ")
		}
		if got != "r2 true r4 false " {
			t.Errorf("found %q", got)
		}
		return found.Err()
	})
}

// TestRowsAreAllOrNone: a row that cannot be stored takes the others with it, and not
// what the write has done before.
func TestRowsAreAllOrNone(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		if _, err := rowsOf(7, 1).Exec(ctx, tx, putAll); err != nil {
			return err
		}
		if _, err := rowsOf(5, 3).Exec(ctx, tx, putAll); !IsDuplicate(err) {
			t.Errorf("got %v, want a duplicate", err)
		}
		return nil
	})
	if got := rows(t, db); got != 1 {
		t.Errorf("%d rows, want 1", got)
	}
}

func TestRowsThatNoStatementTakes(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		half := NewRows(2, 1)
		half.Add("r1")
		for what, run := range map[string]func() error{
			"no row":             func() error { _, err := rowsOf(0, 0).Exec(ctx, tx, putAll); return err },
			"one too many":       func() error { _, err := rowsOf(0, MostRows+1).Exec(ctx, tx, putAll); return err },
			"a value is missing": func() error { _, err := half.Exec(ctx, tx, putAll); return err },
			"no place for a row": func() error { _, err := rowsOf(0, 1).Exec(ctx, tx, `INSERT INTO t (id, n) VALUES (?, ?)`); return err },
			"a query, no row":    func() error { _, err := rowsOf(0, 0).Query(ctx, tx, putAll); return err }, //nolint:rowserrcheck,sqlclosecheck // there are none
		} {
			if run() == nil {
				t.Errorf("%s: no error", what)
			}
		}
		return nil
	})
	if got := rows(t, db); got != 0 {
		t.Errorf("%d rows, want none", got)
	}
}
