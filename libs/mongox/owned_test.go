package mongox_test

import (
	"fmt"
	"maps"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAllOfOneOwnerIsRemoved: the documents of one owner are removed from every collection that has any, whether an
// index begins with the owner or the ids do, and nothing of others is, also of one whose name begins with the same.
func TestAllOfOneOwnerIsRemoved(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(t.Context()) })
	db := client.Database(name)
	if err := mongox.CreateMissing(t.Context(), db, mongox.Index{Collection: "indexed", Keys: mongox.Ascending("owner", "n")}); err != nil {
		t.Fatal(err)
	}
	owners := []string{"ada", "adam", "bob"}
	insert := func(collection string, document bson.D) {
		t.Helper()
		if _, err := db.Collection(collection).InsertOne(t.Context(), document); err != nil {
			t.Fatal(err)
		}
	}
	for _, owner := range owners {
		insert("owners", bson.D{{Key: "_id", Value: owner}})
		insert("others", bson.D{{Key: "_id", Value: owner}})
		insert("prefixed", bson.D{{Key: "_id", Value: owner}, {Key: "owner", Value: owner}})
		for n := range 3 {
			insert("indexed", bson.D{{Key: "_id", Value: fmt.Sprint(n, owner)}, {Key: "owner", Value: owner}, {Key: "n", Value: n}})
			insert("prefixed", bson.D{{Key: "_id", Value: fmt.Sprintf("%s/%d", owner, n)}, {Key: "owner", Value: owner}})
		}
	}
	of := func(owner string) mongox.Owned {
		return mongox.Owned{Field: "owner", ByID: []string{"owners"}, Owner: owner}
	}
	want := map[string]int64{"owners": 1, "indexed": 3, "prefixed": 4}
	if err := of("ada").Check(t.Context(), db); err != nil {
		t.Error(err)
	}
	for _, owner := range owners {
		if got, err := of(owner).Count(t.Context(), db); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", owner, got, err, want)
		}
	}
	if removed, err := of("ada").Remove(t.Context(), db, "prefixed"); err != nil || !maps.Equal(removed, want) {
		t.Errorf("removed %v, %v, want %v", removed, err, want)
	}
	if left, err := of("ada").Count(t.Context(), db); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	for _, owner := range owners[1:] {
		if got, err := of(owner).Count(t.Context(), db); err != nil || !maps.Equal(got, want) {
			t.Errorf("of %s: %v, %v, want %v", owner, got, err, want)
		}
	}
	if n, err := db.Collection("others").CountDocuments(t.Context(), bson.D{}); err != nil || n != int64(len(owners)) {
		t.Errorf("of nobody: %d, %v", n, err)
	}
}
