package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
)

// highest gives the highest number stored under filter, 0 where there is none.
func highest(ctx context.Context, in *mongo.Collection, filter bson.D, number string) (int64, error) {
	raw, err := in.FindOne(ctx, filter, options.FindOne().
		SetSort(bson.D{{Key: number, Value: -1}}).SetProjection(only(number))).Raw()
	if mongox.IsNoDocument(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return numberIn(raw, number)
}

func numberIn(raw bson.Raw, number string) (int64, error) {
	n, ok := raw.Lookup(number).AsInt64OK()
	if !ok {
		return 0, fmt.Errorf("a document has no %s", number)
	}
	return n, nil
}

// layout gives the highest number stored under filter and the numbers of the
// deleted documents, ascending, as of one moment.
//
// No single read gives both, and not even a long list is read at one moment.
// But numbers and deletions only ever grow. So: list the deletions, read the
// highest number, count the deletions. Where the count is still that of the
// list, the list was complete all that time, and so when the highest number
// was read. Otherwise something was deleted meanwhile, and it is done again.
func layout(ctx context.Context, in *mongo.Collection, filter bson.D, number string) (top int64, deleted []int64, err error) {
	gone := with(filter, eq("deleted", true))
	for attempt := 0; ; attempt++ {
		if deleted, err = list(ctx, in, "list deleted", gone, func(raw bson.Raw) (int64, error) { return numberIn(raw, number) },
			options.Find().SetSort(bson.D{{Key: number, Value: 1}}).SetProjection(only(number))); err != nil {
			return 0, nil, err
		}
		if top, err = highest(ctx, in, filter, number); err != nil {
			return 0, nil, err
		}
		n, err := in.CountDocuments(ctx, gone)
		if err != nil {
			return 0, nil, err
		}
		if n == int64(len(deleted)) {
			return top, deleted, nil
		}
		if err := pause(ctx, attempt); err != nil {
			return 0, nil, err
		}
	}
}
