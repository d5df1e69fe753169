package main

import (
	"errors"
	"math"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// What stores use is tested by the stores themselves, here and on a real server. These are
// tests of what the front adds to the engine.

// document returns an ordered document of keys and values.
func document(pairs ...any) bson.D {
	d := bson.D{}
	for i := 0; i < len(pairs); i += 2 {
		d = append(d, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return d
}

// TestWritesGoOnUnderAnOpenCursor verifies that a cursor is a position, not a lock:
// other clients can write between two batches.
func TestWritesGoOnUnderAnOpenCursor(t *testing.T) {
	t.Parallel()
	items := database(t).Collection("items")
	var all []any
	for i := range 250 {
		all = append(all, document("_id", i))
	}
	if _, err := items.InsertMany(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	cursor, err := items.Find(t.Context(), document("_id", document("$lt", 250)), options.Find().SetBatchSize(10).SetSort(document("_id", 1)))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for ; cursor.Next(t.Context()); read++ {
		if read%25 == 0 {
			if _, err := items.InsertOne(t.Context(), document("_id", 1000+read)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cursor.Err(); err != nil || read != 250 {
		t.Errorf("read %d, %v; want 250", read, err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	if !isFerret(t) {
		t.Skip("a real server takes these")
	}
	db := database(t)
	items := db.Collection("items")
	if _, err := items.InsertOne(t.Context(), document("_id", 1, "h", bson.A{1, 2}, "n", 1)); err != nil {
		t.Fatal(err)
	}
	update := func(u any) error {
		_, err := items.UpdateOne(t.Context(), document("_id", 1), u)
		return err
	}
	aggregate := func(stage bson.D) error {
		_, err := items.Aggregate(t.Context(), mongo.Pipeline{stage})
		return err
	}
	insert := func(v any) error {
		_, err := items.InsertOne(t.Context(), document("v", v))
		return err
	}
	for name, err := range map[string]error{
		"push with slice":       update(document("$push", document("h", document("$each", bson.A{3}, "$slice", -2)))),
		"push with sort":        update(document("$push", document("h", document("$each", bson.A{3}, "$sort", 1)))),
		"push with position":    update(document("$push", document("h", document("$each", bson.A{3}, "$position", 0)))),
		"pull by condition":     update(document("$pull", document("h", document("$lt", 2)))),
		"pull by field":         update(document("$pull", document("h", document("at", document("$lt", 2))))),
		"update pipeline":       update(mongo.Pipeline{document("$set", document("n", 2))}),
		"positional":            update(document("$set", document("h.$", 1))),
		"two accumulators":      aggregate(document("$group", document("_id", nil, "a", document("$sum", 1), "b", document("$sum", "$n")))),
		"maximum of a group":    aggregate(document("$group", document("_id", nil, "a", document("$max", "$n")))),
		"computed projection":   aggregate(document("$project", document("m", "$n"))),
		"computed field":        aggregate(document("$addFields", document("m", document("p", "$n")))),
		"lookup":                aggregate(document("$lookup", document("from", "x", "localField", "a", "foreignField", "b", "as", "c"))),
		"facet":                 aggregate(document("$facet", document("a", bson.A{document("$limit", 1)}))),
		"expression":            items.FindOne(t.Context(), document("$expr", document("$gt", bson.A{"$n", 0}))).Err(),
		"projected reference":   items.FindOne(t.Context(), document(), options.FindOne().SetProjection(document("m", "$n"))).Err(),
		"projected slice":       items.FindOne(t.Context(), document(), options.FindOne().SetProjection(document("h", document("$slice", 1)))).Err(),
		"projected modify":      items.FindOneAndUpdate(t.Context(), document("_id", 1), document("$set", document("n", 2)), options.FindOneAndUpdate().SetProjection(document("n", 1))).Err(),
		"collation":             items.FindOne(t.Context(), document(), options.FindOne().SetCollation(&options.Collation{Locale: "en"})).Err(),
		"nested arrays":         insert(bson.A{bson.A{1}}),
		"infinity":              insert(math.Inf(1)),
		"dot in a key":          insert(document("a.b", 1)),
		"document of operators": items.FindOne(t.Context(), document("h", document("$elemMatch", document("x", 1)))).Err(),
	} {
		if err == nil {
			t.Errorf("%s: taken", name)
		} else if mongo.IsNetworkError(err) || mongo.IsTimeout(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	session, err := db.Client().StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(t.Context())
	if err := session.StartTransaction(); err != nil {
		t.Fatal(err)
	}
	_, err = items.InsertOne(mongo.NewSessionContext(t.Context(), session), document("_id", 2))
	var refused mongo.CommandError
	if !errors.As(err, &refused) || refused.Code != 20 {
		t.Errorf("transaction: %v, want code 20", err)
	}
}
