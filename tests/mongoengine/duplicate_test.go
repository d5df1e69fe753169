package main

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// slots returns a collection with two documents, a unique index over two fields, one of
// them a path, and that of _id.
func slots(t *testing.T) *mongo.Collection {
	t.Helper()
	c := database(t).Collection("slots")
	unique := []mongo.IndexModel{
		{Keys: document("org", 1, "slot", 1), Options: options.Index().SetUnique(true).SetName("org_slot")},
		{Keys: document("org", 1, "ref.key", 1), Options: options.Index().SetUnique(true).SetName("ref")},
	}
	// Twice, as at every start of a service.
	for range 2 {
		if _, err := c.Indexes().CreateMany(t.Context(), unique); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.InsertMany(t.Context(), []any{
		document("_id", "a", "org", "o", "slot", int64(1), "ref", document("key", "A")),
		document("_id", "b", "org", "o", "slot", int64(2), "ref", document("key", "B")),
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDuplicateKeyNamesTheIndex(t *testing.T) {
	t.Parallel()
	c := slots(t)
	ctx := t.Context()
	insert := func(pairs ...any) error {
		_, err := c.InsertOne(ctx, document(pairs...))
		return err
	}
	update := func(id string, u bson.D, o ...options.Lister[options.UpdateOneOptions]) error {
		_, err := c.UpdateOne(ctx, document("_id", id), u, o...)
		return err
	}
	_, replaced := c.ReplaceOne(ctx, document("_id", "b"), document("org", "o", "slot", int64(1), "ref", document("key", "B")))
	_, upserted := c.UpdateOne(ctx, document("_id", "b", "slot", 99), document("$set", document("x", 1)), options.UpdateOne().SetUpsert(true))
	for name, test := range map[string]struct {
		err   error
		index string
	}{
		"insert, _id":          {insert("_id", "a", "org", "p"), "_id_"},
		"insert, two fields":   {insert("_id", "c", "org", "o", "slot", int64(1), "ref", document("key", "C")), "org_slot"},
		"insert, other number": {insert("_id", "c", "org", "o", "slot", int32(1), "ref", document("key", "C")), "org_slot"},
		"insert, path":         {insert("_id", "c", "org", "o", "slot", int64(3), "ref", document("key", "A")), "ref"},
		"update":               {update("b", document("$set", document("slot", int64(1)))), "org_slot"},
		"update, path":         {update("b", document("$set", document("ref.key", "A"))), "ref"},
		"replace":              {replaced, "org_slot"},
		"upsert, _id":          {upserted, "_id_"},
		"upsert, two fields":   {update("c", document("$set", document("org", "o", "slot", int64(1), "ref", document("key", "C"))), options.UpdateOne().SetUpsert(true)), "org_slot"},
		"findOneAndUpdate":     {c.FindOneAndUpdate(ctx, document("_id", "b"), document("$set", document("slot", int64(1)))).Err(), "org_slot"},
		"findOneAndReplace":    {c.FindOneAndReplace(ctx, document("_id", "b"), document("org", "o", "slot", int64(1))).Err(), "org_slot"},
	} {
		if !mongo.IsDuplicateKeyError(test.err) {
			t.Errorf("%s: %v, want a duplicate key error", name, test.err)
		} else if !strings.Contains(test.err.Error()+" ", " index: "+test.index+" ") && !strings.Contains(test.err.Error(), " index: "+test.index+"]") {
			t.Errorf("%s: %q does not name %s", name, test.err, test.index)
		}
	}
	// Nothing of this was written.
	if n, err := c.CountDocuments(ctx, document("slot", document("$in", bson.A{1, 2}), "x", nil)); err != nil || n != 2 {
		t.Errorf("afterwards %d documents as before, %v; want 2", n, err)
	}
}

func TestManyWritesReportEachDuplicate(t *testing.T) {
	t.Parallel()
	c := slots(t)
	failures := func(err error) (at []int) {
		var bulk mongo.BulkWriteException
		if !errors.As(err, &bulk) {
			t.Fatalf("%v, want a bulk write exception", err)
		}
		for _, e := range bulk.WriteErrors {
			if e.Code != 11000 {
				t.Errorf("unexpected error %v", e)
			}
			at = append(at, e.Index)
		}
		return at
	}
	count := func(prefix string) int64 {
		n, err := c.CountDocuments(t.Context(), document("_id", document("$gte", prefix, "$lt", prefix+"\uffff")))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	row := func(id string, slot int) bson.D {
		return document("_id", id, "org", "many", "slot", slot, "ref", document("key", id))
	}

	_, err := c.InsertMany(t.Context(), []any{row("m1", 1), row("m2", 1), row("m3", 3)})
	if at := failures(err); len(at) != 1 || at[0] != 1 || count("m") != 1 {
		t.Errorf("ordered: failures at %v, %d stored; want [1] and 1", at, count("m"))
	}
	_, err = c.InsertMany(t.Context(), []any{row("n1", 1), row("n2", 2), row("n2", 4), row("n4", 4)}, options.InsertMany().SetOrdered(false))
	if at := failures(err); len(at) != 2 || at[0] != 0 || at[1] != 2 || count("n") != 2 {
		t.Errorf("unordered: failures at %v, %d stored; want [0 2] and 2", at, count("n"))
	}
	var long []any
	for i := range 150 {
		long = append(long, row("p"+string(rune(0x1000+i)), 1000+i-i/21))
	}
	_, err = c.InsertMany(t.Context(), long)
	if at := failures(err); len(at) != 1 || at[0] != 21 || count("p") != 21 {
		t.Errorf("ordered, long: failures at %v, %d stored; want [21] and 21", at, count("p"))
	}

	inc := func(id string) mongo.WriteModel {
		return mongo.NewUpdateOneModel().SetFilter(document("_id", id)).SetUpdate(document("$inc", document("n", 1)))
	}
	clash := mongo.NewUpdateOneModel().SetFilter(document("_id", "b")).SetUpdate(document("$set", document("slot", 1)))
	upsert := mongo.NewUpdateOneModel().SetFilter(document("_id", "u")).SetUpdate(document("$set", document("org", "u", "slot", 1, "ref", document("key", "u")))).SetUpsert(true)
	res, err := c.BulkWrite(t.Context(), []mongo.WriteModel{inc("a"), clash, inc("a")})
	if at := failures(err); len(at) != 1 || at[0] != 1 || res.ModifiedCount != 1 {
		t.Errorf("ordered updates: failures at %v, %+v", at, res)
	}
	res, err = c.BulkWrite(t.Context(), []mongo.WriteModel{inc("a"), clash, inc("a"), upsert}, options.BulkWrite().SetOrdered(false))
	if at := failures(err); len(at) != 1 || at[0] != 1 || res.ModifiedCount != 2 || res.UpsertedIDs[3] != "u" {
		t.Errorf("unordered updates: failures at %v, %+v", at, res)
	}
}

func TestIndexCreation(t *testing.T) {
	t.Parallel()
	c := slots(t)
	for name, index := range map[string]mongo.IndexModel{
		"partial":  {Keys: document("org", 1, "mark", 1), Options: options.Index().SetPartialFilterExpression(document("mark", document("$exists", true)))},
		"expiring": {Keys: document("expires", 1), Options: options.Index().SetExpireAfterSeconds(60)},
		"both":     {Keys: document("seen", -1), Options: options.Index().SetExpireAfterSeconds(60).SetPartialFilterExpression(document("x", 1))},
	} {
		for range 2 {
			if _, err := c.Indexes().CreateOne(t.Context(), index); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := c.Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: document("org", 1), Options: options.Index().SetUnique(true)}); !mongo.IsDuplicateKeyError(err) {
		t.Errorf("unique index over duplicates: %v, want a duplicate key error", err)
	}
	var other mongo.CommandError
	if _, err := c.Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: document("z", 1), Options: options.Index().SetName("ref")}); !errors.As(err, &other) || other.Code != 86 {
		t.Errorf("the name of another index: %v, want code 86", err)
	}
}
