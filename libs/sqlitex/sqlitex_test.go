package sqlitex

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// testTable is the schema of the tests of this package.
var testTable = Component{Name: "test", Steps: []Step{
	Statements(1, `CREATE TABLE IF NOT EXISTS t (id TEXT NOT NULL PRIMARY KEY, n INTEGER UNIQUE, body TEXT) STRICT`),
}}

// openAt opens the file at path until the test ends.
func openAt(t *testing.T, path string, more ...string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, testTable, Component{Name: "more", Steps: []Step{Statements(1, more...)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func openNew(t *testing.T, more ...string) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "test.db"), more...)
}

// put returns a write of one row.
func put(id string) func(context.Context, Tx) error {
	return func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO t (id) VALUES (?)`, id)
		return err
	}
}

func mustWrite(t *testing.T, db *DB, fn func(context.Context, Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func rows(t *testing.T, db *DB) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestReadersCanNotWrite(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	if _, err := db.Read().ExecContext(t.Context(), `INSERT INTO t (id) VALUES ('a')`); err == nil {
		t.Error("a reader wrote")
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAPathIsTakenLiterally(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c=d#e%41&f.db")
	db := openAt(t, path)
	mustWrite(t, db, put("a"))
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Open(t.Context(), filepath.Join(dir, "none", "test.db"), testTable); err == nil {
		t.Error("opened a file in a directory that does not exist")
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "test.db"), Component{Name: "test", Steps: []Step{Statements(1, "CREATE NONSENSE")}}); err == nil {
		t.Error("took a schema that is not SQL")
	}
	noise := filepath.Join(dir, "noise.db")
	if err := os.WriteFile(noise, bytes.Repeat([]byte("noise"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), noise, testTable); err == nil {
		t.Error("opened a file that is no database")
	}
}

func TestDuplicatesAreTold(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO t (id, n) VALUES ('a', 1)`)
		return err
	})
	for statement, want := range map[string]bool{
		`INSERT INTO t (id, n) VALUES ('a', 2)`:  true,
		`INSERT INTO t (id, n) VALUES ('b', 1)`:  true,
		`INSERT INTO t (id, n) VALUES (NULL, 3)`: false,
		`INSERT INTO nowhere VALUES (1)`:         false,
	} {
		err := db.Write(t.Context(), func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		})
		if err == nil || IsDuplicate(err) != want {
			t.Errorf("%s: got %v, duplicate: %v", statement, err, IsDuplicate(err))
		}
		if IsFull(err) {
			t.Errorf("%s: taken for a full disk", statement)
		}
	}
}

func TestStatementsBeyondTheLimitWork(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range statementLimit + 20 {
				var got int
				query := fmt.Sprintf(`SELECT ? + %d`, i)
				if err := db.QueryRowContext(t.Context(), query, 1).Scan(&got); err != nil || got != i+1 {
					t.Errorf("%s: %d, %v", query, got, err)
				}
			}
		})
	}
	wg.Wait()
	if got := len(db.prepared.byText); got != statementLimit {
		t.Errorf("%d statements are kept, want %d", got, statementLimit)
	}
	var none int
	if err := db.QueryRowContext(t.Context(), `SELECT n FROM t`).Scan(&none); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("got error %v", err)
	}
	if err := db.QueryRowContext(t.Context(), `SELECT nonsense`).Scan(&none); err == nil {
		t.Error("a wrong query gave no error")
	}
	if _, err := db.QueryContext(t.Context(), `SELECT nonsense`); err == nil {
		t.Error("a wrong query gave no error")
	}
}

func TestAQueryMayBeAskedWhileItsRowsAreRead(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	const query = `SELECT id FROM t WHERE id > ? ORDER BY id`
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		for _, id := range []string{"a", "b", "c"} {
			if err := put(id)(ctx, tx); err != nil {
				return err
			}
		}
		outer, err := tx.QueryContext(ctx, query, "")
		if err != nil {
			return err
		}
		defer func() { _ = outer.Close() }()
		var got []string
		for outer.Next() {
			var id, following string
			if err := outer.Scan(&id); err != nil {
				return err
			}
			if err := tx.QueryRowContext(ctx, query, id).Scan(&following); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			got = append(got, id+following)
		}
		if fmt.Sprint(got) != "[ab bc c]" {
			return fmt.Errorf("got %v", got)
		}
		return outer.Err()
	})
}
