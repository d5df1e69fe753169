package mongox

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Distinct reads the distinct values of a field in the documents that filter matches. If the command failed, the
// driver's Decode only reports that nothing can be decoded ("unexpected EOF"), so the error is checked first.
func Distinct[T any](ctx context.Context, in *mongo.Collection, field string, filter bson.D) ([]T, error) {
	answer := in.Distinct(ctx, field, filter)
	if err := answer.Err(); err != nil {
		return nil, err
	}
	var values []T
	err := answer.Decode(&values)
	return values, err
}
