// Package mongostore stores organizations, events and records in MongoDB. It
// implements record.Store.
//
// One document is the unit of atomicity: every write is one conditional write
// of one document, without transactions or update pipelines. TTL and
// partial indexes are optimizations only. Numbers (seq, slot) are assigned by
// inserting under a unique index: the highest plus one, retried after a conflict. They
// are never reused, so the highest only rises and there are no gaps. The retry is at once:
// the refusal came when a majority had the number in the way, as did the acknowledgement
// of the process that took it, and a pause would let that process take the next one too.
package mongostore

import (
	"context"
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
	eventHistory  *mongo.Collection
	keys          *mongo.Collection
	imports       *mongo.Collection
	parts         *mongo.Collection
	suppliers     *mongo.Collection
	policies      *mongo.Collection
	packs         *mongo.Collection
	// Deleted numbers of each list, by block, and their counts; see compact.
	listSets   *mongo.Collection
	listCounts *mongo.Collection
	// How many records of each event are in each state, see tally.
	tallies    *mongo.Collection
	locks      locks
	sweepBatch int // how many marks a sweep reads at a time, at least
}

var _ record.Store = (*Store)(nil)

// New brings the schema of db up to date (see Schema) and returns the store in
// it.
func New(ctx context.Context, db *mongo.Database) (*Store, error) {
	if err := mongox.Up(ctx, db, Schema()...); err != nil {
		return nil, err
	}
	return Attach(db), nil
}

// Serve returns the store in a database for a service, and the names of the
// indexes that it misses, see mongox.Serve.
func Serve(ctx context.Context, db *mongo.Database) (s *Store, slow []string, err error) {
	slow, err = mongox.Serve(ctx, db, Schema(), Indexes())
	return Attach(db), slow, err
}

// Attach returns the store in a database whose schema is up to date. It contacts
// no server.
func Attach(db *mongo.Database) *Store {
	return &Store{
		organizations: db.Collection("organizations"),
		events:        db.Collection("events"),
		records:       db.Collection("records"),
		history:       db.Collection("history"),
		eventHistory:  db.Collection("event_history"),
		keys:          db.Collection("idempotency_keys"),
		imports:       db.Collection("imports"),
		parts:         db.Collection("import_parts"),
		suppliers:     db.Collection("supplier_factors"),
		policies:      db.Collection("policies"),
		packs:         db.Collection("factor_packs"),
		listSets:      db.Collection("list_sets"),
		listCounts:    db.Collection("list_counts"),
		tallies:       db.Collection("record_counts"),
		sweepBatch:    256,
	}
}

// volatile are the fields that another write may change right after an insert, so they do not identify the writer.
var volatile = []string{"everApproved", "mark", "untallied", "fence", "preview", "contribution", "contextRev"}

// insert stores a document; taken reports that a unique index rejected it.
func insert(ctx context.Context, in *mongo.Collection, document any) (taken bool, err error) {
	return mongox.Insert(ctx, in, document, volatile...)
}

// update changes the one document that filter matches, and reports whether there
// was one.
func update(ctx context.Context, in *mongo.Collection, filter bson.D, change any) (matched bool, err error) {
	return mongox.Update(ctx, in, filter, change, volatile...)
}

// bulkWrite runs writes that may each be repeated, in no order, under the bound of a
// batch.
func bulkWrite(ctx context.Context, in *mongo.Collection, writes []mongo.WriteModel) error {
	ctx, cancel := mongox.Batch(ctx)
	defer cancel()
	_, err := mongox.Repeat(ctx, func() error {
		_, err := in.BulkWrite(ctx, writes, options.BulkWrite().SetOrdered(false))
		return err
	})
	return err
}

// mustMatch returns ErrConflict where nothing matched.
func mustMatch(verb string, matched bool, err error) error {
	if err != nil {
		return mongox.Wrap(verb, err)
	}
	if !matched {
		return record.ErrConflict
	}
	return nil
}

// one reads the document that filter matches and converts it; ErrNotFound.
func one[D, T any](ctx context.Context, in *mongo.Collection, verb string, filter bson.D, convert func(D) (T, error)) (T, error) {
	var document D
	var none T
	text, err := in.FindOne(ctx, filter).Raw()
	if mongox.IsNoDocument(err) {
		return none, record.ErrNotFound
	}
	if err != nil {
		return none, mongox.Wrap(verb, err)
	}
	if err := bson.Unmarshal(text, &document); err != nil {
		return none, mongox.Wrap(verb, record.Damaged(err))
	}
	value, err := convert(document)
	return value, mongox.Wrap(verb, record.Damaged(err))
}

// listBatch is the batch size of a cursor: a page or a segment is read with one command.
const listBatch = 1000

// list reads the documents that filter matches and converts them.
func list[D, T any](ctx context.Context, in *mongo.Collection, verb string, filter bson.D, convert func(D) (T, error), o *options.FindOptionsBuilder) ([]T, error) {
	cursor, err := in.Find(ctx, filter, o.SetBatchSize(listBatch))
	if err != nil {
		return nil, mongox.Wrap(verb, err)
	}
	var documents []D
	if err := cursor.All(ctx, &documents); err != nil {
		return nil, mongox.Wrap(verb, err)
	}
	var values []T
	for _, d := range documents {
		value, err := convert(d)
		if err != nil {
			return nil, mongox.Wrap(verb, record.Damaged(err))
		}
		values = append(values, value)
	}
	return values, nil
}

// listUpTo is list up to the document with which their sizes exceed most bytes.
func listUpTo[D, T any](ctx context.Context, in *mongo.Collection, verb string, most int, filter bson.D, convert func(D) (T, error), o *options.FindOptionsBuilder) ([]T, error) {
	cursor, err := in.Find(ctx, filter, o.SetBatchSize(listBatch))
	if err != nil {
		return nil, mongox.Wrap(verb, err)
	}
	defer cursor.Close(context.WithoutCancel(ctx)) //nolint:errcheck // all that is needed has been read
	var values []T
	for whole := 0; whole <= most && cursor.Next(ctx); {
		var document D
		if err := cursor.Decode(&document); err != nil {
			return nil, mongox.Wrap(verb, record.Damaged(err))
		}
		value, err := convert(document)
		if err != nil {
			return nil, mongox.Wrap(verb, record.Damaged(err))
		}
		values = append(values, value)
		whole += len(cursor.Current)
	}
	return values, mongox.Wrap(verb, cursor.Err())
}

// exists reports whether a document matches.
func exists(ctx context.Context, in *mongo.Collection, filter bson.D) (bool, error) {
	err := in.FindOne(ctx, filter, options.FindOne().SetProjection(only("_id"))).Err()
	if mongox.IsNoDocument(err) {
		return false, nil
	}
	return err == nil, err
}

// only returns a projection of the named fields, so that a covering index suffices.
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
	return record.Pause(ctx, time.Duration(min(attempt, 25))*2*time.Millisecond)
}
