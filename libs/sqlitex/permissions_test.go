package sqlitex_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// TestFilesOfADatabaseAreTheirOwnersAlone: also those that were there, with all that belongs to
// them, whatever opens them.
func TestFilesOfADatabaseAreTheirOwnersAlone(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(path string) error{
		"opened": func(path string) error {
			db, err := sqlitex.Open(t.Context(), path, sqlitex.Component{Name: "t", Steps: []sqlitex.Step{sqlitex.Statements(1, `CREATE TABLE t (x INTEGER) STRICT`)}})
			if err != nil {
				return err
			}
			return db.Close()
		},
		"looked into": func(path string) error {
			_, err := sqlitex.Inspect(t.Context(), path)
			return err
		},
		"copied": func(path string) error { return sqlitex.Copy(t.Context(), path+".copy", path) },
	} {
		path := filepath.Join(t.TempDir(), "ecf.db")
		db, err := sqlitex.Open(t.Context(), path, sqlitex.Component{Name: "t", Steps: []sqlitex.Step{sqlitex.Statements(1, `CREATE TABLE t (x INTEGER) STRICT`)}})
		if err != nil {
			t.Fatal(err)
		}
		parts, err := filepath.Glob(path + "*")
		if err != nil || len(parts) < 2 {
			t.Fatalf("%v, %v", parts, err)
		}
		for _, part := range parts {
			if err := os.Chmod(part, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := open(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if parts, err = filepath.Glob(path + "*"); err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if info, err := os.Stat(part); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s has the mode %v, %v", name, filepath.Base(part), info.Mode(), err)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
