package testkit

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/mongox"
)

func TestWhichIndexServes(t *testing.T) {
	t.Parallel()
	is := func(field string, value any) bson.E { return bson.E{Key: field, Value: value} }
	among := func(values ...any) bson.E { return is("status", bson.D{is("$in", bson.A(values))}) }
	indexes := []mongox.Index{
		{Collection: "records", Name: "number", Keys: mongox.Ascending("org", "event", "seq")},
		{Collection: "records", Name: "open", Keys: mongox.Ascending("org", "event", "deleted", "status", "createdAt"),
			Only: bson.D{is("deleted", false), among("draft", "submitted", "returned")}},
		{Collection: "records", Name: "marked", Keys: mongox.Ascending("mark", "org"), Only: bson.D{is("mark", bson.D{is("$gt", "")})}},
		{Collection: "records", Name: "reference", Unique: true, Keys: mongox.Ascending("org", "ref")},
	}
	byTime, bySeq := bson.D{is("createdAt", -1)}, bson.D{is("seq", 1)}
	open := bson.D{is("org", "o"), is("event", "e"), is("deleted", false)}
	with := func(more ...bson.E) bson.D { return append(append(bson.D{}, open...), more...) }
	for name, c := range map[string]struct {
		condition, order bson.D
		want             string
	}{
		"an id":                         {bson.D{is("_id", "r"), is("org", "o")}, nil, ""},
		"numbers in order":              {bson.D{is("org", "o"), is("event", "e"), is("seq", bson.D{is("$gte", 1)})}, bySeq, ""},
		"a unique value":                {bson.D{is("org", "o"), is("ref", "r"), is("name", "x")}, nil, ""},
		"another order":                 {bson.D{is("org", "o"), is("event", "e")}, bson.D{is("name", 1)}, "number leaves the order"},
		"after a range":                 {bson.D{is("org", "o"), is("event", bson.D{is("$gt", "e")})}, bySeq, "number leaves the order"},
		"a field that no key has":       {bson.D{is("org", "o"), is("event", "e"), is("name", "x")}, nil, "number leaves name"},
		"no field of any index":         {bson.D{is("name", "x")}, nil, "it reads the collection"},
		"the list of the partial index": {with(among("draft", "submitted", "returned")), byTime, ""},
		"one value of it":               {with(is("status", "draft")), byTime, ""},
		"some values of it":             {with(among("draft", "returned")), byTime, "number leaves the order, deleted, status"},
		"its list without some values":  {with(is("status", bson.D{is("$in", bson.A{"draft", "submitted", "returned"}), is("$nin", bson.A{"submitted"})})), byTime, ""},
		"marked":                        {bson.D{is("mark", bson.D{is("$gt", "")})}, bson.D{is("mark", 1)}, ""},
		"a mark":                        {bson.D{is("mark", "m"), is("org", "o")}, nil, ""},
		"no mark":                       {bson.D{is("mark", "")}, nil, "it reads the collection"},
	} {
		q := mongoQuery{fields: map[string]bson.D{}, order: c.order}
		q.add(c.condition)
		if got := q.fault("records", indexes); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
