package mongostore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// intruder calls then once, before the n-th command of the given name (of any, if empty): a concurrent write between
// two steps.
type intruder struct {
	command string
	n       int
	then    func()
	seen    []string
}

func (i *intruder) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		i.seen = append(i.seen, e.CommandName)
		if i.command != "" && e.CommandName != i.command {
			return
		}
		if i.n--; i.n == 0 {
			i.then()
		}
	}}
}

// two returns two stores on one database, the commands of the first of which the
// intruder sees.
func two(t *testing.T) (ours, theirs *mongostore.Store, in *intruder) {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	in = &intruder{}
	ours = open(t, connect(t, uri, in.monitor()).Database(database))
	theirs = open(t, connect(t, uri, nil).Database(database))
	return ours, theirs, in
}

func mustInsert(t *testing.T, store *mongostore.Store, r record.Record) record.Record {
	t.Helper()
	stored, err := store.InsertRecord(t.Context(), org, r)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func remove(t *testing.T, store *mongostore.Store, r record.Record) {
	t.Helper()
	r.Rev, r.Deleted = r.Rev+1, true
	if err := store.ReplaceRecord(t.Context(), org, r, r.Rev-1); err != nil {
		t.Fatal(err)
	}
}

// TestASpanIsOfOneMoment inserts and deletes records between the steps of finding a page. The result must have been
// correct at some moment.
func TestASpanIsOfOneMoment(t *testing.T) {
	t.Parallel()
	// The uncompacted numbers, the counts, the highest number, the first two again, the set.
	once := []string{"find", "find", "find", "find", "find", "find"}
	for _, c := range []struct {
		name    string
		n       int // the find before which it happens
		happens func(t *testing.T, store *mongostore.Store, all []record.Record)
		want    record.Span
		steps   []string
	}{
		{"a deletion, then an insertion, before the highest number is read", 3,
			func(t *testing.T, store *mongostore.Store, all []record.Record) {
				remove(t, store, all[1])
				mustInsert(t, store, sample(sub, "r4"))
			}, record.Span{Total: 2, Count: 2, High: 4, Low: 3}, append(once[:5:5], once...)},
		{"a deletion after the highest number was read", 4,
			func(t *testing.T, store *mongostore.Store, all []record.Record) { remove(t, store, all[2]) },
			record.Span{Total: 1, Count: 1, High: 2, Low: 2}, append(once[:5:5], once...)},
		{"a deletion between what is not folded and the counts", 2,
			func(t *testing.T, store *mongostore.Store, all []record.Record) { remove(t, store, all[2]) },
			record.Span{Total: 1, Count: 1, High: 2, Low: 2}, once},
		{"a deletion before the set is read", 6,
			func(t *testing.T, store *mongostore.Store, all []record.Record) { remove(t, store, all[2]) },
			record.Span{Total: 1, Count: 1, High: 2, Low: 2}, append(once[:6:6], once...)},
		{"an insertion changes nothing about the deletions", 4,
			func(t *testing.T, store *mongostore.Store, _ []record.Record) {
				mustInsert(t, store, sample(sub, "r4"))
			},
			record.Span{Total: 2, Count: 2, High: 3, Low: 2}, once},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs, in := two(t)
			var all []record.Record
			for i := range 3 {
				all = append(all, mustInsert(t, theirs, sample(sub, record.ID(fmt.Sprint("r", i+1)))))
			}
			remove(t, theirs, all[0])
			in.command, in.n, in.seen = "find", c.n, nil
			in.then = func() { c.happens(t, theirs, all) }
			got, err := ours.RecordSpan(t.Context(), org, sub, 0, 9)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if !slices.Equal(in.seen, c.steps) {
				t.Errorf("steps %v, want %v", in.seen, c.steps)
			}
		})
	}
}

