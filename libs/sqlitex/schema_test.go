package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/schema"
)

// tableOf returns a component of two versions; the second adds a column and
// can still be read by a program that knows the first.
func tableOf(versions int) Component {
	steps := []Step{
		Statements(1, `CREATE TABLE IF NOT EXISTS t (id TEXT NOT NULL PRIMARY KEY) STRICT`),
		{MinReader: 1, Apply: func(ctx context.Context, tx Tx) error {
			return AddColumn(ctx, tx, "t", "more", "INTEGER NOT NULL DEFAULT 7")
		}},
		Statements(3, `ALTER TABLE t RENAME COLUMN more TO most`),
	}
	return Component{Name: "table", Steps: steps[:versions]}
}

func openVersion(t *testing.T, path string, versions int) error {
	t.Helper()
	db, err := Open(t.Context(), path, tableOf(versions))
	if err != nil {
		return err
	}
	return db.Close()
}

func wantVersion(t *testing.T, path string, want schema.Stored) {
	t.Helper()
	all, err := Inspect(t.Context(), path, tableOf(3))
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Stored != want {
		t.Errorf("the file states %+v, want %+v", all[0].Stored, want)
	}
}

func TestAFileIsBroughtUpStepByStep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	for versions, want := range []schema.Stored{1: {Version: 1, MinReader: 1}, 2: {Version: 2, MinReader: 1}, 3: {Version: 3, MinReader: 3}} {
		if versions == 0 {
			continue
		}
		for range 2 { // the second opening finds nothing to do
			if err := openVersion(t, path, versions); err != nil {
				t.Fatal(err)
			}
		}
		wantVersion(t, path, want)
	}
}

func TestANewerFileIsRefusedOnlyBelowItsMinReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	readable := filepath.Join(dir, "two.db")
	if err := openVersion(t, readable, 2); err != nil {
		t.Fatal(err)
	}
	if err := openVersion(t, readable, 1); err != nil {
		t.Errorf("version 2 can be read by a program of version 1, got %v", err)
	}
	wantVersion(t, readable, schema.Stored{Version: 2, MinReader: 1})

	newer := filepath.Join(dir, "three.db")
	if err := openVersion(t, newer, 3); err != nil {
		t.Fatal(err)
	}
	if err := openVersion(t, newer, 2); !errors.Is(err, schema.ErrNewer) {
		t.Errorf("version 3 needs a program of version 3, got %v", err)
	}
	wantVersion(t, newer, schema.Stored{Version: 3, MinReader: 3})
}

// A contract waits for other programs, of which a file has none.
func TestAContractIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	now := tableOf(3)
	now.Steps[2].Contract = true
	dir := t.TempDir()
	fresh, upgraded := filepath.Join(dir, "fresh.db"), filepath.Join(dir, "upgraded.db")
	if err := openVersion(t, upgraded, 2); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fresh, upgraded} {
		db, err := Open(t.Context(), path, now)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		wantVersion(t, path, schema.Stored{Version: 3, MinReader: 3})
		if err := openVersion(t, path, 2); !errors.Is(err, schema.ErrNewer) {
			t.Errorf("the program of before opens %s: %v", path, err)
		}
	}
}

func TestAFailedStepLeavesTheVersionBefore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := openVersion(t, path, 1); err != nil {
		t.Fatal(err)
	}
	broken := tableOf(2)
	broken.Steps = append(broken.Steps, Statements(3, `CREATE TABLE half (id TEXT)`, `CREATE NONSENSE`))
	if _, err := Open(t.Context(), path, broken); err == nil {
		t.Fatal("opened with a step that fails")
	}
	wantVersion(t, path, schema.Stored{Version: 1, MinReader: 1})
	if err := openVersion(t, path, 3); err != nil {
		t.Errorf("the failed attempt left something behind: %v", err)
	}
}

// A file from before versions were stored has the objects of version 1, and
// perhaps columns that were added since.
func TestAFileWithoutVersionsIsBroughtUp(t *testing.T) {
	t.Parallel()
	for _, made := range []string{"", "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY) STRICT", "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, more INTEGER NOT NULL DEFAULT 7) STRICT"} {
		path := filepath.Join(t.TempDir(), "test.db")
		db, err := sql.Open("sqlite", dsn(path, durable))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), made); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := openVersion(t, path, 3); err != nil {
			t.Errorf("%q: %v", made, err)
		}
		wantVersion(t, path, schema.Stored{Version: 3, MinReader: 3})
	}
}

func TestManyMayBringAFileUpAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	if err := openVersion(t, path, 1); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		group.Go(func() {
			db, err := Open(t.Context(), path, tableOf(3))
			if err == nil {
				err = db.Close()
			}
			errs[i] = err
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	wantVersion(t, path, schema.Stored{Version: 3, MinReader: 3})
}
