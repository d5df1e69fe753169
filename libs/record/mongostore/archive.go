package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/record"
)

// EventsAfter implements record.Archive.
func (s *Store) EventsAfter(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.Event, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, ctx.Err()
	}
	return list(ctx, s.events, "read all events", bson.D{eq("org", org), above("slot", after)}, eventFromDoc,
		options.Find().SetSort(bson.D{eq("slot", 1)}).SetLimit(int64(limit)))
}

// KeysAfter implements record.Archive.
func (s *Store) KeysAfter(ctx context.Context, org record.OrgID, after string, limit int) ([]record.KeyEntry, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	return list(ctx, s.keys, "read all idempotency keys", bson.D{eq("org", org), above("_id", after)}, keyFromDoc,
		options.Find().SetSort(bson.D{eq("_id", 1)}).SetLimit(int64(limit)))
}

// ImportsAfter implements record.Archive.
func (s *Store) ImportsAfter(ctx context.Context, org record.OrgID, after string, limit int) ([]record.Import, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	return list(ctx, s.imports, "read all imports", bson.D{eq("org", org), above("_id", after)}, importFromDoc,
		options.Find().SetSort(bson.D{eq("_id", 1)}).SetLimit(int64(limit)))
}
