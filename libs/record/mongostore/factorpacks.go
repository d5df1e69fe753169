package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// packDoc is a record.FactorPack.
type packDoc struct {
	ID       string `bson:"_id"`
	Checksum string `bson:"checksum"`
	AddedAt  int64  `bson:"addedAt"`
	Document string `bson:"document"`
}

// packIndexes find the packs in the order in which they were added.
func packIndexes() []mongox.Index {
	return []mongox.Index{index("factor_packs", "added", "addedAt", "_id")}
}

// InsertFactorPack implements record.FactorPacks.
func (s *Store) InsertFactorPack(ctx context.Context, p record.FactorPack) error {
	taken, err := insert(ctx, s.packs, packDoc{p.ID, p.Checksum, p.AddedAt.UnixMilli(), string(p.Document)})
	if taken {
		return record.ErrDuplicate
	}
	return mongox.Wrap("insert factor pack", err)
}

// FactorPack implements record.FactorPacks.
func (s *Store) FactorPack(ctx context.Context, id string) (record.FactorPack, error) {
	return one(ctx, s.packs, "read factor pack", bson.D{eq("_id", id)}, func(d packDoc) (record.FactorPack, error) {
		return record.FactorPack{ID: d.ID, Checksum: d.Checksum, AddedAt: time.UnixMilli(d.AddedAt).UTC(), Document: []byte(d.Document)}, nil
	})
}

// FactorPackIDs implements record.FactorPacks.
func (s *Store) FactorPackIDs(ctx context.Context) ([]string, error) {
	return list(ctx, s.packs, "list factor packs", bson.D{}, func(d packDoc) (string, error) { return d.ID, nil },
		options.Find().SetSort(bson.D{eq("addedAt", -1), eq("_id", -1)}).SetProjection(bson.D{eq("_id", 1)}))
}
