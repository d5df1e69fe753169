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

// intruder calls then once, before the n-th command of the given name goes to
// the server: it is somebody else's write between two steps of ours.
type intruder struct {
	command string
	n       int
	then    func()
	seen    []string
}

func (i *intruder) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		i.seen = append(i.seen, e.CommandName)
		if e.CommandName != i.command {
			return
		}
		if i.n--; i.n == 0 {
			i.then()
		}
	}}
}

// two gives two stores on one database, the commands of the first of which the
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

// TestLayoutIsOfOneMoment lets records come and go between the steps of a
// layout. Whatever it gives must have been true at some moment.
func TestLayoutIsOfOneMoment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		command string // the step before which it happens
		n       int
		happens func(t *testing.T, store *mongostore.Store, all []record.Record)
		want    record.Layout
		steps   []string
	}{
		{"a deletion, then an insertion, before the highest number is read", "find", 2,
			func(t *testing.T, store *mongostore.Store, all []record.Record) {
				remove(t, store, all[1])
				mustInsert(t, store, sample(sub, "r4"))
			}, record.Layout{Max: 4, Deleted: []int64{1, 2}}, []string{"find", "find", "aggregate", "find", "find", "aggregate"}},
		{"a deletion before the deletions are counted", "aggregate", 1,
			func(t *testing.T, store *mongostore.Store, all []record.Record) { remove(t, store, all[2]) },
			record.Layout{Max: 3, Deleted: []int64{1, 3}}, []string{"find", "find", "aggregate", "find", "find", "aggregate"}},
		{"an insertion changes nothing about the deletions", "aggregate", 1,
			func(t *testing.T, store *mongostore.Store, _ []record.Record) {
				mustInsert(t, store, sample(sub, "r4"))
			},
			record.Layout{Max: 3, Deleted: []int64{1}}, []string{"find", "find", "aggregate"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ours, theirs, in := two(t)
			var all []record.Record
			for i := range 3 {
				all = append(all, mustInsert(t, theirs, sample(sub, record.ID(fmt.Sprint("r", i+1)))))
			}
			remove(t, theirs, all[0])
			in.command, in.n, in.seen = c.command, c.n, nil
			in.then = func() { c.happens(t, theirs, all) }
			got, err := ours.Layout(t.Context(), org, sub)
			if err != nil {
				t.Fatal(err)
			}
			if got.Max != c.want.Max || !slices.Equal(got.Deleted, c.want.Deleted) {
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
		other record.Record // what the other process inserts
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

// TestInsertAfterTheReferenceWasFreed lets the record that has the reference go
// between the refusal and the look at what was in the way.
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

// TestSweepInBatches lets a sweep read 3 marks at a time where one event has 20.
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
