package mongostore_test

import (
	"context"
	"testing"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttest"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// No condition that is sent lacks the organization (statement 18).
func TestConformance(t *testing.T) {
	t.Parallel()
	resulttest.Run(t, func(t *testing.T) resulttree.Store { return open(t, false) })
}

// The other form of nodes.
func TestConformanceOfDeltas(t *testing.T) {
	t.Parallel()
	resulttest.Run(t, func(t *testing.T) resulttree.Store { return open(t, true) })
}

func open(t *testing.T, deltas bool) *mongostore.Store {
	uri, database := testkit.MongoDB(t)
	planned := testkit.IndexMonitor(t, mongostore.Indexes(),
		// The segments of all types; their indexes are in the keys.
		"find result_nodes event,index,level,org by type,index", "find result_nodes event,facts,index,level,org by type,index",
		// Every segment has facts, except those written before there were any.
		"find result_nodes event,facts,index,level,org,type by type,index",
		// The parts of one event's signed revisions.
		"find result_parts at,event,org by name")
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "test", Monitor: testkit.Monitors(testkit.TenantMonitor(t), planned)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	store, err := mongostore.New(t.Context(), client.Database(database))
	if err != nil {
		t.Fatal(err)
	}
	store.WriteDeltas(deltas)
	return store
}
