package sqlitex_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// ownedTables are a table of each form that may have rows of an owner, and one of nobody.
var ownedTables = []sqlitex.Component{{Name: "owned", Steps: []sqlitex.Step{sqlitex.Statements(1,
	`CREATE TABLE owners (id TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID`,
	`CREATE TABLE by_row (owner TEXT, body TEXT)`,
	`CREATE TABLE by_key (owner TEXT, n INTEGER, "group" TEXT, PRIMARY KEY (owner, n, "group")) WITHOUT ROWID`,
	`CREATE TABLE others (id TEXT PRIMARY KEY, body TEXT)`,
)}}}

// TestAllOfOneOwnerIsRemoved: the rows of one owner are removed from every table that has any, more of them than one
// transaction removes, nothing of another owner is, and a copy of the file does not have their content.
func TestAllOfOneOwnerIsRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file.db")
	db, err := sqlitex.Open(t.Context(), path, ownedTables...)
	if err != nil {
		t.Fatal(err)
	}
	const many = 401
	err = db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		for _, owner := range []string{"ada", "bob"} {
			if _, err := tx.ExecContext(ctx, `INSERT INTO owners VALUES (?, ?)`, owner, "secret of "+owner); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO others VALUES (?, 'of nobody')`, owner); err != nil {
				return err
			}
			for n := range many {
				if _, err := tx.ExecContext(ctx, `INSERT INTO by_row VALUES (?, ?)`, owner, fmt.Sprintf("secret of %s, %0500d", owner, n)); err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, `INSERT INTO by_key VALUES (?, ?, ?)`, owner, n, "secret of "+owner); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	of := func(owner string) sqlitex.Owned {
		return sqlitex.Owned{Column: "owner", ByID: []string{"owners"}, Owner: owner}
	}
	counts := func(owner string) map[string]int64 {
		t.Helper()
		counts, err := of(owner).Count(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return counts
	}
	want := map[string]int64{"owners": 1, "by_row": many, "by_key": many}
	for _, owner := range []string{"ada", "bob"} {
		if got := counts(owner); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", owner, got, want)
		}
	}
	if removed, err := of("ada").Remove(t.Context(), db, "by_key"); err != nil || !maps.Equal(removed, want) {
		t.Errorf("removed %v, %v, want %v", removed, err, want)
	}
	if removed, err := of("ada").Remove(t.Context(), db); err != nil || len(removed) > 0 {
		t.Errorf("removed once more: %v, %v", removed, err)
	}
	if got := counts("ada"); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
	if got := counts("bob"); !maps.Equal(got, want) {
		t.Errorf("of another owner: %v, want %v", got, want)
	}
	if all, err := db.Counts(t.Context()); err != nil || all["others"] != 2 {
		t.Errorf("%v, %v, want 2 others", all, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	copied := path + ".copy"
	if err := sqlitex.Copy(t.Context(), copied, path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(copied) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(content, []byte("secret of ada")); n > 0 {
		t.Errorf("the copy has what was removed %d times", n)
	}
	if bytes.Count(content, []byte("secret of bob")) < many {
		t.Error("the copy does not have what was not removed")
	}
}
