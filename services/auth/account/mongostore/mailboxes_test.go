package mongostore_test

import (
	"context"
	"testing"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/account/accounttest"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
)

// TestAnOldDatabaseHasOneKeyForAMailbox: the step gives encoded domains the key of the displayed
// ones, also when it is run again after a crash.
func TestAnOldDatabaseHasOneKeyForAMailbox(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "auth-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	db, old := client.Database(name), mongostore.Schema()
	old[0].Steps = old[0].Steps[:5]
	if err := mongox.Up(t.Context(), db, old...); err != nil {
		t.Fatal(err)
	}
	store := mongostore.New(db)
	accounttest.InsertMailboxes(t, store)
	for range 2 {
		if err := mongostore.Schema()[0].Steps[5].Apply(t.Context(), db); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	accounttest.CheckMailboxes(t, store)
}
