package sqlitestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// BenchmarkApproval measures the cost of one decision until the result is current, in events of different sizes: it
// should not depend on the size. An operation is two decisions, whose CPU times are reported separately, and that of
// the recalculation.
func BenchmarkApproval(b *testing.B) {
	for _, size := range []int64{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ctx := b.Context()
			schema := slices.Concat(recordsqlite.Schema(), sqlitestore.Schema())
			db, err := sqlitex.Open(ctx, filepath.Join(b.TempDir(), "ecf.db"), schema...)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = db.Close() })
			records := recordsqlite.New(db)
			fill(ctx, b, records, size)
			recalculator := resulttree.NewRecalculator(records, sqlitestore.New(db), time.Now)
			if err := recalculator.Recalculate(ctx, "org", "event"); err != nil {
				b.Fatal(err)
			}
			next := int64(0)
			move := func(number int64, to record.Status) (recalculated time.Duration) {
				key := record.Key{Event: "event", Type: "waste", ID: record.ID(fmt.Sprint("r", number))}
				r, err := records.Record(ctx, "org", key)
				if err != nil {
					b.Fatal(err)
				}
				r.Status, r.Rev, r.Mark = to, r.Rev+1, record.NewMark(time.Now())
				if err := records.ReplaceRecord(ctx, "org", r, r.Rev-1); err != nil {
					b.Fatal(err)
				}
				began := processorTime(b)
				if err := recalculator.Recalculate(ctx, "org", "event"); err != nil {
					b.Fatal(err)
				}
				return processorTime(b) - began
			}
			// Each time another record anywhere in the event is withdrawn, and one withdrawn long before is approved
			// again: large events have more segments in between than are cached.
			var waiting []int64
			var approved, recalculated, withdrawn time.Duration
			for len(waiting) < 128 {
				next = (next+7919)%size + 1
				move(next, record.ChangesRequested)
				waiting = append(waiting, next)
			}
			for b.Loop() {
				next = (next+7919)%size + 1
				began := processorTime(b)
				move(next, record.ChangesRequested)
				between := processorTime(b)
				recalculated += move(waiting[0], record.Approved)
				withdrawn, approved = withdrawn+between-began, approved+processorTime(b)-between
				waiting = append(waiting[1:], next)
			}
			b.ReportMetric(float64(approved.Microseconds())/float64(b.N), "cpu-µs/approval")
			b.ReportMetric(float64(recalculated.Microseconds())/float64(b.N), "cpu-µs/its-recalculation")
			b.ReportMetric(float64(withdrawn.Microseconds())/float64(b.N), "cpu-µs/withdrawal")
		})
	}
}

// processorTime is the CPU time of this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// fill creates an event of approved records, the last of them marked.
func fill(ctx context.Context, b testing.TB, store *recordsqlite.Store, size int64) {
	b.Helper()
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	event := record.Event{ID: "event", Org: "org", Title: "Large", Country: "GB", Method: record.DefaultMethod,
		FactorSet: factors.Sets()[0].ID, CreatedAt: now, UpdatedAt: now, Rev: 1, ContextRev: 1, Mark: record.NewMark(now)}
	if _, err := store.InsertEvent(ctx, "org", event, record.Unlimited); err != nil {
		b.Fatal(err)
	}
	fields := json.RawMessage(`{"treatment":"landfill","material":"mixed","weightKg":12.5,"country":"GB"}`)
	preview, contribution, err := record.Evaluate("waste", fields, nil, event.Context())
	if err != nil {
		b.Fatal(err)
	}
	const batch = 100
	for from := int64(1); from <= size; from += batch {
		many := make([]record.Record, 0, batch)
		for i := from; i < from+batch; i++ {
			mark := ""
			if i%resulttree.Fanout == 1 {
				mark = record.NewMark(now) // one per segment, so that all are summed
			}
			many = append(many, record.Record{ID: record.ID(fmt.Sprint("r", i)), Org: "org", Event: "event", Type: "waste", Rev: 1,
				Status: record.Approved, Fields: fields, Preview: preview, Contribution: contribution, ContextRev: 1,
				CreatedAt: now, UpdatedAt: now, Last: record.Entry{Rev: 1, Move: record.Create, To: record.Approved, At: now}, Mark: mark})
		}
		if _, _, err := store.InsertRecords(ctx, "org", record.Sub{Event: "event", Type: "waste"}, many); err != nil {
			b.Fatal(err)
		}
	}
}
