package mongostore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// traffic records commands to the server, and how many documents are returned.
type traffic struct {
	mu        sync.Mutex
	commands  []string
	documents int
	// local are the reads without majority concern.
	local []string
}

func (tr *traffic) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			name := e.CommandName
			if collection, ok := e.Command.Lookup(name).StringValueOK(); ok {
				name += " " + collection
			}
			tr.commands = append(tr.commands, name)
			level, _ := e.Command.Lookup("readConcern", "level").StringValueOK()
			if reads := e.CommandName == "find" || e.CommandName == "aggregate"; reads && level != "majority" {
				tr.local = append(tr.local, name)
			}
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			tr.mu.Lock()
			defer tr.mu.Unlock()
			if list, ok := e.Reply.Lookup("cursor", "firstBatch").ArrayOK(); ok {
				values, _ := list.Values()
				tr.documents += len(values)
			}
		},
	}
}

func (tr *traffic) during(do func()) (commands string, documents int) {
	tr.mu.Lock()
	tr.commands, tr.documents, tr.local = nil, 0, nil
	tr.mu.Unlock()
	do()
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return strings.Join(tr.commands, ", "), tr.documents
}

// TestApprovalCostsTheSameInEventsOfAnySize bounds the traffic with the server of an approval and its recalculation.
// The tree has a fan-out of 4 instead of 512, so that few records fill it.
func TestApprovalCostsTheSameInEventsOfAnySize(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	tr := &traffic{}
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "test", Monitor: tr.monitor()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	records, err := recordmongo.New(t.Context(), client.Database(database))
	must(t, err)
	results, err := mongostore.New(t.Context(), client.Database(database))
	must(t, err)
	worker := resulttree.NewRecalculator(records, results, time.Now)
	worker.Fanout = 4
	flow := record.Workflow{Store: records, Now: time.Now, NewMark: func() string { return record.NewMark(time.Now()) }}
	manager := record.Actor{ID: "m", Name: "M", Role: identity.Manager}
	_, err = records.InsertEvent(t.Context(), "org", record.Event{
		ID: "event", Org: "org", Title: "E", Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", Rev: 1, ContextRev: 1,
	}, record.Unlimited)
	must(t, err)
	ev, err := records.Event(t.Context(), "org", "event")
	must(t, err)
	fields := []byte(`{"treatment":"landfill","weightKg":1000}`)
	preview, contribution, err := record.Evaluate("waste", fields, nil, ev.Context())
	must(t, err)
	apply := func(r record.Record, m record.Move) record.Record {
		t.Helper()
		r, err := flow.Apply(t.Context(), record.Request{Org: "org", Key: r.Key(), Move: m, By: manager, Comment: "c"})
		must(t, err)
		return r
	}
	add := func(n int) record.Record {
		t.Helper()
		r, err := flow.Insert(t.Context(), "org", record.Record{
			ID: record.ID(fmt.Sprint("r", n)), Event: "event", Type: "waste", Fields: fields, Preview: preview, Contribution: contribution, ContextRev: 1,
		}, manager)
		must(t, err)
		return apply(r, record.Submit)
	}
	recalculate := func() { must(t, worker.Recalculate(t.Context(), "org", "event")) }
	wantCommands := ""
	var wantDocuments int
	for n, size := 0, 16; size <= 48; size += 16 {
		for ; n < size; n++ {
			apply(add(n), record.Approve)
		}
		recalculate()
		// A record in the middle is reopened and approved again: all nodes above it are full.
		r, err := records.Record(t.Context(), "org", record.Key{Event: "event", Type: "waste", ID: "r5"})
		must(t, err)
		r = apply(r, record.Reopen)
		recalculate()
		r = apply(r, record.Submit)
		// A result must not include writes that a failover rolls back: the model in resulttree shows the
		// consequences.
		apply(r, record.Approve)
		if tr.during(recalculate); len(tr.local) > 0 {
			t.Errorf("the worker decides by reads without a majority: %v", tr.local)
		}
		r, err = records.Record(t.Context(), "org", r.Key())
		must(t, err)
		r = apply(apply(r, record.Reopen), record.Submit)
		recalculate()
		commands, documents := tr.during(func() {
			apply(r, record.Approve)
			recalculate()
		})
		t.Logf("%d records: %d commands, %d documents: %s", size, strings.Count(commands, ",")+1, documents, commands)
		// The nodes at the top are read one by one: one for 16 records here, and
		// for 512 × 512 in production.
		documents -= size / 16
		if wantCommands == "" {
			wantCommands, wantDocuments = commands, documents
		}
		if commands != wantCommands || documents != wantDocuments {
			t.Errorf("%d records: %d documents, want %d; commands\n%s\nwant\n%s", size, documents, wantDocuments, commands, wantCommands)
		}
		if sent := strings.Count(commands, ",") + 1; sent > 25 {
			t.Errorf("%d commands for one approval", sent)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
