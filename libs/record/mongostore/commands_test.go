package mongostore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// traffic records commands to the server and how many documents are returned.
type traffic struct {
	mu        sync.Mutex
	commands  []string
	documents int
	filters   []bson.Raw
}

func (tr *traffic) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			name := e.CommandName
			if collection, _ := e.Command.Lookup(name).StringValueOK(); collection == "schema_versions" || collection == "organizations" {
				return // the layout is that of all organizations
			}
			if comment, _ := e.Command.Lookup("comment").StringValueOK(); comment == mongox.SchemaComment {
				return // likewise
			}
			if from, _ := e.Command.Lookup("find").StringValueOK(); from == "list_sets" {
				name += " sets"
			} else if limit, ok := e.Command.Lookup("limit").AsInt64OK(); ok {
				name += fmt.Sprint(" ", limit)
			}
			if list, ok := e.Command.Lookup("updates").ArrayOK(); ok {
				values, _ := list.Values()
				name += fmt.Sprint(" ", len(values))
			}
			tr.commands = append(tr.commands, name)
			tr.filters = append(tr.filters, filtersOf(e.Command)...)
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			for _, batch := range []string{"firstBatch", "nextBatch"} {
				if list, ok := e.Reply.Lookup("cursor", batch).ArrayOK(); ok {
					values, _ := list.Values()
					tr.documents += len(values)
				}
			}
		},
	}
}

// filtersOf returns the conditions of a command.
func filtersOf(command bson.Raw) (filters []bson.Raw) {
	add := func(v bson.RawValue) {
		if d, ok := v.DocumentOK(); ok {
			filters = append(filters, slices.Clone(d))
		}
	}
	add(command.Lookup("filter"))
	for _, list := range []string{"updates", "pipeline"} {
		array, ok := command.Lookup(list).ArrayOK()
		if !ok {
			continue
		}
		values, _ := array.Values()
		for _, v := range values {
			d, _ := v.DocumentOK()
			add(d.Lookup("q"))
			add(d.Lookup("$match"))
		}
	}
	return filters
}

