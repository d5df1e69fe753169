package sqlitex_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// After a clean stop the file alone is the whole database, and it is its owner's
// alone from the start.
func TestTheFileAloneIsWholeAfterAStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	component := sqlitex.Component{Name: "t", Steps: []sqlitex.Step{sqlitex.Statements(1, `CREATE TABLE t (x INTEGER) STRICT`)}}
	db, err := sqlitex.Open(t.Context(), path, component)
	if err != nil {
		t.Fatal(err)
	}
	for x := range 100 {
		if err := db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO t VALUES (?)`, x)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t`).Scan(&n); err != nil || n != 100 {
		t.Fatalf("%d %v", n, err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v %v", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", file, info.Mode())
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := sqlitex.Open(t.Context(), copied, component)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if err := again.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t`).Scan(&n); err != nil || n != 100 {
		t.Errorf("the file alone has %d of 100 rows: %v", n, err)
	}
}
