package sqlitestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

const org record.OrgID = "org"

var sub = record.Sub{Event: "event", Type: "flights"}

// sample returns a record of the usual size.
func sample(sub record.Sub, id record.ID) record.Record {
	by := record.Actor{ID: "u1", Name: "Ann Example", Role: identity.User}
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	return record.Record{
		ID: id, Org: org, Event: sub.Event, Type: sub.Type, Rev: 1, Status: record.Unsubmitted,
		Fields:       json.RawMessage(`{"class":"economy","description":"To the venue and back","from":"FRA","group":"speakers","passengers":3,"roundTrip":true,"to":"LHR"}`),
		Preview:      json.RawMessage(`{"kgCO2e":"612.345678","low":"520.1","high":"700.9","factorSet":"2026.1","defaulted":["trips"],"notices":[]}`),
		Contribution: json.RawMessage(`{"lines":[{"factor":"flight.short.economy","quantity":"3912","unit":"pkm","kg":"612.345678"}]}`),
		CreatedBy:    by, EditedBy: by, CreatedAt: now, UpdatedAt: now,
		Last: record.Entry{Rev: 1, Move: record.Create, To: record.Unsubmitted, By: by, At: now, Hash: "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358"},
	}
}

func openBench(b *testing.B) *sqlitestore.Store {
	b.Helper()
	_, store := open(b, filepath.Join(b.TempDir(), "bench.db"))
	return store
}

// BenchmarkInsertRecord measures durable inserts by many at once, all into one
// sub-collection.
func BenchmarkInsertRecord(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			store := openBench(b)
			b.SetParallelism(writers)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := store.InsertRecord(b.Context(), org, sample(sub, record.ID(record.NewID()))); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// BenchmarkReplaceRecord measures concurrent durable changes of different records.
func BenchmarkReplaceRecord(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			store := openBench(b)
			var n atomic.Int64
			b.SetParallelism(writers)
			b.RunParallel(func(pb *testing.PB) {
				r, err := store.InsertRecord(b.Context(), org, sample(sub, record.ID(fmt.Sprint("r", n.Add(1)))))
				if err != nil {
					b.Error(err)
					return
				}
				for pb.Next() {
					r.Rev++
					if err := store.ReplaceRecord(b.Context(), org, r, r.Rev-1); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// BenchmarkRead measures a page, finding it, its revisions and one record in a sub-collection of
// 20,000 records, 1 in 100 of them deleted.
func BenchmarkRead(b *testing.B) {
	db, store := open(b, filepath.Join(b.TempDir(), "bench.db"))
	seed(b, db, 20_000)
	span, err := store.RecordSpan(b.Context(), org, sub, 0, 1)
	if err != nil || span.High != 19_999 || span.Total != 19_800 {
		b.Fatalf("%+v: %v", span, err)
	}
	for name, read := range map[string]func(i int64) error{
		"Record": func(i int64) error {
			_, err := store.Record(b.Context(), org, record.Key{Event: sub.Event, Type: sub.Type, ID: record.ID(fmt.Sprint("r", i%100*100+1))})
			return err
		},
		"RecordRange25": func(i int64) error {
			from := i * 7919 % 19_000
			_, err := store.RecordRange(b.Context(), org, sub, from+1, from+25)
			return err
		},
		"RecordRevisions25": func(i int64) error {
			from := i * 7919 % 19_000
			_, err := store.RecordRevisions(b.Context(), org, sub, from+1, from+25)
			return err
		},
		"RecordSpan": func(i int64) error {
			_, err := store.RecordSpan(b.Context(), org, sub, i*7919%19_000, 25)
			return err
		},
		"CountByStatus": func(int64) error { _, err := store.CountByStatus(b.Context(), org, sub.Event); return err },
		"MaxSeqs":       func(int64) error { _, err := store.MaxSeqs(b.Context(), org, sub.Event); return err },
		"MarkedEvents":  func(int64) error { _, err := store.MarkedEvents(b.Context(), 100); return err },
	} {
		b.Run(name, func(b *testing.B) {
			var n atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := read(n.Add(1)); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// seed fills the sub-collection with n copies of one record.
func seed(b testing.TB, db *sqlitex.DB, n int) {
	b.Helper()
	store := sqlitestore.New(db)
	if _, err := store.InsertRecord(b.Context(), org, sample(sub, "r1")); err != nil {
		b.Fatal(err)
	}
	err := db.Write(b.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `
			WITH RECURSIVE more (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM more WHERE i < ?)
			INSERT INTO records (id, org, event, type, seq, rev, status, deleted, ref_key, reference, mark, context_rev,
				created_at, created_by, updated_at, fields, preview, contribution, body)
			SELECT 'r' || i, org, event, type, i, rev, status, i % 100 = 0, 'id:r' || i, reference, mark, context_rev,
				created_at, created_by, updated_at, fields, preview, contribution, body
			FROM records, more WHERE id = 'r1'`, n)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSummaries reads the summaries for a list of 100 events, by the number of records in each.
func BenchmarkSummaries(b *testing.B) {
	const events = 100
	for _, records := range []int{0, 100, 10_000} {
		db, store := open(b, filepath.Join(b.TempDir(), fmt.Sprint(records, ".db")))
		ids := make([]record.EventID, events)
		for i := range ids {
			ids[i] = record.EventID(fmt.Sprint("event", i))
			if _, err := store.InsertEvent(b.Context(), org, record.Event{ID: ids[i], Rev: 1}, record.Unlimited); err != nil {
				b.Fatal(err)
			}
			err := db.Write(b.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
				_, err := tx.ExecContext(ctx, `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
					INSERT INTO records (id, org, event, type, seq, rev, status, deleted, ref_key, reference, mark, context_rev, created_at, created_by, updated_at, body)
					SELECT ? || '-' || n, 'org', ?, 'flights', n, 1, CASE n % 3 WHEN 0 THEN 'submitted' ELSE 'approved' END, 0, 'id:' || n, '', '', 1, 0, '{}', 0, '{}' FROM n WHERE ? > 0`,
					records, ids[i], ids[i], records)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprint("records=", records), func(b *testing.B) {
			for b.Loop() {
				all, err := store.Summaries(b.Context(), org, ids)
				if err != nil || len(all) != events || all[ids[7]].Counts.Approved+all[ids[7]].Counts.Submitted != int64(records) {
					b.Fatal(len(all), err)
				}
			}
		})
		b.Run(fmt.Sprint("events alone, records=", records), func(b *testing.B) {
			for b.Loop() {
				if _, err := store.EventRange(b.Context(), org, 1, events); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
