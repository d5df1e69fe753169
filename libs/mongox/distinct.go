package mongox

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Distinct reads the different values that a field has in the documents that filter
// matches. Where the command failed, the driver's Decode says instead that nothing can
// be decoded ("unexpected EOF"), so the error is asked for first.
func Distinct[T any](ctx context.Context, in *mongo.Collection, field string, filter bson.D) ([]T, error) {
	answer := in.Distinct(ctx, field, filter)
	if err := answer.Err(); err != nil {
		return nil, err
	}
	var values []T
	err := answer.Decode(&values)
	return values, err
}
