package mongox

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Owned selects the documents of one owner, whom collections name in a field that has the same name in all of them.
// The collections are those of the database, so that none can be forgotten.
type Owned struct {
	// Field has the owner, in the collections that have such a field. It begins an index of each of them, or the ids
	// of their documents are the owner, or begin with it and a slash.
	Field string
	// ByID are the collections whose _id is the owner, and that lack the field.
	ByID []string
	// Owner is the value.
	Owner string
}

// Count returns the number of documents of the owner in each collection that has any.
func (o Owned) Count(ctx context.Context, db *mongo.Database) (map[string]int64, error) {
	counts := map[string]int64{}
	return counts, o.each(ctx, db, nil, func(in *mongo.Collection, filter bson.D) error {
		ctx, cancel := Batch(ctx)
		defer cancel()
		n, err := in.CountDocuments(ctx, filter)
		if n > 0 {
			counts[in.Name()] = n
		}
		return Wrap("count documents of "+in.Name(), err)
	})
}

// Check returns an error unless Remove is permitted in every collection. It removes nothing.
func (o Owned) Check(ctx context.Context, db *mongo.Database) error {
	return o.each(ctx, db, nil, func(in *mongo.Collection, filter bson.D) error {
		nothing := append(bson.D{{Key: "$nor", Value: bson.A{bson.D{}}}}, filter...)
		_, err := in.DeleteMany(ctx, nothing)
		return Wrap("remove documents of "+in.Name(), err)
	})
}

// Remove removes the documents of the owner in batches, those of the collections named first before all others, and
// returns their number in each collection that had any. It can be interrupted and repeated.
func (o Owned) Remove(ctx context.Context, db *mongo.Database, first ...string) (map[string]int64, error) {
	removed := map[string]int64{}
	return removed, o.each(ctx, db, first, func(in *mongo.Collection, filter bson.D) error {
		n, err := Purge(ctx, in, filter)
		if n > 0 {
			removed[in.Name()] += n
		}
		return Wrap("remove documents of "+in.Name(), err)
	})
}

// each calls do for every collection that may have documents of the owner, with their filter.
func (o Owned) each(ctx context.Context, db *mongo.Database, first []string, do func(*mongo.Collection, bson.D) error) error {
	names, err := db.ListCollectionNames(ctx, bson.D{{Key: "type", Value: "collection"}})
	if err != nil {
		return Wrap("list collections", err)
	}
	rank := func(name string) int {
		if at := slices.Index(first, name); at >= 0 {
			return at
		}
		return len(first)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		if strings.HasPrefix(name, "system.") {
			continue
		}
		in := db.Collection(name)
		filter, err := o.filter(ctx, in)
		if err != nil {
			return Wrap("list indexes of "+name, err)
		}
		if err := do(in, filter); err != nil {
			return err
		}
	}
	return nil
}

// filter returns the filter for the documents of the owner in a collection. An index serves it, and it has the field,
// which is the shard key or begins it.
func (o Owned) filter(ctx context.Context, in *mongo.Collection) (bson.D, error) {
	if slices.Contains(o.ByID, in.Name()) {
		return bson.D{{Key: "_id", Value: o.Owner}}, nil
	}
	owned := bson.D{{Key: o.Field, Value: o.Owner}}
	cursor, err := in.Indexes().List(ctx, options.ListIndexes())
	if err != nil {
		return nil, err
	}
	var indexes []bson.Raw
	if err := cursor.All(ctx, &indexes); err != nil {
		return nil, err
	}
	for _, index := range indexes {
		keys, ok := index.Lookup("key").DocumentOK()
		if _, partial := index.Lookup("partialFilterExpression").DocumentOK(); !ok || partial {
			continue
		}
		if all, err := keys.Elements(); err == nil && len(all) > 0 && all[0].Key() == o.Field {
			return owned, nil
		}
	}
	const afterSlash = "0"
	return append(owned, bson.E{Key: "_id", Value: bson.D{{Key: "$gte", Value: o.Owner}, {Key: "$lt", Value: o.Owner + afterSlash}}}), nil
}
