package mongox_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
)

// indexed returns a component of two versions: the second replaces an index.
func indexed(versions int) ([]mongox.Component, []mongox.Index) {
	byN := mongox.Index{Collection: "items", Name: "n", Unique: true, Keys: mongox.Ascending("n")}
	old := mongox.Index{Collection: "items", Name: "due", Keys: mongox.Ascending("due", "n")}
	due := mongox.Index{Collection: "items", Name: "due_only", Keys: mongox.Ascending("due", "n")}.Where(bson.D{{Key: "due", Value: true}})
	steps := []mongox.Step{mongox.CreateIndexes(1, byN, old), mongox.ReplaceIndexes(1, []mongox.Index{due}, "items.due")}
	newest := []mongox.Index{byN, old}
	if versions == 2 {
		newest = []mongox.Index{byN, due}
	}
	return []mongox.Component{{Name: "indexed", Steps: steps[:versions], Fresh: mongox.FromNothing(newest...)}}, newest
}

// TestIndexesAreTheSchemaCommands starts services of two versions on one database: the newer one creates no index in
// a collection with documents, and the older one continues after the schema command.
func TestIndexesAreTheSchemaCommands(t *testing.T) {
	t.Parallel()
	db, ctx := database(t), t.Context()
	older, olderIndexes := indexed(1)
	newer, newerIndexes := indexed(2)
	if slow, err := mongox.Serve(ctx, db, older, olderIndexes); err != nil || len(slow) > 0 {
		t.Fatalf("an empty database: %v, slow %v", err, slow)
	}
	if _, err := db.Collection("items").InsertOne(ctx, bson.D{{Key: "n", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := mongox.Serve(ctx, db, newer, newerIndexes); !errors.Is(err, mongox.ErrPending) || mongox.IsPermanent(err) ||
		!strings.Contains(err.Error(), "ecf schema up") {
		t.Errorf("a database to be brought up: %v", err)
	}
	wantIndexes(t, db, "_id_", "due", "n")
	for range 2 { // again after a crash
		if err := mongox.Up(ctx, db, newer...); err != nil {
			t.Fatal(err)
		}
		wantIndexes(t, db, "_id_", "due_only", "n")
	}
	if _, err := mongox.Serve(ctx, db, newer, newerIndexes); err != nil {
		t.Errorf("the newer program: %v", err)
	}
	if slow, err := mongox.Serve(ctx, db, older, olderIndexes); err != nil || !slices.Equal(slow, []string{"items.due"}) {
		t.Errorf("the older program: %v, slow %v", err, slow)
	}
	// What keeps values unique must be there, under its name and with its keys.
	if err := db.Collection("items").Indexes().DropOne(ctx, "n"); err != nil {
		t.Fatal(err)
	}
	if _, err := mongox.Serve(ctx, db, newer, newerIndexes); !errors.Is(err, mongox.ErrIndex) || !mongox.IsPermanent(err) || !strings.Contains(err.Error(), "items.n") {
		t.Errorf("without the unique index: %v", err)
	}
}

func wantIndexes(t *testing.T, db *mongo.Database, want ...string) {
	t.Helper()
	list, err := db.Collection("items").Indexes().ListSpecifications(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range list {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("indexes %v, want %v", names, want)
	}
}
