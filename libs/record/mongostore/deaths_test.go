package mongostore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestADeathBetweenTwoCommandsIsRepaired lets a process die after each command of the operations that need several
// documents: the next process finds lists without gaps, pages and totals that agree, and exact counts.
func TestADeathBetweenTwoCommandsIsRepaired(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	dying := open(t, connect(t, through, nil).Database(database))
	next := open(t, connect(t, uri, nil).Database(database))
	ctx, n := t.Context(), 0
	// Each run has an event of its own, with three records.
	begin := func() (record.Sub, []record.Record) {
		n++
		of := record.Sub{Event: record.EventID(fmt.Sprint("e", n)), Type: "flights"}
		_, err := next.InsertEvent(ctx, org, record.Event{ID: of.Event, Rev: 1}, record.Unlimited)
		must(t, err)
		var records []record.Record
		for i := range 3 {
			r, err := next.InsertRecord(ctx, org, sample(of, record.ID(fmt.Sprint("r", n, "-", i))))
			must(t, err)
			records = append(records, r)
		}
		_, err = next.CountByStatus(ctx, org, of.Event)
		must(t, err)
		return of, records
	}
	// consistent compares everything that is derived from the records with the records.
	consistent := func(of record.Sub) error {
		top := highestIn(t, next, of)
		there, err := next.RecordRange(ctx, org, of, 1, top)
		must(t, err)
		want := map[record.Status]int64{}
		for _, r := range there {
			want[r.Status]++
		}
		span, err := next.RecordSpan(ctx, org, of, 0, 100)
		must(t, err)
		if int(span.Total) != len(there) {
			return fmt.Errorf("%d records in the list, %d are there", span.Total, len(there))
		}
		counts, err := next.CountByStatus(ctx, org, of.Event)
		must(t, err)
		for _, status := range record.Statuses() {
			if counts[status] != want[status] {
				return fmt.Errorf("%d records are counted as %s, %d are", counts[status], status, want[status])
			}
		}
		return nil
	}
	for name, prepare := range map[string]func() (operation, check func() error){
		"a deletion": func() (operation, check func() error) {
			of, records := begin()
			r := records[1]
			r.Rev, r.Deleted, r.Last.Rev = 2, true, 2
			return func() error { return dying.ReplaceRecord(ctx, org, r, 1) }, func() error { return consistent(of) }
		},
		"the reading of a list after deletions": func() (operation, check func() error) {
			of, records := begin()
			for _, r := range records[:2] {
				r.Rev, r.Deleted, r.Last.Rev = 2, true, 2
				must(t, next.ReplaceRecord(ctx, org, r, 1))
			}
			return func() error { _, err := dying.RecordSpan(ctx, org, of, 0, 1); return err }, func() error { return consistent(of) }
		},
		"the counting after a decision": func() (operation, check func() error) {
			of, records := begin()
			r := records[0]
			r.Rev, r.Status, r.Last = 2, record.Approved, record.Entry{Rev: 2, Move: record.Approve, From: record.Submitted, To: record.Approved}
			must(t, next.ReplaceRecord(ctx, org, r, 1))
			return func() error { _, err := dying.CountByStatus(ctx, org, of.Event); return err }, func() error { return consistent(of) }
		},
		"the first counting": func() (operation, check func() error) {
			n++
			of := record.Sub{Event: record.EventID(fmt.Sprint("e", n)), Type: "flights"}
			_, err := next.InsertRecord(ctx, org, sample(of, record.ID(fmt.Sprint("first", n))))
			must(t, err)
			return func() error { _, err := dying.CountByStatus(ctx, org, of.Event); return err }, func() error { return consistent(of) }
		},
		"a batch": func() (operation, check func() error) {
			of, _ := begin()
			var batch []record.Record
			for i := range 3 {
				batch = append(batch, sample(of, record.ID(fmt.Sprint("b", n, "-", i))))
			}
			return func() error { _, _, err := dying.InsertRecords(ctx, org, of, batch); return err }, func() error {
				// The client repeats it with its key: the records have the same ids.
				for _, r := range batch {
					if _, err := next.InsertRecord(ctx, org, r); err != nil && !errors.Is(err, record.ErrDuplicate) {
						return err
					}
				}
				if top := highestIn(t, next, of); top != 6 {
					return fmt.Errorf("the highest number is %d, want 6", top)
				}
				return consistent(of)
			}
		},
		"the deletion of an event": func() (operation, check func() error) {
			of, _ := begin()
			e, err := next.Event(ctx, org, of.Event)
			must(t, err)
			e.Rev, e.Deleted = 2, true
			return func() error { return dying.ReplaceEvent(ctx, org, e, 1) }, func() error {
				used, err := next.UsedSlots(ctx, org)
				must(t, err)
				there, err := next.EventRange(ctx, org, 1, used)
				must(t, err)
				span, err := next.EventSpan(ctx, org, 0, 100)
				must(t, err)
				if int(span.Total) != len(there) {
					return fmt.Errorf("%d events in the list, %d are there", span.Total, len(there))
				}
				return nil
			}
		},
	} {
		if name == "the reading of a list after deletions" && !testkit.Long(t) {
			continue // it takes longest, and the deletion tests the same commands
		}
		t.Run(name, func(t *testing.T) { testkit.EachCommandIsTheLast(t, between, prepare) })
	}
}

func highestIn(t *testing.T, store record.Store, of record.Sub) int64 {
	t.Helper()
	all, err := store.MaxSeqs(t.Context(), org, of.Event)
	must(t, err)
	return all[of.Type]
}
