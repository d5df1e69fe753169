package mongox_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/schema"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// itemsOf returns a component of one to three versions: an index, a backfill
// that an older program does not notice, and a change it cannot work with.
func itemsOf(versions int) mongox.Component {
	backfill := func(field string) func(context.Context, *mongo.Database) error {
		return func(ctx context.Context, db *mongo.Database) error {
			_, err := db.Collection("items").UpdateMany(ctx, bson.D{{Key: field, Value: bson.D{{Key: "$exists", Value: false}}}},
				bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: 7}}}})
			return err
		}
	}
	return mongox.Component{Name: "items", Steps: []mongox.Step{
		mongox.CreateIndexes(1, mongox.Index{Collection: "items", Name: "n", Unique: true, Keys: mongox.Ascending("n")}),
		{MinReader: 1, Apply: backfill("more")},
		{MinReader: 3, Apply: backfill("most")},
	}[:versions]}
}

func database(t *testing.T) *mongo.Database {
	t.Helper()
	uri, name := testkit.MongoDB(t)
	client, err := mongox.Connect(uri, mongox.Options{AppName: "mongox-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	return client.Database(name)
}

func wantStored(t *testing.T, db *mongo.Database, want schema.Stored) {
	t.Helper()
	all, err := mongox.SchemaStatus(t.Context(), db, itemsOf(3))
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Stored != want {
		t.Errorf("the database states %+v, want %+v", all[0].Stored, want)
	}
}

func TestADatabaseIsBroughtUpStepByStep(t *testing.T) {
	t.Parallel()
	db := database(t)
	// From before versions were stored: documents and an index, and no version.
	if _, err := db.Collection("items").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "a"}, {Key: "n", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	wantStored(t, db, schema.Stored{})
	for i, want := range []schema.Stored{{Version: 1, MinReader: 1}, {Version: 2, MinReader: 1}, {Version: 3, MinReader: 3}} {
		var group sync.WaitGroup
		errs := make([]error, 4)
		for n := range errs { // several processes start at once
			group.Go(func() { errs[n] = mongox.Up(t.Context(), db, itemsOf(i+1)) })
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatalf("to version %d: %v", i+1, err)
		}
		wantStored(t, db, want)
	}
	var d struct{ More, Most int }
	if err := db.Collection("items").FindOne(t.Context(), bson.D{{Key: "_id", Value: "a"}}).Decode(&d); err != nil || d.More != 7 || d.Most != 7 {
		t.Errorf("the document is %+v, %v; want what both steps filled in", d, err)
	}
	if _, err := db.Collection("items").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "b"}, {Key: "n", Value: 1}}); !mongox.IsDuplicate(err) {
		t.Errorf("the index of version 1 is missing: %v", err)
	}
}

func TestANewerDatabaseIsRefusedOnlyBelowItsMinReader(t *testing.T) {
	t.Parallel()
	db := database(t)
	for _, step := range []struct {
		versions int
		refused  bool
		want     schema.Stored
	}{
		{2, false, schema.Stored{Version: 2, MinReader: 1}},
		{1, false, schema.Stored{Version: 2, MinReader: 1}},
		{3, false, schema.Stored{Version: 3, MinReader: 3}},
		{2, true, schema.Stored{Version: 3, MinReader: 3}},
	} {
		if err := mongox.Up(t.Context(), db, itemsOf(step.versions)); errors.Is(err, schema.ErrNewer) != step.refused || err != nil && !step.refused {
			t.Errorf("a program of version %d: %v, want refused %t", step.versions, err, step.refused)
		}
		wantStored(t, db, step.want)
	}
}

// TestAContractWaitsForTheOperator: a database in use is upgraded to the version that the program needs, alongside
// the previous release; an empty one has the contract at once.
func TestAContractWaitsForTheOperator(t *testing.T) {
	t.Parallel()
	index := mongox.Index{Collection: "items", Name: "n", Unique: true, Keys: mongox.Ascending("n")}
	before := itemsOf(2)
	now := itemsOf(3)
	now.Steps[2].Contract = true
	now.Fresh = mongox.FromNothing(index)

	db := database(t)
	if _, err := db.Collection("items").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "a"}, {Key: "n", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := mongox.Serve(t.Context(), db, []mongox.Component{now}, []mongox.Index{index}); !errors.Is(err, mongox.ErrPending) {
			t.Fatalf("a service on a database without versions: %v", err)
		}
	}
	for range 2 {
		if err := mongox.Up(t.Context(), db, now); err != nil {
			t.Fatal(err)
		}
		wantStored(t, db, schema.Stored{Version: 2, MinReader: 1})
		for name, c := range map[string]mongox.Component{"before": before, "now": now} {
			if _, err := mongox.Serve(t.Context(), db, []mongox.Component{c}, []mongox.Index{index}); err != nil {
				t.Errorf("a service of the release %s, while the contract waits: %v", name, err)
			}
		}
	}
	var group sync.WaitGroup
	errs := make([]error, 4)
	for n := range errs {
		group.Go(func() { errs[n] = mongox.Contract(t.Context(), db, now) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	wantStored(t, db, schema.Stored{Version: 3, MinReader: 3})
	if _, err := mongox.Serve(t.Context(), db, []mongox.Component{before}, []mongox.Index{index}); !errors.Is(err, schema.ErrNewer) || !mongox.IsPermanent(err) {
		t.Errorf("a service of the release before, after the contract: %v", err)
	}
	if err := mongox.Contract(t.Context(), db, before); !errors.Is(err, schema.ErrNewer) {
		t.Errorf("the command of the release before: %v", err)
	}

	fresh := database(t)
	if _, err := mongox.Serve(t.Context(), fresh, []mongox.Component{now}, []mongox.Index{index}); err != nil {
		t.Fatal(err)
	}
	wantStored(t, fresh, schema.Stored{Version: 3, MinReader: 3})
}
