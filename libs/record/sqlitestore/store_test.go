package sqlitestore_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/ids"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/recordtest"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// TestConformance opens one file per test; opened again for the same test it is the same file, as for a second
// process.
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

// TestNewRecordsAreWrittenSideBySide: records created at about the same time are adjacent in every index, so that a
// commit of many writes few pages. Three indexes contain the id of a record; with unrelated ids each record writes a
// page of each.
func TestNewRecordsAreWrittenSideBySide(t *testing.T) {
	t.Parallel()
	pages := func(newID func() string) int64 {
		path := filepath.Join(t.TempDir(), "records.db")
		db, err := sqlitex.Open(t.Context(), path, slices.Concat(sqlitestore.Schema(), []sqlitex.Component{
			{Name: "kept", Steps: []sqlitex.Step{sqlitex.Statements(1, `PRAGMA wal_autocheckpoint = 0`)}},
		})...)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		store := sqlitestore.New(db)
		create := func() {
			t.Helper()
			batch := make([]record.Record, 64)
			for i := range batch {
				batch[i] = sample(sub, record.ID(newID()))
			}
			if _, refused, err := store.InsertRecords(t.Context(), org, sub, batch); err != nil || slices.ContainsFunc(refused, func(err error) bool { return err != nil }) {
				t.Fatal(refused, err)
			}
		}
		for range 80 { // as many pages of each index as a commit could touch, and more
			create()
		}
		before := walSize(t, path)
		for range 4 {
			create()
		}
		const frame = 4096 + 24
		return (walSize(t, path) - before) / frame / 4
	}
	grouped, random := pages(record.NewID), pages(ids.New)
	t.Logf("64 records write %d pages, %d with ids that have nothing in common", grouped, random)
	if 3*grouped > 2*random {
		t.Errorf("64 records write %d pages, want at most two thirds of the %d of ids that have nothing in common", grouped, random)
	}
}

// walSize returns the size of the log of a file, in bytes.
func walSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
