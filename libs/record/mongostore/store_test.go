package mongostore_test

import (
	"context"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/record/recordtest"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestConformance runs every test on its own database; opened again for the same test it connects to that one, as
// another process would. Every filter contains the organization (statement 18).
func TestConformance(t *testing.T) {
	conformance(t, func(*testing.T, *mongo.Database) {})
}

// TestConformanceWithoutIndexes runs every test on a database with unique indexes only: correctness must not depend
// on the others, including partial and TTL ones.
func TestConformanceWithoutIndexes(t *testing.T) {
	testkit.OnlyLong(t)
	conformance(t, func(t *testing.T, db *mongo.Database) { testkit.DropIndexes(t, db) })
}

// conformance runs the suite on databases that were prepared.
func conformance(t *testing.T, prepare func(t *testing.T, db *mongo.Database)) {
	type place struct{ uri, database string }
	var mu sync.Mutex
	places := map[string]place{}
	recordtest.Run(t, func(t *testing.T) record.Store {
		mu.Lock()
		p, known := places[t.Name()]
		first := !known
		if first {
			p.uri, p.database = testkit.MongoDB(t)
			places[t.Name()] = p
		}
		mu.Unlock()
		// An organization is its own id; due marks and open work are read for all organizations.
		monitor := testkit.TenantMonitor(t, "find organizations _id", "update organizations _id,rev", "find events mark", "find events gateState", "find records mark", "find imports _id,open",
			// Verification determines the owner of everything.
			"find events org", "find event_history org", "find records org", "find history org", "find supplier_factors org", "find policies org")
		planned := testkit.IndexMonitor(t, mongostore.Indexes(),
			// The queue of an organization passes over records of other events in the index.
			"aggregate records deleted,!event,org,status[]", "find records deleted,!event,org,status[] by createdAt,_id",
			"aggregate records deleted,event[],org,status[]", "find records deleted,event[],org,status[] by createdAt,_id",
			"update records event,fence,org,seq,type",                                                    // of a segment
			"find records deleted,event,org,reference,type",                                              // after an interrupted deletion by reference only
			"find imports event,hash,org by createdAt,_id",                                               // those of one file
			"aggregate supplier_factors deleted,org", "find supplier_factors deleted,org by key,version", // the library of one organization
			// A copy of an organization, for a backup: few documents besides records and events, sorted after reading.
			"find supplier_factors _id,org by _id", "find idempotency_keys _id,org by _id", "find imports _id,org by _id")
		store := open(t, connect(t, p.uri, testkit.Monitors(monitor, planned)).Database(p.database))
		if first {
			prepare(t, connect(t, p.uri, nil).Database(p.database))
		}
		return store
	})
}

// connect returns a client that lasts as long as the test.
func connect(t testing.TB, uri string, monitor *event.CommandMonitor) *mongo.Client {
	t.Helper()
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "mongostore-test", Monitor: monitor})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	return client
}

func open(t testing.TB, db *mongo.Database) *mongostore.Store {
	t.Helper()
	store, err := mongostore.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
