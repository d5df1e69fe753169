package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// These tests specify what stores may use. All but the last also pass on a real server
// (set ECF_MONGODB_URI); the last lists what is refused here.

// document returns an ordered document of keys and values.
func document(pairs ...any) bson.D {
	d := bson.D{}
	for i := 0; i < len(pairs); i += 2 {
		d = append(d, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return d
}

func TestValuesComeBackAsTheyWent(t *testing.T) {
	t.Parallel()
	items := database(t).Collection("items")
	want := document("_id", "a",
		"max", int64(math.MaxInt64), "min", int64(math.MinInt64), "beyondFloat", int64(1)<<53+1,
		"int32", int32(7), "double", 1.5, "bool", true, "null", nil,
		"binary", []byte{0, 1, 255}, "uuid", bson.Binary{Subtype: 4, Data: make([]byte, 16)},
		"text", "é\u0000ü😀<>&\"\\/", "decimalText", "340282366920938463463374607431768211456",
		"time", time.UnixMilli(1_700_000_000_123), "objectID", bson.NewObjectID(),
		"array", bson.A{int32(1), int64(2), "x", document("y", bson.A{int32(1)})},
		"empty", bson.D{}, "emptyArray", bson.A{}, "nested", document("b", document("c", int64(3))))
	if _, err := items.InsertOne(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := items.FindOne(t.Context(), bson.M{"_id": "a"}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := bson.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != bson.Raw(raw).String() {
		t.Errorf("stored %v\n  read %v", bson.Raw(raw), got)
	}
}

func TestUpdateOperators(t *testing.T) {
	t.Parallel()
	items := database(t).Collection("items")
	for _, test := range []struct {
		name     string
		start    bson.D
		filter   bson.D
		update   bson.D
		modified int64
		want     bson.D
	}{
		{"set and inc", document("n", int64(1)), nil, document("$set", document("s", "x"), "$inc", document("n", int64(2))), 1, document("n", int64(3), "s", "x")},
		{"set a path", document("p", document("q", 1)), nil, document("$set", document("p.r", 2)), 1, document("p", document("q", 1, "r", 2))},
		{"set what is there", document("n", 1), nil, document("$set", document("n", 1)), 0, document("n", 1)},
		{"set null", document("n", 1), nil, document("$set", document("n", nil)), 1, document("n", nil)},
		{"unset", document("n", 1, "m", 2), nil, document("$unset", document("n", "")), 1, document("m", 2)},
		{"unset a path", document("p", document("q", 1, "r", 2)), nil, document("$unset", document("p.q", "")), 1, document("p", document("r", 2))},
		{"push", document("h", bson.A{1}), nil, document("$push", document("h", document("at", 2))), 1, document("h", bson.A{1, document("at", 2)})},
		{"push several", document("h", bson.A{1}), nil, document("$push", document("h", document("$each", bson.A{2, 3}))), 1, document("h", bson.A{1, 2, 3})},
		{"push to nothing", document(), nil, document("$push", document("h", 1)), 1, document("h", bson.A{1})},
		{"pull a value", document("h", bson.A{1, 2, 1}), nil, document("$pull", document("h", 1)), 1, document("h", bson.A{2})},
		{"addToSet", document("h", bson.A{1, 2}), nil, document("$addToSet", document("h", document("$each", bson.A{2, 3}))), 1, document("h", bson.A{1, 2, 3})},
		{"max", document("n", int64(5)), nil, document("$max", document("n", int64(4))), 0, document("n", int64(5))},
		{"setOnInsert without an insert", document("n", 1), nil, document("$setOnInsert", document("m", 1)), 0, document("n", 1)},
		{"element by number", document("h", bson.A{document("x", 1)}), nil, document("$set", document("h.0.x", 2)), 1, document("h", bson.A{document("x", 2)})},
		{"condition holds", document("rev", int64(3), "state", "draft"), document("rev", int64(3), "state", document("$in", bson.A{"draft", "rejected"})), document("$inc", document("rev", int64(1))), 1, document("rev", int64(4), "state", "draft")},
		{"condition fails", document("rev", int64(3)), document("rev", int64(2)), document("$inc", document("rev", int64(1))), 0, document("rev", int64(3))},
		{"condition on a missing field", document("rev", int64(3)), document("mark", nil), document("$set", document("mark", "m")), 1, document("rev", int64(3), "mark", "m")},
		{"condition of another type", document("rev", "3"), document("rev", document("$lt", 9)), document("$set", document("z", 1)), 0, document("rev", "3")},
	} {
		t.Run(test.name, func(t *testing.T) {
			id := bson.NewObjectID()
			if _, err := items.InsertOne(t.Context(), append(document("_id", id), test.start...)); err != nil {
				t.Fatal(err)
			}
			res, err := items.UpdateOne(t.Context(), append(document("_id", id), test.filter...), test.update)
			if err != nil {
				t.Fatal(err)
			}
			if res.ModifiedCount != test.modified {
				t.Errorf("modified %d, want %d", res.ModifiedCount, test.modified)
			}
			got, err := items.FindOne(t.Context(), bson.M{"_id": id}).Raw()
			if err != nil {
				t.Fatal(err)
			}
			want, err := bson.Marshal(append(document("_id", id), test.want...))
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != bson.Raw(want).String() {
				t.Errorf("got  %v\nwant %v", got, bson.Raw(want))
			}
		})
	}
}

func TestReplaceAndFindAndModify(t *testing.T) {
	t.Parallel()
	items := database(t).Collection("items")
	if _, err := items.InsertMany(t.Context(), []any{
		document("_id", "a", "o", "x", "n", 1), document("_id", "b", "o", "x", "n", 2),
	}); err != nil {
		t.Fatal(err)
	}
	res, err := items.ReplaceOne(t.Context(), document("_id", "a", "n", 9), document("m", 1))
	if err != nil || res.MatchedCount != 0 {
		t.Errorf("replace under a condition that fails: %+v, %v", res, err)
	}
	res, err = items.ReplaceOne(t.Context(), document("_id", "a", "n", 1), document("o", "x", "n", 3))
	if err != nil || res.ModifiedCount != 1 {
		t.Errorf("replace under a condition that holds: %+v, %v", res, err)
	}

	var got struct {
		ID string `bson:"_id"`
		N  int
		K  int
	}
	err = items.FindOneAndUpdate(t.Context(), document("o", "x"), document("$set", document("k", 1)),
		options.FindOneAndUpdate().SetSort(document("n", -1)).SetReturnDocument(options.After)).Decode(&got)
	if err != nil || got.ID != "a" || got.N != 3 || got.K != 1 {
		t.Errorf("find the first by sort and update: %+v, %v", got, err)
	}
	err = items.FindOneAndUpdate(t.Context(), document("o", "none"), document("$set", document("k", 1))).Err()
	if !errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("find none and update: %v", err)
	}
	err = items.FindOneAndUpdate(t.Context(), document("_id", "new"), document("$inc", document("n", 1), "$setOnInsert", document("k", 7)),
		options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)).Decode(&got)
	if err != nil || got.ID != "new" || got.N != 1 || got.K != 7 {
		t.Errorf("insert by findOneAndUpdate: %+v, %v", got, err)
	}
	err = items.FindOneAndDelete(t.Context(), document("_id", "new")).Decode(&got)
	if err != nil || got.ID != "new" {
		t.Errorf("find and delete: %+v, %v", got, err)
	}
}

// page reads the ids of a query in order.
func page(t *testing.T, c *mongo.Collection, filter bson.D, o *options.FindOptionsBuilder) []string {
	t.Helper()
	cursor, err := c.Find(t.Context(), filter, o)
	if err != nil {
		t.Fatal(err)
	}
	var found []struct {
		ID string `bson:"_id"`
	}
	if err := cursor.All(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	return ids
}

func TestQueries(t *testing.T) {
	t.Parallel()
	items := database(t).Collection("items")
	var all []any
	for i := range 26 {
		all = append(all, document("_id", string(rune('a'+i)), "org", string(rune('A'+i%2)), "seq", int64(i), "day", time.UnixMilli(int64(i/4)), "sub", document("k", i%3)))
	}
	if _, err := items.InsertMany(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	find := options.Find
	for _, test := range []struct {
		name   string
		filter bson.D
		with   *options.FindOptionsBuilder
		want   string
	}{
		{"range up", document("org", "A", "seq", document("$gt", int64(3), "$lte", int64(12))), find().SetSort(document("seq", 1)), "egikm"},
		{"range down with limit", document("org", "B", "seq", document("$lt", int64(20))), find().SetSort(document("seq", -1)).SetLimit(3), "trp"},
		{"range of texts", document("_id", document("$gte", "b", "$lt", "e")), find().SetSort(document("_id", 1)), "bcd"},
		{"in", document("seq", document("$in", bson.A{int64(1), 2, int64(30)})), find().SetSort(document("_id", 1)), "bc"},
		{"not in", document("seq", document("$nin", bson.A{int64(1), 2}, "$lt", 5)), find().SetSort(document("_id", 1)), "ade"},
		{"sort by two", document("seq", document("$lt", int64(6))), find().SetSort(document("sub.k", 1, "seq", -1)), "daebfc"},
		{"skip", document(), find().SetSort(document("seq", 1)).SetSkip(24), "yz"},
		{"exists", document("sub", document("$exists", true), "none", document("$exists", false), "seq", document("$gte", int64(25))), find(), "z"},
		{"or", document("$or", bson.A{document("seq", int64(3)), document("sub.k", 2, "seq", document("$lt", int64(4)))}), find().SetSort(document("_id", 1)), "cd"},
		{"keyset of two", document("org", "A", "$or", bson.A{
			document("day", document("$lt", time.UnixMilli(3))),
			document("day", time.UnixMilli(3), "_id", document("$lt", "o")),
		}), find().SetSort(document("day", -1, "_id", -1)).SetLimit(4), "mkig"},
		{"hint", document("org", "A", "seq", document("$lt", int64(3))), find().SetHint("_id_").SetSort(document("seq", 1)), "ac"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(page(t, items, test.filter, test.with), ""); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}

	if n, err := items.CountDocuments(t.Context(), document("org", "A", "seq", document("$gte", int64(10)))); err != nil || n != 8 {
		t.Errorf("count: %d, %v; want 8", n, err)
	}
	var orgs []string
	if err := items.Distinct(t.Context(), "org", document()).Decode(&orgs); err != nil {
		t.Errorf("distinct: %v", err)
	}
	if slices.Sort(orgs); !slices.Equal(orgs, []string{"A", "B"}) {
		t.Errorf("distinct: %v", orgs)
	}
	var some bson.D
	err := items.FindOne(t.Context(), document("_id", "d"), options.FindOne().SetProjection(document("_id", 0, "seq", 1, "sub.k", 1))).Decode(&some)
	if want := document("seq", int64(3), "sub", document("k", int32(0))); err != nil || !slices.EqualFunc(some, want, func(a, b bson.E) bool { return a.Key == b.Key }) {
		t.Errorf("projection: %v, %v", some, err)
	}
}

func TestAggregations(t *testing.T) {
	t.Parallel()
	items := database(t).Collection("items")
	var all []any
	for i := range 9 {
		all = append(all, document("_id", i, "o", "x", "state", string(rune('a'+i%2)), "type", i%3, "n", int64(i)))
	}
	if _, err := items.InsertMany(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		pipeline mongo.Pipeline
		want     string
	}{
		{"count by state", mongo.Pipeline{
			document("$match", document("o", "x")),
			document("$group", document("_id", "$state", "n", document("$sum", 1))),
			document("$sort", document("_id", 1)),
		}, "a 5, b 4"},
		{"sum by two fields", mongo.Pipeline{
			document("$group", document("_id", document("s", "$state", "t", "$type"), "n", document("$sum", "$n"))),
			document("$sort", document("_id.s", 1, "_id.t", 1)), document("$limit", 2),
		}, `{"s": "a","t": {"$numberInt":"0"}} 6, {"s": "a","t": {"$numberInt":"1"}} 4`},
	} {
		t.Run(test.name, func(t *testing.T) {
			cursor, err := items.Aggregate(t.Context(), test.pipeline)
			if err != nil {
				t.Fatal(err)
			}
			var rows []struct {
				ID bson.RawValue `bson:"_id"`
				N  int64
			}
			if err := cursor.All(t.Context(), &rows); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range rows {
				id, ok := row.ID.StringValueOK()
				if !ok {
					id = row.ID.String()
				}
				got = append(got, id+" "+string(rune('0'+row.N)))
			}
			if joined := strings.Join(got, ", "); joined != test.want {
				t.Errorf("got %s, want %s", joined, test.want)
			}
		})
	}
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
