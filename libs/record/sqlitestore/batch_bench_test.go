package sqlitestore_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// BenchmarkBatch measures writes of several records; the processor time is that of a record.
func BenchmarkBatch(b *testing.B) {
	ctx := sqlitex.Unsynced(b.Context()) // otherwise most of the time would be the disk's
	for _, size := range []int{1, 10, 100, 500} {
		b.Run(fmt.Sprint("InsertRecords/", size), func(b *testing.B) {
			store := openBench(b)
			measureBatch(b, size, func() func() error {
				batch := samples(size)
				return func() error {
					_, refused, err := store.InsertRecords(ctx, org, sub, batch)
					if i := slices.IndexFunc(refused, isError); i >= 0 {
						return refused[i]
					}
					return err
				}
			})
		})
	}
	for _, size := range []int{1, 8, 32, 512} {
		b.Run(fmt.Sprint("StoreContributions/", size), func(b *testing.B) {
			store := openBench(b)
			all := make([]record.Recalculated, size)
			for i, r := range insertMany(b, store, size) {
				all[i] = record.Recalculated{ID: r.ID, Rev: r.Rev, Preview: r.Preview, Contribution: r.Contribution}
			}
			measureBatch(b, size, func() func() error {
				for i := range all {
					all[i].ContextRev++
				}
				return func() error { return store.StoreContributions(ctx, org, all) }
			})
		})
	}
	for _, size := range []int{1, 8, 32, 512} {
		b.Run(fmt.Sprint("ClearRecordMarks/", size), func(b *testing.B) {
			store := openBench(b)
			measureBatch(b, size, func() func() error {
				batch := insertMany(b, store, size)
				marked := make([]record.MarkedRecord, size)
				for i, r := range batch {
					marked[i] = record.MarkedRecord{Type: r.Type, ID: r.ID, Seq: r.Seq, Mark: r.Mark}
				}
				return func() error { return store.ClearRecordMarks(ctx, org, sub.Event, marked) }
			})
		})
	}
}

// measureBatch measures what prepare returns.
func measureBatch(b *testing.B, size int, prepare func() func() error) {
	b.Helper()
	b.ReportAllocs()
	var used time.Duration
	for range b.N {
		b.StopTimer()
		write := prepare()
		b.StartTimer()
		before := processorTime(b)
		if err := write(); err != nil {
			b.Fatal(err)
		}
		used += processorTime(b) - before
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N*size), "cpu-ns/record")
}

func samples(n int) []record.Record {
	batch := make([]record.Record, n)
	for i := range batch {
		batch[i] = sample(sub, record.ID(record.NewID()))
		batch[i].Mark = "mark"
	}
	return batch
}

func insertMany(b *testing.B, store *sqlitestore.Store, n int) []record.Record {
	b.Helper()
	stored, refused, err := store.InsertRecords(b.Context(), org, sub, samples(n))
	if err != nil || slices.ContainsFunc(refused, isError) {
		b.Fatal(refused, err)
	}
	return stored
}

func isError(err error) bool { return err != nil }

// processorTime is the CPU time of this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
