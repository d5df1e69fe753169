package mongostore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestBothFormsOfANodeAreOne: processes that write whole nodes and others that write deltas use the same node
// alternately, and each reads it correctly.
func TestBothFormsOfANodeAreOne(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "test"})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	whole, err := mongostore.New(t.Context(), client.Database(database))
	must(t, err)
	deltas := mongostore.Attach(client.Database(database))
	deltas.WriteDeltas(true)
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a seed that can be repeated
	n := resulttree.Node{Org: "org", Event: "event", NodeID: resulttree.NodeID{Type: "waste"}}
	children := map[string]resulttree.Child{}
	for version := int64(1); version <= 30; version++ {
		before := maps.Clone(children)
		for range 1 + random.IntN(3) {
			key := fmt.Sprint("r", random.IntN(5))
			if _, there := children[key]; there && random.IntN(2) == 0 {
				delete(children, key)
			} else {
				children[key] = resulttree.Child{Key: key, Hash: fmt.Sprint("h", version), Value: fmt.Sprint(random.IntN(9))}
			}
		}
		n.Version, n.ContextRev, n.Contribution, n.Hash = version, version/10, json.RawMessage(fmt.Sprintf(`{"n":%d}`, version)), fmt.Sprint("hash", version)
		n.Failed, n.FailedCount = nil, version%2*2000
		if version%3 == 0 {
			n.Failed = []record.ID{record.ID(fmt.Sprint("f", version))}
		}
		n.Detail = resulttree.Detail{Causes: []resulttree.Cause{{Action: "approve", Records: version}}}
		for _, key := range []string{"r0", "r1", "r2", "r3", "r4"} {
			if c, there := children[key]; there {
				n.Detail.Children = append(n.Detail.Children, c)
			}
			if before[key] != children[key] {
				n.Detail.Changed = append(n.Detail.Changed, resulttree.Change{Before: before[key], After: children[key]})
			}
		}
		writer := []*mongostore.Store{whole, deltas, deltas}[random.IntN(3)]
		must(t, writer.PutNode(t.Context(), n, version-1))
		if err := writer.PutNode(t.Context(), n, version-1); !errors.Is(err, resulttree.ErrConflict) {
			t.Fatalf("version %d was written twice: %v", version, err)
		}
		for _, reader := range []*mongostore.Store{whole, deltas} {
			got, err := reader.Node(t.Context(), "org", "event", n.NodeID)
			must(t, err)
			if !reflect.DeepEqual(got, n) {
				t.Fatalf("version %d is read as\n%+v\nand was\n%+v", version, got, n)
			}
		}
		listed, err := whole.Nodes(t.Context(), "org", "event", "waste", 0, 0, 9)
		must(t, err)
		if len(listed) != 1 || len(listed[0].Detail.Children)+len(listed[0].Detail.Changed)+len(listed[0].Detail.Causes) > 0 {
			t.Fatalf("version %d was listed with its detail: %+v", version, listed)
		}
	}
}

// written adds up the bytes of the documents written to each collection.
type written struct {
	mu    sync.Mutex
	bytes map[string]int
}

func (w *written) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		w.mu.Lock()
		defer w.mu.Unlock()
		collection, _ := e.Command.Lookup(e.CommandName).StringValueOK()
		for _, list := range []string{"documents", "updates"} {
			if n := len(e.Command.Lookup(list).Value); n > 0 {
				w.bytes[collection] += n
			}
		}
	}}
}

// TestBytesOfAnApproval bounds the bytes written by the recalculation after one approval, in events with full
// segments, independent of the size of the event.
func TestBytesOfAnApproval(t *testing.T) {
	t.Parallel()
	sizes := []int{2, 40}
	if testkit.Long(t) {
		sizes = append(sizes, 391)
	}
	for _, form := range []struct {
		deltas       bool
		nodes, whole int // bounds in bytes
	}{{false, 48 << 10, 60 << 10}, {true, 4 << 10, 12 << 10}} {
		for _, segments := range sizes {
			bytes := approvalIn(t, segments, form.deltas)
			total := 0
			for _, n := range bytes {
				total += n
			}
			t.Logf("%d records, deltas %t: %d bytes: %v", segments*resulttree.Fanout, form.deltas, total, bytes)
			if bytes["result_nodes"] > form.nodes || total > form.whole {
				t.Errorf("%d records, deltas %t: %d bytes of nodes, %d in all", segments*resulttree.Fanout, form.deltas, bytes["result_nodes"], total)
			}
		}
	}
}

// approvalIn returns the bytes that the worker writes for one approval, by collection, in an event of full segments.
// The records of the first one are stored.
func approvalIn(t *testing.T, segments int, deltas bool) map[string]int {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	w := &written{bytes: map[string]int{}}
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "test", Monitor: w.monitor()})
	must(t, err)
	defer func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) }()
	records, err := recordmongo.New(t.Context(), client.Database(database))
	must(t, err)
	results, err := mongostore.New(t.Context(), client.Database(database))
	must(t, err)
	results.WriteDeltas(deltas)
	worker := resulttree.NewRecalculator(records, results, time.Now)
	now := time.Now().UTC().Truncate(time.Millisecond)
	ev, err := records.InsertEvent(t.Context(), "org", record.Event{ID: "event", Org: "org", Title: "E", Country: "GB", Method: record.DefaultMethod,
		FactorSet: "desnz-2026", Rev: 1, ContextRev: 1, CreatedAt: now, UpdatedAt: now}, record.Unlimited)
	must(t, err)
	fields := json.RawMessage(`{"treatment":"landfill","weightKg":1234.25}`)
	preview, contribution, err := record.Evaluate("waste", fields, nil, ev.Context())
	must(t, err)
	var all []record.Record
	for n := range resulttree.Fanout {
		all = append(all, record.Record{ID: record.ID(fmt.Sprintf("%026d", n)), Org: "org", Event: "event", Type: "waste", Rev: 1, Status: record.Approved,
			Fields: fields, Preview: preview, Contribution: contribution, ContextRev: 1, CreatedAt: now, UpdatedAt: now,
			Last: record.Entry{Rev: 1, Move: record.Approve, To: record.Approved, At: now}})
	}
	all[0].Mark = record.NewMark(now)
	_, _, err = records.InsertRecords(t.Context(), "org", record.Sub{Event: "event", Type: "waste"}, all)
	must(t, err)
	sum, err := worker.Arithmetic.Sum(slices.Repeat([]json.RawMessage{contribution}, resulttree.Fanout))
	must(t, err)
	for k := 1; k < segments; k++ {
		must(t, results.PutNode(t.Context(), resulttree.Node{Org: "org", Event: "event", NodeID: resulttree.NodeID{Type: "waste", Index: int64(k)},
			Version: 1, ContextRev: 1, Contribution: sum, Hash: strings.Repeat("0", 64)}, 0))
	}
	must(t, worker.Recalculate(t.Context(), "org", "event"))
	// The second one: the first also stores the initial history of the event.
	for _, one := range all[100:102] {
		r, err := records.Record(t.Context(), "org", record.Key{Event: "event", Type: "waste", ID: one.ID})
		must(t, err)
		r.Rev, r.Status, r.Mark = 2, record.ChangesRequested, record.NewMark(now)
		r.Last = record.Entry{Rev: 2, Move: record.Reopen, From: record.Approved, To: record.ChangesRequested, At: now}
		must(t, records.ReplaceRecord(t.Context(), "org", r, 1))
		w.mu.Lock()
		clear(w.bytes)
		w.mu.Unlock()
		must(t, worker.Recalculate(t.Context(), "org", "event"))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.bytes)
}
