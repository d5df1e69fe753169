package mongostore_test

import (
	"context"
	"testing"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

func TestEveryMethodTellsOutages(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	client, err := mongox.Connect(testkit.LongLimits(through), mongox.Options{AppName: "test"})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	store, err := mongostore.New(t.Context(), client.Database(database))
	must(t, err)
	testkit.RequireUnavailableDuringOutages[resulttree.Store](t, between, store, []string{"Together"}, resulttree.ErrConflict)
}
