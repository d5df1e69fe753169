package mongostore_test

import (
	"fmt"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestStepsLeadToTheIndexesOfAFreshDatabase compares the indexes after all steps from version 0 with those of a new
// database.
func TestStepsLeadToTheIndexesOfAFreshDatabase(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	client := connect(t, uri, nil)
	fresh, grown := client.Database(database), client.Database(database+"_grown")
	if _, err := grown.Collection("events").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "e"}, {Key: "org", Value: "o"}, {Key: "slot", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, db := range []*mongo.Database{fresh, grown} {
		open(t, db)
		slow, err := mongox.CheckIndexes(t.Context(), db, mongostore.Indexes())
		if err != nil || len(slow) > 0 {
			t.Errorf("missing in %s: %v, %v", db.Name(), slow, err)
		}
	}
	if a, b := indexNames(t, fresh), indexNames(t, grown); !slices.Equal(a, b) {
		t.Errorf("a fresh database has %v\na grown one has %v", a, b)
	}
}

func indexNames(t *testing.T, db *mongo.Database) (names []string) {
	t.Helper()
	for _, collection := range []string{"events", "records", "history", "event_history", "idempotency_keys", "imports", "import_parts", "policies"} {
		list, err := db.Collection(collection).Indexes().ListSpecifications(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range list {
			names = append(names, collection+"."+i.Name)
		}
	}
	slices.Sort(names)
	return names
}

// stage returns the indexed fields of a record in a state on its way to the result.
func stage(rev int64, status record.Status, mark string, untallied int64) bson.M {
	return bson.M{"_id": "r", "org": "o", "event": "e", "type": "waste", "seq": int64(1), "refKey": "r", "deleted": false, "folded": nil,
		"createdAt": int64(7), "contextRev": int64(1), "rev": rev, "status": string(status), "mark": mark, "untallied": untallied}
}

// TestIndexKeysOfAnApproval counts the index keys added and removed by one approval, from the decision until nothing
// is due.
func TestIndexKeysOfAnApproval(t *testing.T) {
	t.Parallel()
	way := []bson.M{
		stage(2, record.Submitted, "", 0),
		stage(3, record.Approved, "m", 3), // the decision
		stage(3, record.Approved, "", 3),  // calculated
		stage(3, record.Approved, "", 0),  // counted
	}
	before := 0
	for _, keys := range [][]string{
		{"org", "event", "type", "seq"}, {"org", "event", "type", "refKey"}, {"org", "event", "type", "deleted", "seq", "rev", "contextRev"},
		{"org", "event", "type", "deleted", "folded"}, {"org", "event", "deleted", "status", "createdAt", "_id"},
		{"org", "deleted", "status", "createdAt", "_id"}, {"org", "event", "mark"}, {"mark", "event", "org"},
		{"org", "event", "untallied", "type", "seq"}, {"org", "event", "type", "deleted", "status", "seq"},
	} {
		before += moved(t, mongox.Index{Keys: mongox.Ascending(keys...)}, way)
	}
	after := 0
	for _, i := range mongostore.Indexes() {
		if i.Collection == "records" {
			after += moved(t, i, way)
		}
	}
	if before != 20 || after != 11 {
		t.Errorf("an approval moves %d keys, and moved %d with full indexes; want 11 and 20", after, before)
	}
}

// moved counts the keys that the states of a document add to and remove from an index.
func moved(t *testing.T, i mongox.Index, way []bson.M) (n int) {
	t.Helper()
	key := func(d bson.M) string {
		for _, condition := range i.Only {
			if !meets(t, d[condition.Key], condition.Value) {
				return ""
			}
		}
		values := make([]any, len(i.Keys))
		for at, k := range i.Keys {
			values[at] = d[k.Key]
		}
		return fmt.Sprint(values)
	}
	for at := range way[1:] {
		from, to := key(way[at]), key(way[at+1])
		if from == to {
			continue
		}
		for _, k := range []string{from, to} {
			if k != "" {
				n++
			}
		}
	}
	return n
}

// meets reports whether a value meets a condition of those that Indexes has.
func meets(t *testing.T, value, condition any) bool {
	t.Helper()
	operators, ok := condition.(bson.D)
	if !ok {
		return fmt.Sprint(value) == fmt.Sprint(condition)
	}
	for _, o := range operators {
		switch o.Key {
		case "$gt":
			if s, ok := value.(string); ok && s <= fmt.Sprint(o.Value) {
				return false
			}
			if n, ok := value.(int64); ok && n <= 0 {
				return false
			}
		case "$in":
			if !slices.ContainsFunc(o.Value.(bson.A), func(v any) bool { return fmt.Sprint(v) == value }) {
				return false
			}
		default:
			t.Fatalf("condition %s", o.Key)
		}
	}
	return true
}
