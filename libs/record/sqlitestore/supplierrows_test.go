package sqlitestore_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// TestSupplierFactorsOfAnOlderFileAreKept opens a file with version 1 of suppliers: every row is unchanged, in a
// table of rows with both keys, and version 1 still works with it.
func TestSupplierFactorsOfAnOlderFileAreKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ecf.db")
	before := slices.Clone(sqlitestore.Schema())
	for i, c := range before {
		if c.Name == "suppliers" {
			before[i].Steps = c.Steps[:1]
		}
	}
	openBefore := func() (*sqlitex.DB, *sqlitestore.Store) {
		db, err := sqlitex.Open(t.Context(), path, before...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db, sqlitestore.New(db)
	}
	factor := func(id, name string, version int64) record.SupplierFactor {
		return record.SupplierFactor{SupplierFactor: footprint.SupplierFactor{ID: id, Name: name, Version: version, Source: strings.Repeat("page ", int(version)*100)},
			Org: "org", Rev: 1, Status: record.SupplierProposed, CreatedAt: time.UnixMilli(5).UTC(), UpdatedAt: time.UnixMilli(5).UTC()}
	}
	insert := func(s *sqlitestore.Store, f record.SupplierFactor, want error) {
		t.Helper()
		if err := s.InsertSupplierFactor(t.Context(), "org", f); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", f.ID, err, want)
		}
	}
	rowsOf := func(db *sqlitex.DB) (all []string) {
		rows, err := db.QueryContext(t.Context(), `SELECT concat_ws(' ', id, org, key, version, rev, deleted, typeof(body), hex(body)) FROM supplier_factors ORDER BY id`)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var one string
			if err := rows.Scan(&one); err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return all
	}

	oldFile, old := openBefore()
	for version := range int64(20) { // up to longer than a page
		insert(old, factor(string(rune('t'-version)), "Green Power", version+1), nil)
	}
	if err := oldFile.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO supplier_factors VALUES ('damaged', 'other', 'power', 1, 3, 1, CAST(x'7B22FF00C328' AS TEXT))`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	kept := rowsOf(oldFile)
	if err := oldFile.Close(); err != nil {
		t.Fatal(err)
	}

	db, s := open(t, path)
	if now := rowsOf(db); len(now) != 21 || !reflect.DeepEqual(now, kept) {
		t.Errorf("the rows were\n%s\nand are\n%s", kept, now)
	}
	var layout string
	if err := db.QueryRowContext(t.Context(), `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'supplier_factors'`).Scan(&layout); err != nil || strings.Contains(layout, "ROWID") {
		t.Errorf("long factors take pages of their own: %s, %v", layout, err)
	}
	_, old = openBefore()
	for _, s := range []*sqlitestore.Store{s, old} {
		insert(s, factor("a", "Another", 1), record.ErrDuplicate)
		insert(s, factor("z", "Green Power", 7), record.ErrDuplicate)
	}
	insert(s, factor("y", "Green Power", 21), nil)
	insert(old, factor("z", "Green Power", 22), nil)
	for _, s := range []*sqlitestore.Store{s, old} {
		all, err := s.SupplierFactorVersions(t.Context(), "org", "green power")
		if err != nil || len(all) != 22 || all[0].ID != "z" || all[1].ID != "y" || all[21].ID != "t" {
			t.Errorf("%d versions, %v", len(all), err)
		}
	}
}
