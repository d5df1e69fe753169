package testkit

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func TestMongoDBGivesEachTestItsDatabase(t *testing.T) {
	t.Parallel()
	var names []string
	var client *mongo.Client
	t.Run("use", func(t *testing.T) {
		for range 3 {
			uri, name := MongoDB(t)
			if slices.Contains(names, name) {
				t.Fatalf("database %s was returned twice", name)
			}
			var err error
			if client, err = mongo.Connect(options.Client().ApplyURI(uri)); err != nil {
				t.Fatal(err)
			}
			for _, database := range []string{name, name + "_auth"} {
				items := client.Database(database).Collection("items")
				if n, err := items.CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
					t.Errorf("%s has %d documents at first, %v", database, n, err)
				}
				if _, err := items.InsertOne(t.Context(), bson.D{{Key: "_id", Value: 1}}); err != nil {
					t.Error(err)
				}
			}
			names = append(names, name)
		}
	})
	left, err := client.ListDatabaseNames(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(name, n) }) {
			t.Errorf("%s remains after its test", name)
		}
	}
	if err := client.Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
}