// TestInsertAfterLosingTheNumber lets another process take the number between
// reading the highest and inserting.
func TestInsertAfterLosingTheNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		other record.Record // inserted by the other process
		seq   int64
		err   error
	}{
		{"the next number is taken", sample(sub, "theirs"), 2, nil},
		{"the reference is taken too", referring("theirs", "A-1"), 0, record.ErrDuplicateReference},
		{"it was the same record", referring("ours", "A-1"), 0, record.ErrDuplicate},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs, in := two(t)
			in.command, in.n = "insert", 1
			in.then = func() { mustInsert(t, theirs, c.other) }
			stored, err := ours.InsertRecord(t.Context(), org, referring("ours", "A-1"))
			if !errors.Is(err, c.err) || stored.Seq != c.seq {
				t.Errorf("got seq %d and error %v, want %d and %v", stored.Seq, err, c.seq, c.err)
			}
		})
	}
}

// TestInsertAfterTheReferenceWasFreed deletes the record with the reference between the rejection and the lookup of
// the cause.
func TestInsertAfterTheReferenceWasFreed(t *testing.T) {
	t.Parallel()
	ours, theirs, in := two(t)
	holder := mustInsert(t, theirs, referring("theirs", "A-1"))
	// find the highest, insert (refused), find the highest, find the id
	in.command, in.n = "find", 3
	in.then = func() { remove(t, theirs, holder) }
	stored, err := ours.InsertRecord(t.Context(), org, referring("ours", "A-1"))
	if err != nil || stored.Seq != 2 {
		t.Errorf("got seq %d and error %v, want 2", stored.Seq, err)
	}
}

// TestQuotaAfterLosingTheSlot lets another process take the last slot.
func TestQuotaAfterLosingTheSlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		other record.EventID
		quota int64
		err   error
		slot  int64
	}{
		{"it was the last", "theirs", 1, record.ErrQuota, 0},
		{"it was the last, of the same event", "ours", 1, record.ErrDuplicate, 0},
		{"it was the same event", "ours", 9, record.ErrDuplicate, 0},
		{"there is another", "theirs", 2, nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs, in := two(t)
			in.command, in.n = "insert", 1
			in.then = func() {
				if _, err := theirs.InsertEvent(t.Context(), org, record.Event{ID: c.other, Rev: 1}, c.quota); err != nil {
					t.Error(err)
				}
			}
			stored, err := ours.InsertEvent(t.Context(), org, record.Event{ID: "ours", Rev: 1}, c.quota)
			if !errors.Is(err, c.err) || stored.Slot != c.slot {
				t.Errorf("got slot %d and error %v, want %d and %v", stored.Slot, err, c.slot, c.err)
			}
		})
	}
}

// TestSweepInBatches lets a sweep read 3 marks at a time of an event with 20.
func TestSweepInBatches(t *testing.T) {
	t.Parallel()
	ours, theirs, in := two(t)
	ours.SetSweepBatch(3)
	mark := func(sub record.Sub, id, mark string) {
		r := sample(sub, record.ID(id))
		r.Mark = mark
		mustInsert(t, theirs, r)
	}
	for i := range 20 {
		mark(sub, fmt.Sprint("r", i), fmt.Sprintf("m%02d", i))
	}
	mark(record.Sub{Event: "second", Type: "waste"}, "s1", "m30")
	mark(record.Sub{Event: "second", Type: "waste"}, "s2", "m31")
	mark(record.Sub{Event: "third", Type: "waste"}, "t1", "m32")
	mark(record.Sub{Event: "fourth", Type: "waste"}, "f1", "m33")
	in.seen = nil
	got, err := ours.MarkedEvents(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	want := []record.MarkedEvent{
		{Org: org, Event: sub.Event, Mark: "m00"}, {Org: org, Event: "second", Mark: "m30"}, {Org: org, Event: "third", Mark: "m32"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(in.seen) != 3 { // the events; the first event's marks; the other three's
		t.Errorf("took %d commands, want 3", len(in.seen))
	}
}

func referring(id record.ID, reference string) record.Record {
	r := sample(sub, id)
	r.Reference = reference
	return r
}
