package mongox

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Incoming identifies a copy of other data that was begun in a database.
type Incoming struct {
	// Source identifies the data: an interrupted copy is resumed only from the same data. It is empty if no copy was
	// begun.
	Source string `bson:"source"`
	Done   bool   `bson:"done"`
}

// incoming is the id of the one Incoming of a database, in the collection of versions, which every program reads at its
// start.
const incoming = "incoming copy"

// ErrIncoming is wrapped by the error for a database that has only a part of the data that are copied into it.
var ErrIncoming = errors.New("a copy of other data into the database was begun and is not finished, so only a part of them is here: " +
	"repeat the same ecf migrate or ecf restore, which completes it, or drop the database")

// ReadIncoming returns the copy begun in a database.
func ReadIncoming(ctx context.Context, db *mongo.Database) (i Incoming, err error) {
	err = db.Collection(versions).FindOne(ctx, bson.D{{Key: "_id", Value: incoming}}).Decode(&i)
	if IsNoDocument(err) {
		return Incoming{}, nil
	}
	return i, Wrap("read which copy was begun", err)
}

// WriteIncoming stores the copy begun in a database.
func WriteIncoming(ctx context.Context, db *mongo.Database, i Incoming) error {
	_, err := db.Collection(versions).UpdateOne(ctx, bson.D{{Key: "_id", Value: incoming}},
		bson.D{{Key: "$set", Value: i}}, options.UpdateOne().SetUpsert(true))
	return Wrap("write which copy was begun", err)
}

// CheckIncoming returns an error that wraps ErrIncoming if a copy begun in the database is not finished.
func CheckIncoming(ctx context.Context, db *mongo.Database) error {
	begun, err := ReadIncoming(ctx, db)
	if err == nil && begun.Source != "" && !begun.Done {
		return ErrIncoming
	}
	return err
}
