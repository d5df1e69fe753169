package transfer_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	accountsqlite "github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

const (
	org   record.OrgID   = "org"
	gala  record.EventID = "gala"
	other record.EventID = "other"
)

var now = time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)

func newFile(t *testing.T) *sqlitex.DB {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordsqlite.Schema(), resultsqlite.Schema(), accountsqlite.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// source is a store with two events of three records and a result each.
func source(t *testing.T) transfer.Stores {
	t.Helper()
	return sourceIn(t, newFile(t))
}

func sourceIn(t *testing.T, db *sqlitex.DB) transfer.Stores {
	t.Helper()
	s := transfer.InFile(db)
	must(t, s.Records.InsertOrganization(t.Context(), record.Organization{ID: org, Name: "Org", Plan: "team", CreatedAt: now, Rev: 1}))
	for _, id := range []record.EventID{gala, other} {
		e := record.Event{ID: id, Org: org, Title: "Before", CreatedAt: now, UpdatedAt: now, Rev: 1, ContextRev: 1}
		_, err := s.Records.InsertEvent(t.Context(), org, e, record.Unlimited)
		must(t, err)
		for _, name := range []record.ID{"a", "b", "c"} {
			r := record.Record{ID: record.ID(id) + name, Event: id, Type: "flights", Rev: 1, Status: record.Approved, CreatedAt: now, UpdatedAt: now}
			_, err := s.Records.InsertRecord(t.Context(), org, r)
			must(t, err)
		}
		must(t, s.Results.PutResult(t.Context(), result(id, 1), 0))
	}
	return s
}

func result(id record.EventID, version int64) resulttree.Result {
	return resulttree.Result{Org: org, Event: id, Version: version, Revision: 1, Contribution: json.RawMessage(`{}`), CalculatedAt: now}
}

// racing is a store with a write just after records of the event were read for the first time.
type racing struct {
	record.Store
	write func()
}

func (r *racing) RecordsAfter(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.Record, error) {
	all, err := r.Store.RecordsAfter(ctx, org, after, limit)
	if write := r.write; write != nil && after.Event == gala {
		r.write = nil
		write()
	}
	return all, err
}

// Data that changes while an event is copied is copied again, or recalculated from the copy.
func TestArchiveHoldsAStateThatCouldHaveBeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write  func(ctx context.Context, s transfer.Stores) error
		same   bool // as the source is in the end
		marked bool
	}{
		"nothing": {func(context.Context, transfer.Stores) error { return nil }, true, false},
		"the event and a record": {func(ctx context.Context, s transfer.Stores) error {
			e, err := s.Records.Event(ctx, org, gala)
			if err != nil {
				return err
			}
			e.Title, e.Rev = "After", 2
			if err := s.Records.ReplaceEvent(ctx, org, e, 1); err != nil {
				return err
			}
			_, err = s.Records.InsertRecord(ctx, org, record.Record{ID: "late", Event: gala, Type: "flights", Rev: 1, Status: record.Approved, CreatedAt: now, UpdatedAt: now})
			return err
		}, true, false},
		"the result": {func(ctx context.Context, s transfer.Stores) error {
			return s.Results.PutResult(ctx, result(gala, 2), 1)
		}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := source(t)
			live := s
			written := false
			live.Records = &racing{s.Records, func() {
				written = true
				must(t, c.write(t.Context(), s))
			}}
			db := newFile(t)
			must(t, transfer.Archive(t.Context(), db, live))
			if !written {
				t.Fatal("nobody wrote meanwhile")
			}
			want, err := transfer.ContentsOf(t.Context(), s)
			must(t, err)
			got, err := transfer.ContentsOf(t.Context(), transfer.InFile(db))
			must(t, err)
			if differ := got.Compare(want); (differ == nil) != c.same {
				t.Errorf("compared with the source: %v, want the same %t", differ, c.same)
			}
			for event, want := range map[record.EventID]bool{gala: c.marked, other: false} {
				marked, err := transfer.InFile(db).Records.MarkedRecords(t.Context(), org, event, 10)
				must(t, err)
				if (len(marked) == 1 && marked[0].Seq == 1) != want || !want && len(marked) > 0 {
					t.Errorf("%s: marked %v, want %t", event, marked, want)
				}
			}
		})
	}
}

// An event that is changed each time it is read ends the backup with an error.
func TestArchiveGivesUpOnAnEventThatNeverRests(t *testing.T) {
	t.Parallel()
	s := source(t)
	live := s
	r := &racing{Store: s.Records}
	rev := int64(1)
	var again func()
	again = func() {
		e, err := s.Records.Event(t.Context(), org, gala)
		must(t, err)
		rev++
		e.Rev = rev
		must(t, s.Records.ReplaceEvent(t.Context(), org, e, rev-1))
		r.write = again
	}
	r.write, live.Records = again, r
	if err := transfer.Archive(t.Context(), newFile(t), live); err == nil {
		t.Error("it was archived")
	}
}

// A key answered during the copy is stored without its response, an earlier one with it.
func TestArchiveKeepsAnswersFromBefore(t *testing.T) {
	t.Parallel()
	s := source(t)
	key := record.KeyEntry{ID: "k1", Digest: "d", Seed: "s", Lease: "l", LeaseUntil: now, ExpiresAt: now.Add(time.Hour), Answer: &record.KeyAnswer{Status: 201, Body: []byte("{}")}}
	_, _, err := s.Records.InsertKey(t.Context(), org, key)
	must(t, err)
	live := s
	live.Records = &racing{s.Records, func() {
		late := key
		late.ID = "k2"
		_, _, err := s.Records.InsertKey(t.Context(), org, late)
		must(t, err)
	}}
	db := newFile(t)
	must(t, transfer.Archive(t.Context(), db, live))
	keys, err := transfer.InFile(db).Records.KeysAfter(t.Context(), org, "", 10)
	must(t, err)
	if len(keys) != 2 || keys[0].Answer == nil || keys[1].Answer != nil || keys[1].Seed != "s" {
		t.Errorf("keys %+v", keys)
	}
}
