package sqlitestore_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/histories"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
)

// TestAFileOfEachVersionOpens restores a small file of each released version and
// reads it through the store. testdata/v0.sql was written by a server from before
// versions were stored: an event with an approved record and a deleted one, and
// a deleted event.
func TestAFileOfEachVersionOpens(t *testing.T) {
	t.Parallel()
	const (
		org    record.OrgID   = "sddtxntmgyg811x51swjcg3h38"
		event  record.EventID = "8ynm28vb7tb36c38yd5ewr7njc"
		flight record.ID      = "pt5jzg0sqqszst5ndj4jjafj41"
	)
	files, err := filepath.Glob("testdata/v*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ecf.db")
			restore(t, file, path)
			_, store := open(t, path)
			e, err := store.Event(t.Context(), org, event)
			if err != nil || e.Title != "Gala" || e.Rev != 1 || e.Attendees == nil || *e.Attendees != 100 {
				t.Errorf("event %+v, %v", e, err)
			}
			r, err := store.Record(t.Context(), org, record.Key{Event: event, Type: "flights", ID: flight})
			if err != nil || r.Status != record.Approved || r.Rev != 3 || r.Reference != "r1" || len(r.Contribution) == 0 {
				t.Errorf("record %+v, %v", r, err)
			}
			span, err := store.EventSpan(t.Context(), org, 0, 10)
			if err != nil || span != (record.Span{Total: 1, Count: 1, High: 1, Low: 1}) {
				t.Errorf("events %+v, %v", span, err)
			}
			// The step that adds counts and marks fills them.
			all, err := store.Summaries(t.Context(), org, []record.EventID{event})
			if s := all[event]; err != nil || s.Counts != (record.Counts{Approved: 1}) || !s.Due {
				t.Errorf("summary %+v, %v", s, err)
			}
			flow := record.EventFlow{Store: store, Now: time.Now}
			if _, err := flow.Apply(t.Context(), record.EventRequest{Org: org, ID: event, Action: record.EventChanged, By: record.System(),
				Change: func(e *record.Event) error { e.Country = "FR"; return nil }}); err != nil {
				t.Error(err)
			}
			wantChain(t, store, org, event)
			tally, err := histories.Verify(t.Context(), store, org, func(f histories.Fault) error {
				t.Errorf("history: %s", f)
				return nil
			})
			if err != nil || tally != (histories.Tally{Records: 2, Entries: 5}) {
				t.Errorf("verified %+v, %v", tally, err)
			}
			if len(sqlitestore.Schema()) != 9 { // the others have only indexes, empty new tables, or an empty new column
				t.Error("the store has another component; give it its files")
			}
		})
	}
}

// restore creates the file at path from a dump.
func restore(t *testing.T, dump, path string) {
	t.Helper()
	text, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), string(text)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
