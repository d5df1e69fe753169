package mongostore_test

import (
	"context"
	"testing"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
)

func TestEveryMethodTellsOutages(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	client, err := mongox.Connect(testkit.LongLimits(through), mongox.Options{AppName: "test"})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	store := mongostore.New(client.Database(database))
	must(t, store.Prepare(t.Context()))
	testkit.RequireUnavailableDuringOutages[account.Store](t, between, store, []string{"Ping"}, account.ErrConflict)
}
