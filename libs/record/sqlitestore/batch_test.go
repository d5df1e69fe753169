package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestABatchIsOneStatement counts the statements of a batch: one per table for up to 256 rows, and those for
// numbering.
func TestABatchIsOneStatement(t *testing.T) {
	t.Parallel()
	db, store := open(t, filepath.Join(t.TempDir(), "test.db"))
	statements := func(what string, want int64, write func() error) {
		t.Helper()
		before := db.Traffic()
		if err := write(); err != nil {
			t.Fatal(what, err)
		}
		after := db.Traffic()
		if got := after.Statements - before.Statements; got != want || after.Writes != before.Writes+1 {
			t.Errorf("%s: %d statements in %d writes, want %d in one", what, got, after.Writes-before.Writes, want)
		}
	}
	insert := func(batch []record.Record) func() error {
		return func() error {
			_, _, err := store.InsertRecords(t.Context(), org, sub, batch)
			return err
		}
	}
	for n, want := range map[int]int64{1: 2, 2: 2, 100: 2, 256: 2, 257: 3, 600: 4} { // the highest number, and the records
		statements(fmt.Sprint(n, " records"), want, insert(samples(n)))
	}
	batch := samples(100)
	statements("records to collide with", 2, insert(batch))
	// The first attempt, the taken ids and references, and the rest.
	statements("some collide", 5, insert(append(samples(50), batch[:50]...)))
	statements("all collide", 4, insert(batch))
	deleted := samples(100)
	for i := range deleted {
		deleted[i].Deleted = true
	}
	// Whether there are counts, the deleted numbers, the sets and the counts.
	statements("the first that are deleted", 6, insert(deleted))
	deleted = samples(100)
	for i := range deleted {
		deleted[i].Deleted = i%2 == 0
	}
	statements("others that are deleted", 6, insert(deleted))

	// In one transaction the highest number is read once.
	statements("three records and a batch together", 5, func() error {
		return db.Together(t.Context(), func(ctx context.Context) error {
			for _, r := range samples(2) {
				if _, err := store.InsertRecord(ctx, org, r); err != nil {
					return err
				}
			}
			if _, _, err := store.InsertRecords(ctx, org, sub, samples(10)); err != nil {
				return err
			}
			_, err := store.InsertRecord(ctx, org, samples(1)[0])
			return err
		})
	})
	var count, highest int
	if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*), MAX(seq) FROM records`).Scan(&count, &highest); err != nil || count != highest {
		t.Errorf("%d records have the numbers to %d (%v)", count, highest, err)
	}

	marked := make([]record.MarkedRecord, len(batch))
	recalculated := make([]record.Recalculated, 32)
	for i, r := range batch {
		marked[i] = record.MarkedRecord{ID: r.ID, Mark: r.Mark}
		if i < len(recalculated) {
			recalculated[i] = record.Recalculated{ID: r.ID, Rev: r.Rev, ContextRev: 1, Contribution: r.Contribution}
		}
	}
	statements("one mark", 1, func() error { return store.ClearRecordMarks(t.Context(), org, sub.Event, marked[:1]) })
	statements("marks", 1, func() error { return store.ClearRecordMarks(t.Context(), org, sub.Event, marked) })
	if left, err := store.MarkedRecords(t.Context(), org, sub.Event, 10_000); err != nil || slices.ContainsFunc(left, func(m record.MarkedRecord) bool {
		return slices.ContainsFunc(marked, func(cleared record.MarkedRecord) bool { return cleared.ID == m.ID })
	}) {
		t.Errorf("a mark of %v is left (%v)", left, err)
	}
	statements("contributions", 1, func() error { return store.StoreContributions(t.Context(), org, recalculated) })
	statements("contributions of another engine", 2, func() error { return store.StoreContributions(t.Context(), org, recalculated) })
	policies := make([]record.PolicyEntry, 100)
	for i := range policies {
		policies[i].Rev = int64(i + 1)
	}
	statements("policies", 1, func() error { return store.InsertPolicies(t.Context(), org, policies) })
	if all, err := store.PoliciesAfter(t.Context(), org, 0, 1000); err != nil || len(all) != len(policies) {
		t.Errorf("%d policies (%v), want %d", len(all), err, len(policies))
	}
}

// TestABatchIsItsRecords stores random batches with many conflicts, in one file as batches and in another record by
// record, and compares outcomes and contents.
func TestABatchIsItsRecords(t *testing.T) {
	t.Parallel()
	rnd := testkit.Rand(t)
	together, single := openStore(t), openStore(t)
	for _, store := range []*sqlitestore.Store{together, single} {
		for i := range 100 {
			if _, err := store.InsertRecord(t.Context(), "others", sample(sub, record.ID(fmt.Sprint("r", i)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, n := range []int{1, 3, 40, 300, 2, 700, 5} {
		batch := make([]record.Record, n)
		for i := range batch {
			batch[i] = randomRecord(rnd)
		}
		stored, refused, err := together.InsertRecords(t.Context(), org, sub, batch)
		if err != nil || len(stored) != n || len(refused) != n {
			t.Fatal(len(stored), len(refused), err)
		}
		for i, r := range batch {
			want, err := single.InsertRecord(t.Context(), org, r)
			if !errors.Is(refused[i], err) || err == nil && refused[i] != nil || !reflect.DeepEqual(stored[i], want) {
				t.Fatalf("record %d of %d: %+v and %v, want %+v and %v", i, n, stored[i], refused[i], want, err)
			}
		}
		if got, want := contents(t, together), contents(t, single); !reflect.DeepEqual(got, want) {
			t.Fatalf("after a batch of %d: %v, want %v", n, got, want)
		}
	}
}

func openStore(t *testing.T) *sqlitestore.Store {
	t.Helper()
	_, store := open(t, filepath.Join(t.TempDir(), "test.db"))
	return store
}

// randomRecord returns a record whose id or reference another one may have.
func randomRecord(rnd *rand.Rand) record.Record {
	r := sample(sub, record.ID(fmt.Sprint("r", rnd.IntN(2000))))
	if rnd.IntN(3) == 0 {
		r.Reference = fmt.Sprint("é\"", rnd.IntN(500))
	}
	r.Deleted = rnd.IntN(4) == 0
	r.Mark = []string{"", "mark"}[rnd.IntN(2)]
	r.Fence = rnd.Int64N(3)
	if rnd.IntN(5) == 0 {
		r.Fields, r.Preview, r.Contribution = nil, nil, nil
	}
	return r
}

// contents returns all records of the sub-collection, and its pages.
func contents(t *testing.T, store *sqlitestore.Store) []any {
	t.Helper()
	records, err := store.RecordsAfter(t.Context(), org, record.Place{}, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := store.CountByStatus(t.Context(), org, sub.Event)
	if err != nil {
		t.Fatal(err)
	}
	all := []any{records, counts}
	for skip := range int64(30) {
		span, err := store.RecordSpan(t.Context(), org, sub, 20*skip, 25)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, span)
	}
	return all
}
