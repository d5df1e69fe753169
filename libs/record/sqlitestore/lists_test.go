package sqlitestore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// TestFilesFromBeforeTheCounts reads and writes a file in which a version without counts deleted records and events.
func TestFilesFromBeforeTheCounts(t *testing.T) {
	t.Parallel()
	// seedOld creates 2,500 records, every hundredth of them deleted, and 5 events.
	seedOld := func(t *testing.T) *sqlitestore.Store {
		t.Helper()
		db, store := open(t, filepath.Join(t.TempDir(), "old.db"))
		seed(t, db, 2500)
		for i := range 5 {
			e := record.Event{ID: record.EventID(fmt.Sprint("e", i+1)), Rev: 1, Deleted: i == 2}
			if _, err := store.InsertEvent(t.Context(), org, e, record.Unlimited); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			for _, statement := range []string{`DELETE FROM list_counts WHERE org = ?`, `DELETE FROM list_sets WHERE org = ?`} {
				if _, err := tx.ExecContext(ctx, statement, org); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return store
	}
	want := func(t *testing.T, what string, got record.Span, err error, want record.Span) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %+v, want %+v (%v)", what, got, want, err)
		}
	}
	t.Run("it is read first", func(t *testing.T) {
		t.Parallel()
		store := seedOld(t)
		for range 2 {
			got, err := store.RecordSpan(t.Context(), org, sub, 0, 100)
			want(t, "first page", got, err, record.Span{Total: 2475, Count: 100, High: 2499, Low: 2399})
			got, err = store.RecordSpan(t.Context(), org, sub, 2400, 100)
			want(t, "last page", got, err, record.Span{Total: 2475, Count: 75, High: 75, Low: 1})
			got, err = store.EventSpan(t.Context(), org, 0, 3)
			want(t, "events", got, err, record.Span{Total: 4, Count: 3, High: 5, Low: 2})
		}
	})
	t.Run("something is deleted first", func(t *testing.T) {
		t.Parallel()
		store := seedOld(t)
		r, err := store.Record(t.Context(), org, record.Key{Event: sub.Event, Type: sub.Type, ID: "r2499"})
		if err != nil {
			t.Fatal(err)
		}
		r.Rev, r.Deleted = 2, true
		if err := store.ReplaceRecord(t.Context(), org, r, 1); err != nil {
			t.Fatal(err)
		}
		e, err := store.Event(t.Context(), org, "e5")
		if err != nil {
			t.Fatal(err)
		}
		e.Rev, e.Deleted = 2, true
		if err := store.ReplaceEvent(t.Context(), org, e, 1); err != nil {
			t.Fatal(err)
		}
		got, err := store.RecordSpan(t.Context(), org, sub, 0, 100)
		want(t, "first page", got, err, record.Span{Total: 2474, Count: 100, High: 2498, Low: 2398})
		got, err = store.EventSpan(t.Context(), org, 0, 3)
		want(t, "events", got, err, record.Span{Total: 3, Count: 3, High: 4, Low: 1})
	})
}
