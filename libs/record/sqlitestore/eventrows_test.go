package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
)

// TestEventContextIsWhatIsStored: a cached event is returned until something is committed, by this process or another
// one.
func TestEventContextIsWhatIsStored(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db, store := open(t, path)
	_, another := open(t, path)
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	for _, id := range []record.EventID{"event", "other"} {
		e := record.Event{ID: id, Org: "org", Title: "0", Rev: 1, ContextRev: 1, Method: record.DefaultMethod, CreatedAt: now, UpdatedAt: now,
			Attendees: new(int64(7)), Metadata: map[string]string{"a": "b"}}
		if _, err := store.InsertEvent(t.Context(), "org", e, record.Unlimited); err != nil {
			t.Fatal(err)
		}
	}
	read := func(id record.EventID, title string, queries int64) {
		t.Helper()
		before := db.Traffic().Reads
		e, err := store.EventContext(t.Context(), "org", id)
		if err != nil || e.Title != title || *e.Attendees != 7 || !reflect.DeepEqual(e.Metadata, map[string]string{"a": "b"}) {
			t.Fatalf("%s is %+v, want the title %s: %v", id, e, title, err)
		}
		if got := db.Traffic().Reads - before; got != queries {
			t.Errorf("%s was read by %d queries, want %d", id, got, queries)
		}
		*e.Attendees, e.Metadata["a"], e.Metadata["c"] = 8, "c", "d" // it is the caller's
	}
	read("event", "0", 1)
	read("event", "0", 0)
	read("other", "0", 1)
	for n, by := range []*sqlitestore.Store{store, another, another, store} {
		e, err := by.Event(t.Context(), "org", "event")
		if err != nil {
			t.Fatal(err)
		}
		e.Title, e.Rev = fmt.Sprint(n+1), e.Rev+1
		if err := by.ReplaceEvent(t.Context(), "org", e, e.Rev-1); err != nil {
			t.Fatal(err)
		}
		read("event", e.Title, 1)
		read("event", e.Title, 0)
		read("other", "0", 1) // the version is of the file
	}
	// Writes of records of this process change no event.
	insert := func(by *sqlitestore.Store, id record.ID) {
		t.Helper()
		r := sample(record.Sub{Event: "event", Type: "flights"}, id)
		if r, err := by.InsertRecord(t.Context(), org, r); err != nil {
			t.Fatal(err)
		} else if r.Rev++; by.ReplaceRecord(t.Context(), org, r, 1) != nil {
			t.Fatal("not replaced")
		}
	}
	insert(store, "r1")
	read("event", "4", 0)
	insert(another, "r2") // as another process
	read("event", "4", 1)
	read("event", "4", 0)
	if _, err := store.EventContext(t.Context(), "another", "event"); !errors.Is(err, record.ErrNotFound) {
		t.Errorf("another organization finds the event: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.EventContext(gone, "org", "event"); !errors.Is(err, context.Canceled) {
		t.Errorf("under a cancelled context: %v", err)
	}
}
