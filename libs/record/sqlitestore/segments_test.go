package sqlitestore_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestApprovedIsWhatIsStored: a cached range is never returned in place of newer data, whether written by this
// process, another one, or several at once.
func TestApprovedIsWhatIsStored(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // which records are moved
	path := filepath.Join(t.TempDir(), "test.db")
	db, store := open(t, path)
	_, another := open(t, path)
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	sub := record.Sub{Event: "event", Type: "waste"}
	if _, err := store.InsertEvent(t.Context(), "org", record.Event{ID: "event", Org: "org", Rev: 1, ContextRev: 1, Method: record.DefaultMethod, CreatedAt: now, UpdatedAt: now}, record.Unlimited); err != nil {
		t.Fatal(err)
	}
	inserted := 0
	insert := func() {
		inserted++
		_, err := another.InsertRecord(t.Context(), "org", record.Record{ID: record.ID(fmt.Sprint("r", inserted)), Org: "org", Event: "event", Type: "waste", Rev: 1,
			Status: record.Approved, Fields: json.RawMessage(`{"weightKg":1}`), Contribution: json.RawMessage(`{"n":1}`), ContextRev: 1, CreatedAt: now, UpdatedAt: now,
			Last: record.Entry{Rev: 1, Move: record.Create, To: record.Approved, At: now}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 40 {
		insert()
	}
	change := func(by *sqlitestore.Store, n, what, value int) error {
		r, err := by.Record(t.Context(), "org", record.Key{Event: "event", Type: "waste", ID: record.ID(fmt.Sprint("r", n))})
		if err != nil {
			return nil //nolint:nilerr // it was deleted
		}
		switch what {
		case 0: // as another engine does: no other revision, and no other context
			return by.StoreContributions(t.Context(), "org", []record.Recalculated{{ID: r.ID, Rev: r.Rev, ContextRev: r.ContextRev, Contribution: fmt.Appendf(nil, `{"n":%d}`, value)}})
		case 1:
			return by.StoreContributions(t.Context(), "org", []record.Recalculated{{ID: r.ID, Rev: r.Rev, ContextRev: r.ContextRev + 1, Contribution: fmt.Appendf(nil, `{"n":%d}`, value)}})
		case 2:
			r.Deleted = value%4 == 0
		case 3:
			r.Fields = fmt.Appendf(nil, `{"weightKg":%d}`, value)
		case 4:
			r.Status = record.ChangesRequested
		default:
			r.Status = record.Approved
		}
		r.Rev++
		return by.ReplaceRecord(t.Context(), "org", r, r.Rev-1)
	}
	check := func() {
		t.Helper()
		for range 2 { // the second time nothing has changed
			for from := int64(1); from <= int64(inserted); from += 16 {
				want, err := sqlitestore.New(db).Approved(t.Context(), "org", sub, from, from+15)
				if err != nil {
					t.Fatal(err)
				}
				got, err := store.Approved(t.Context(), "org", sub, from, from+15)
				if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
					t.Fatalf("from %d: got\n%v\nwant\n%v %v", from, got, want, err)
				}
			}
		}
	}
	check()
	for range 150 {
		if random.IntN(10) == 0 {
			insert()
		}
		for range 1 + random.IntN(3)*random.IntN(8) {
			by, what := store, random.IntN(8)
			if what > 0 && random.IntN(2) == 0 {
				by = another
			}
			if err := change(by, 1+random.IntN(inserted), what, 1+random.IntN(1000)); err != nil {
				t.Fatal(err)
			}
		}
		check()
	}
	var group sync.WaitGroup
	for worker := range 4 {
		random := rand.New(rand.NewPCG(random.Uint64(), uint64(worker))) //nolint:gosec // as above
		group.Go(func() {
			for range 50 {
				if random.IntN(2) == 0 {
					_ = change(store, 1+random.IntN(inserted), 2+random.IntN(6), 1+random.IntN(1000)) // which may conflict
				} else if _, err := store.Approved(t.Context(), "org", sub, 1, 16); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	check()

	// Callers may modify the returned records.
	if err := change(store, inserted, 5, 1); err != nil {
		t.Fatal(err)
	}
	given, err := store.Approved(t.Context(), "org", sub, 1, 16)
	if err != nil {
		t.Fatal(err)
	}
	clear(given)
	check()
}

// BenchmarkApprovedAgain reads a segment of 512 approved records, one of which has changed.
func BenchmarkApprovedAgain(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprint("remembered=", kept), func(b *testing.B) {
			db, store := open(b, filepath.Join(b.TempDir(), "test.db"))
			now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
			sub := record.Sub{Event: "event", Type: "waste"}
			many := make([]record.Record, 512)
			for i := range many {
				many[i] = record.Record{ID: record.ID(fmt.Sprint("r", i)), Org: "org", Event: "event", Type: "waste", Rev: 1, Status: record.Approved, ContextRev: 1, CreatedAt: now, UpdatedAt: now,
					Fields:       json.RawMessage(`{"treatment":"landfill","material":"mixed","weightKg":12.5,"country":"GB"}`),
					Contribution: fmt.Appendf(nil, `{"n":"%0400d"}`, i), Last: record.Entry{Rev: 1, Move: record.Create, To: record.Approved, At: now}}
			}
			if _, _, err := store.InsertRecords(b.Context(), "org", sub, many); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				b.StopTimer()
				r, err := store.Record(b.Context(), "org", record.Key{Event: "event", Type: "waste", ID: "r7"})
				if err != nil {
					b.Fatal(err)
				}
				r.Rev++
				if err := store.ReplaceRecord(b.Context(), "org", r, r.Rev-1); err != nil {
					b.Fatal(err)
				}
				if !kept {
					store = sqlitestore.New(db)
				}
				b.StartTimer()
				if counted, err := store.Approved(b.Context(), "org", sub, 1, 512); err != nil || len(counted) != 512 {
					b.Fatal(len(counted), err)
				}
			}
		})
	}
}