// during returns the commands and the number of documents of an operation.
func (tr *traffic) during(t *testing.T, operation func() error) string {
	t.Helper()
	tr.mu.Lock()
	tr.commands, tr.documents = nil, 0
	tr.mu.Unlock()
	if err := operation(); err != nil {
		t.Fatal(err)
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return fmt.Sprintf("%s: %d documents", strings.Join(tr.commands, ", "), tr.documents)
}

const org record.OrgID = "org"

var sub = record.Sub{Event: "event", Type: "flights"}

func sample(sub record.Sub, id record.ID) record.Record {
	by := record.Actor{ID: "u1", Role: identity.User}
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	return record.Record{
		ID: id, Event: sub.Event, Type: sub.Type, Rev: 1, Status: record.Submitted, Fields: []byte(`{}`),
		CreatedBy: by, EditedBy: by, CreatedAt: now, UpdatedAt: now, Last: record.Entry{Rev: 1, By: by, At: now},
	}
}

// TestCommands verifies the cost of every operation: its commands and the number of documents, with 10 records as
// with 40.
func TestCommands(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	tr := &traffic{}
	store := open(t, connect(t, uri, tr.monitor()).Database(database))
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const deletedAtFirst = 2
	var last record.Record
	grown := 0
	grow := func(to int) {
		t.Helper()
		for ; grown < to; grown++ {
			i := grown + 1
			for _, typ := range []string{"flights", "waste"} {
				r := sample(record.Sub{Event: sub.Event, Type: typ}, record.ID(fmt.Sprint(typ, i)))
				r.Mark, r.Deleted = fmt.Sprintf("m%02d-%s", i, typ), i <= deletedAtFirst
				if i%2 == 0 {
					r.Status = record.Approved
				}
				stored, err := store.InsertRecord(ctx, org, r)
				must(err)
				last = stored
			}
			e := record.Event{ID: record.EventID(fmt.Sprint("event", i)), Rev: 1, Deleted: i <= deletedAtFirst}
			_, err := store.InsertEvent(ctx, org, e, record.Unlimited)
			must(err)
		}
	}
	// Two records and two events were stored as deleted without compaction: the uncompacted numbers, the counts, the
	// highest number, the set, and again the first two.
	const spanOfTwoDeleted = "find 65, find 1, find 1, find sets, find 65, find 1: 5 documents"
	marks := []record.MarkedRecord{{ID: "flights3", Mark: "gone"}, {ID: "flights4", Mark: "gone"}}
	added := 0
	operations := []struct {
		name string
		want string
		run  func() error
	}{
		{"Record", "find 1: 1 documents", func() error {
			_, err := store.Record(ctx, org, record.Key{Event: sub.Event, Type: sub.Type, ID: "flights5"})
			return err
		}},
		{"RecordRange", "find 5: 5 documents", func() error { _, err := store.RecordRange(ctx, org, sub, 4, 8); return err }},
		{"RecordSpan", spanOfTwoDeleted, func() error { _, err := store.RecordSpan(ctx, org, sub, 1, 5); return err }},
		{"RecordRevisions", "find 5: 5 documents", func() error { _, err := store.RecordRevisions(ctx, org, sub, 4, 8); return err }},
		{"EventSpan", spanOfTwoDeleted, func() error { _, err := store.EventSpan(ctx, org, 1, 5); return err }},
		{"EventRange", "find 2: 2 documents", func() error { _, err := store.EventRange(ctx, org, 4, 5); return err }},
		{"EventRevisions", "find 2: 2 documents", func() error { _, err := store.EventRevisions(ctx, org, 4, 5); return err }},
		{"CountByStatus", "distinct, find 1: 1 documents", func() error { _, err := store.CountByStatus(ctx, org, sub.Event); return err }},
		{"ReviewQueue", "distinct, find 1, find 3: 4 documents", func() error {
			_, _, err := store.ReviewQueue(ctx, org, sub.Event, 1, 3)
			return err
		}},
		{"Waiting", "find 3: 3 documents", func() error {
			_, err := store.Waiting(ctx, org, sub.Event, record.QueuePlace{CreatedAt: last.CreatedAt, ID: "z"}, 3)
			return err
		}},
		{"EachDraft", "find: 0 documents", func() error {
			return store.EachDraft(ctx, org, sub.Event, func(record.Record) error { return nil })
		}},
		{"MarkedRecords", "find 4: 4 documents", func() error { _, err := store.MarkedRecords(ctx, org, sub.Event, 4); return err }},
		{"Summaries", "distinct, find 2, distinct, find 2: 4 documents", func() error {
			_, err := store.Summaries(ctx, org, []record.EventID{"event3", "event4"})
			return err
		}},
		{"HasMarks", "find 1, find 1: 1 documents", func() error { _, err := store.HasMarks(ctx, org, sub.Event); return err }},
		{"HasMarkedRecords", "find 1: 1 documents", func() error { _, err := store.HasMarkedRecords(ctx, org, sub.Event); return err }},
		{"MaxSeqs", "find 1, find 1, find 1: 2 documents", func() error { _, err := store.MaxSeqs(ctx, org, sub.Event); return err }},
		{"Approved", "find 5: 3 documents", func() error { _, err := store.Approved(ctx, org, sub, 4, 8); return err }},
		{"InsertRecord", "find 1, insert: 1 documents", func() error {
			added++
			_, err := store.InsertRecord(ctx, org, sample(sub, record.ID(fmt.Sprint("added", added))))
			return err
		}},
		{"ReplaceRecord", "update 1: 0 documents", func() error {
			last.Rev++
			return store.ReplaceRecord(ctx, org, last, last.Rev-1)
		}},
		{"ClearRecordMarks", "update 2: 0 documents", func() error { return store.ClearRecordMarks(ctx, org, sub.Event, marks) }},
		{"StoreContributions", "update 2: 0 documents", func() error {
			return store.StoreContributions(ctx, org, []record.Recalculated{{ID: "flights3", Rev: 9, ContextRev: 9}, {ID: "flights4", Rev: 9, ContextRev: 9}})
		}},
		{"InsertEntry", "insert: 0 documents", func() error { return store.InsertEntry(ctx, org, sub.Event, "flights3", record.Entry{Rev: 1}) }},
	}
	for _, upTo := range []int{10, 40} {
		grow(upTo)
		// Changes are counted by the first reader.
		_, err := store.CountByStatus(ctx, org, sub.Event)
		must(err)
		_, err = store.Summaries(ctx, org, []record.EventID{"event3", "event4"})
		must(err)
		for _, o := range operations {
			if got := tr.during(t, o.run); got != o.want {
				t.Errorf("%s with %d records: got %s, want %s", o.name, upTo, got, o.want)
			}
		}
	}

	// Every command names the organization, except those of the sweep.
	for _, filter := range tr.filters {
		if s, ok := filter.Lookup("org").StringValueOK(); !ok || s != string(org) {
			t.Errorf("a condition names no organization: %s", filter)
		}
	}
	swept := tr.during(t, func() error { _, err := store.MarkedEvents(ctx, 5); return err })
	if want := "find 5, find 256: 80 documents"; swept != want {
		t.Errorf("MarkedEvents: got %s, want %s", swept, want)
	}
}
