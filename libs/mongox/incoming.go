package mongox

import (
	"context"

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

// transfers is the collection of the one Incoming of a database.
const transfers = "transfers"

// ReadIncoming returns the copy begun in a database.
func ReadIncoming(ctx context.Context, db *mongo.Database) (i Incoming, err error) {
	err = db.Collection(transfers).FindOne(ctx, bson.D{{Key: "_id", Value: "incoming"}}).Decode(&i)
	if IsNoDocument(err) {
		return Incoming{}, nil
	}
	return i, Wrap("read transfer", err)
}

// WriteIncoming stores the copy begun in a database.
func WriteIncoming(ctx context.Context, db *mongo.Database, i Incoming) error {
	_, err := db.Collection(transfers).UpdateOne(ctx, bson.D{{Key: "_id", Value: "incoming"}},
		bson.D{{Key: "$set", Value: i}}, options.UpdateOne().SetUpsert(true))
	return Wrap("write transfer", err)
}
