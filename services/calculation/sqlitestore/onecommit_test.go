package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// openFilled opens a file with an event of approved records and its result.
func openFilled(t *testing.T, size int64) (*sqlitex.DB, *recordsqlite.Store, resulttree.Recalculator) {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordsqlite.Schema(), sqlitestore.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	records := recordsqlite.New(db)
	fill(t.Context(), t, records, size)
	recalculator := resulttree.NewRecalculator(records, sqlitestore.New(db), time.Now)
	if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
		t.Fatal(err)
	}
	return db, records, recalculator
}

// move changes the state of records of the event, as a decision does.
func move(t *testing.T, records *recordsqlite.Store, to record.Status, numbers ...int64) {
	t.Helper()
	for _, n := range numbers {
		put(t, records, n, func(r *record.Record) { r.Status = to })
	}
}

// put stores the next revision of a record of the event.
func put(t *testing.T, records *recordsqlite.Store, n int64, change func(*record.Record)) {
	t.Helper()
	r, err := records.Record(t.Context(), "org", record.Key{Event: "event", Type: "waste", ID: record.ID(fmt.Sprint("r", n))})
	if err != nil {
		t.Fatal(err)
	}
	r.Rev, r.Mark = r.Rev+1, record.NewMark(time.Now())
	change(&r)
	if err := records.ReplaceRecord(t.Context(), "org", r, r.Rev-1); err != nil {
		t.Fatal(err)
	}
}

// TestARecalculationIsOneCommit counts the file accesses of a recalculation: the writes of segments, nodes, result,
// history, headline and marks share one commit, for any number of decisions, and other segments are not read.
func TestARecalculationIsOneCommit(t *testing.T) {
	t.Parallel()
	db, records, recalculator := openFilled(t, 1100) // three segments
	for _, c := range []struct {
		what    string
		to      record.Status
		numbers []int64
		want    sqlitex.Traffic
	}{
		{"a withdrawal", record.ChangesRequested, []int64{7}, sqlitex.Traffic{Reads: 10, Writes: 1}},
		{"an approval", record.Approved, []int64{7}, sqlitex.Traffic{Reads: 10, Writes: 1}},
		{"decisions in three segments", record.ChangesRequested, []int64{8, 9, 600, 1050}, sqlitex.Traffic{Reads: 20, Writes: 1}},
		{"nothing", record.Approved, nil, sqlitex.Traffic{Reads: 1}},
	} {
		move(t, records, c.to, c.numbers...)
		before := db.Traffic()
		if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
			t.Fatal(err)
		}
		after := db.Traffic()
		if got := (sqlitex.Traffic{Reads: after.Reads - before.Reads, Writes: after.Writes - before.Writes}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

// TestAConflictLeavesNothingBehind: if another process has written the result meanwhile, neither nodes nor cleared
// marks are written.
func TestAConflictLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	db, records, recalculator := openFilled(t, 100)
	results := sqlitestore.New(db)
	segment := resulttree.NodeID{Type: "waste"}
	move(t, records, record.ChangesRequested, 7)
	before, err := results.Node(t.Context(), "org", "event", segment)
	if err != nil {
		t.Fatal(err)
	}
	others := &overtaken{Results: results, store: results}
	others.meanwhile = func(ctx context.Context) error {
		node, err := results.Node(ctx, "org", "event", segment)
		if err != nil || node.Version != before.Version {
			return fmt.Errorf("the segment has version %d before the result, want %d: %w", node.Version, before.Version, err)
		}
		due, err := records.HasMarks(ctx, "org", "event")
		if err != nil || !due {
			return fmt.Errorf("marks before the result: %t, %w", due, err)
		}
		return nil
	}
	recalculator.Results = others
	if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
		t.Fatal(err)
	}
	if others.conflicts != 1 {
		t.Errorf("%d conflicts, want 1", others.conflicts)
	}
	due, err := records.HasMarks(t.Context(), "org", "event")
	if err != nil || due {
		t.Errorf("at the end there are marks: %t, %v", due, err)
	}
}

// overtaken are results of which another process writes the newest once, before the first writes of this process.
type overtaken struct {
	resulttree.Results
	store     *sqlitestore.Store
	meanwhile func(ctx context.Context) error
	conflicts int
}

func (o *overtaken) Together(ctx context.Context, fn func(context.Context) error) error {
	if o.conflicts > 0 {
		return o.Results.Together(ctx, fn)
	}
	result, err := o.store.Result(ctx, "org", "event")
	if err != nil {
		return err
	}
	result.Version++
	if err := o.store.PutResult(ctx, result, result.Version-1); err != nil {
		return err
	}
	err = o.Results.Together(ctx, fn)
	if !errors.Is(err, resulttree.ErrConflict) {
		return fmt.Errorf("the writes of an overtaken pass: %w, want a conflict", err)
	}
	o.conflicts++
	return errors.Join(err, o.meanwhile(ctx))
}

// TestLargeRecalculationsAreSeveralCommits: a change of thousands of nodes lets others write in between, and has few
// of them in memory.
func TestLargeRecalculationsAreSeveralCommits(t *testing.T) {
	t.Parallel()
	db, records, recalculator := openFilled(t, 1000)
	recalculator.Fanout = 8 // a tree of 125 segments and 16 nodes above
	var numbers []int64
	for n := int64(1); n <= 1000; n += 8 {
		numbers = append(numbers, n)
	}
	move(t, records, record.ChangesRequested, numbers...)
	before := db.Traffic()
	if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
		t.Fatal(err)
	}
	if got := db.Traffic().Writes - before.Writes; got < 8 || got > 12 {
		t.Errorf("%d commits for 141 nodes and a result", got)
	}
}
