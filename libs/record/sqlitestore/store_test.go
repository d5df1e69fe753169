package sqlitestore_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/recordtest"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// TestConformance opens one file per test; asked again for the same test it
// opens that file once more, as a second process would.
func TestConformance(t *testing.T) {
	dir := t.TempDir()
	recordtest.Run(t, func(t *testing.T) record.Store {
		_, store := open(t, filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_")+".db"))
		return store
	})
}

// open opens the file at path until the test ends.
func open(t testing.TB, path string) (*sqlitex.DB, *sqlitestore.Store) {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), path, sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, sqlitestore.New(db)
}
