// Package mongostore keeps organizations, events and records in MongoDB. It
// implements record.Store.
//
// One document is the unit of atomicity: every write is one conditional write
// of one document, and nothing rests on transactions, update pipelines, TTL or
// partial indexes. Numbers (seq, slot) are taken by inserting under a unique
// index: the highest plus one, tried again when somebody else was faster. They
// are never given back, so the highest only rises and there are no holes.
package mongostore

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// Store is a record.Store over one MongoDB database.
type Store struct {
	organizations *mongo.Collection
	events        *mongo.Collection
	records       *mongo.Collection
	history       *mongo.Collection
	keys          *mongo.Collection
	imports       *mongo.Collection
	parts         *mongo.Collection
	// What is deleted of each list, see fold: the numbers by block, and how many
	// they are.
	listSets   *mongo.Collection
	listCounts *mongo.Collection
	turns      turns
	sweepBatch int // how many marks a sweep reads at a time, at least
}

var _ record.Store = (*Store)(nil)

// New gives the store in db and sees to its indexes, which costs one command for each collection
// and changes nothing where they exist.
func New(ctx context.Context, db *mongo.Database) (*Store, error) {
	s := &Store{
		organizations: db.Collection("organizations"),
		events:        db.Collection("events"),
		records:       db.Collection("records"),
		history:       db.Collection("history"),
		keys:          db.Collection("idempotency_keys"),
		imports:       db.Collection("imports"),
		parts:         db.Collection("import_parts"),
		listSets:      db.Collection("list_sets"),
		listCounts:    db.Collection("list_counts"),
		sweepBatch:    256,
	}
	for _, c := range []struct {
		collection *mongo.Collection
		indexes    []mongo.IndexModel
	}{
		{s.events, []mongo.IndexModel{
			unique("slot", "org", "slot"),
			index("deleted", "org", "deleted", "slot"),
			index("unfolded", "org", "deleted", "folded"),
			index("marked", "mark", "org", "_id"),
		}},
		{s.records, []mongo.IndexModel{
			unique("seq", "org", "event", "type", "seq"),
			unique("reference", "org", "event", "type", "refKey"),
			// A page, and what it takes to know that it has not changed.
			index("page", "org", "event", "type", "deleted", "seq", "rev", "contextRev"),
			index("unfolded", "org", "event", "type", "deleted", "folded"),
			// The states of an event, and its review queue in order.
			index("status", "org", "event", "deleted", "status", "createdAt", "_id"),
			index("queue", "org", "deleted", "status", "createdAt", "_id"),
			index("marked", "org", "event", "mark"),
			index("sweep", "mark", "event", "org"),
		}},
		{s.history, []mongo.IndexModel{
			unique("rev", "org", "record", "rev"),
		}},
		{s.keys, []mongo.IndexModel{
			index("expiry", "org", "expiresAt"),
		}},
		{s.imports, []mongo.IndexModel{
			index("open", "open"),
		}},
		{s.parts, []mongo.IndexModel{
			unique("n", "org", "import", "n"),
		}},
	} {
		if _, err := c.collection.Indexes().CreateMany(ctx, c.indexes); err != nil {
			return nil, fmt.Errorf("create indexes of %s: %w", c.collection.Name(), err)
		}
	}
	return s, nil
}

func index(name string, fields ...string) mongo.IndexModel {
	return mongo.IndexModel{Keys: ascending(fields...), Options: options.Index().SetName(name)}
}

func unique(name string, fields ...string) mongo.IndexModel {
	return mongo.IndexModel{Keys: ascending(fields...), Options: options.Index().SetName(name).SetUnique(true)}
}

func ascending(fields ...string) bson.D {
	keys := make(bson.D, len(fields))
	for i, f := range fields {
		keys[i] = bson.E{Key: f, Value: 1}
	}
	return keys
}

// insert stores a document; it gives taken where a unique index refused it.
func insert(ctx context.Context, in *mongo.Collection, document any) (taken bool, err error) {
	// The driver may have sent the command before it looks at the context.
	if err := ctx.Err(); err != nil {
		return false, err
	}
	_, err = in.InsertOne(ctx, document)
	if mongox.IsDuplicate(err) {
		return true, nil
	}
	return false, err
}

// update changes the one document that filter matches, and says whether there
// was one.
func update(ctx context.Context, in *mongo.Collection, filter bson.D, change any) (matched bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	result, err := in.UpdateOne(ctx, filter, bson.D{{Key: "$set", Value: change}})
	if err != nil {
		return false, err
	}
	return result.MatchedCount == 1, nil
}

// mustMatch turns "nothing matched" into ErrConflict.
func mustMatch(verb string, matched bool, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	if !matched {
		return record.ErrConflict
	}
	return nil
}

// said adds to a failure of the engine what was being done.
func said(verb string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return nil
}

// one reads the document that filter matches and converts it; ErrNotFound.
func one[D, T any](ctx context.Context, in *mongo.Collection, verb string, filter bson.D, convert func(D) (T, error)) (T, error) {
	var document D
	var none T
	err := in.FindOne(ctx, filter).Decode(&document)
	if mongox.IsNoDocument(err) {
		return none, record.ErrNotFound
	}
	if err != nil {
		return none, said(verb, err)
	}
	value, err := convert(document)
	return value, said(verb, err)
}

// listBatch is how many documents one answer of the server may hold: all of a
// page or a segment, so that reading one is one command.
const listBatch = 1000

// list reads the documents that filter matches and converts them.
func list[D, T any](ctx context.Context, in *mongo.Collection, verb string, filter bson.D, convert func(D) (T, error), o *options.FindOptionsBuilder) ([]T, error) {
	cursor, err := in.Find(ctx, filter, o.SetBatchSize(listBatch))
	if err != nil {
		return nil, said(verb, err)
	}
	var documents []D
	if err := cursor.All(ctx, &documents); err != nil {
		return nil, said(verb, err)
	}
	var values []T
	for _, d := range documents {
		value, err := convert(d)
		if err != nil {
			return nil, said(verb, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// exists says whether a document matches.
func exists(ctx context.Context, in *mongo.Collection, filter bson.D) (bool, error) {
	err := in.FindOne(ctx, filter, options.FindOne().SetProjection(only("_id"))).Err()
	if mongox.IsNoDocument(err) {
		return false, nil
	}
	return err == nil, err
}

// only gives a projection of the fields named, so that an index that holds
// them answers without the documents.
func only(fields ...string) bson.D {
	p := bson.D{}
	id := false
	for _, f := range fields {
		p = append(p, bson.E{Key: f, Value: 1})
		id = id || f == "_id"
	}
	if !id {
		p = append(p, bson.E{Key: "_id", Value: 0})
	}
	return p
}

func eq(field string, value any) bson.E { return bson.E{Key: field, Value: value} }

func with(filter bson.D, more ...bson.E) bson.D {
	return append(append(bson.D{}, filter...), more...)
}

// pause waits a little longer with every attempt, or until ctx ends.
func pause(ctx context.Context, attempt int) error {
	timer := time.NewTimer(time.Duration(min(attempt, 25)) * 2 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
