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

// keyDoc is a record.KeyEntry.
type keyDoc struct {
	ID    string   `bson:"_id"`
	Org   string   `bson:"org"`
	State keyState `bson:",inline"`
}

// keyState holds the fields of an entry that a replacement stores. A status of 0 means no response.
type keyState struct {
	Digest     string        `bson:"digest"`
	Seed       string        `bson:"seed"`
	Lease      string        `bson:"lease"`
	LeaseUntil bson.DateTime `bson:"leaseUntil"`
	ExpiresAt  bson.DateTime `bson:"expiresAt"`
	Status     int32         `bson:"status"`
	ETag       string        `bson:"etag"`
	Location   string        `bson:"location"`
	Body       []byte        `bson:"body"`
	Note       string        `bson:"note,omitempty"`
}

func keyStateOf(e record.KeyEntry) keyState {
	d := keyState{
		Digest: e.Digest, Seed: e.Seed, Lease: e.Lease, LeaseUntil: date(e.LeaseUntil), ExpiresAt: date(e.ExpiresAt), Body: []byte{},
	}
	if a := e.Answer; a != nil {
		d.Status, d.ETag, d.Location, d.Body, d.Note = int32(a.Status), a.ETag, a.Location, a.Body, a.Note //nolint:gosec // a status has three digits
	}
	return d
}

func keyFromDoc(d keyDoc) (record.KeyEntry, error) {
	s := d.State
	e := record.KeyEntry{
		ID: d.ID, Digest: s.Digest, Seed: s.Seed, Lease: s.Lease, LeaseUntil: instant(s.LeaseUntil), ExpiresAt: instant(s.ExpiresAt),
	}
	if s.Status != 0 {
		e.Answer = &record.KeyAnswer{Status: int(s.Status), ETag: s.ETag, Location: s.Location, Body: s.Body, Note: s.Note}
	}
	return e, nil
}

// InsertKey implements record.Keys.
func (s *Store) InsertKey(ctx context.Context, org record.OrgID, e record.KeyEntry) (record.KeyEntry, bool, error) {
	const verb = "insert idempotency key"
	for attempt := 0; ; attempt++ {
		taken, err := insert(ctx, s.keys, keyDoc{ID: e.ID, Org: string(org), State: keyStateOf(e)})
		if err != nil {
			return record.KeyEntry{}, false, mongox.Wrap(verb, err)
		}
		if !taken {
			return e, true, nil
		}
		all, err := list(ctx, s.keys, verb, bson.D{eq("_id", e.ID), eq("org", org)}, keyFromDoc, options.Find().SetLimit(1))
		if err != nil {
			return record.KeyEntry{}, false, err
		}
		if len(all) == 1 {
			return all[0], false, nil
		}
		// It was deleted in between.
		if err := pause(ctx, attempt); err != nil {
			return record.KeyEntry{}, false, mongox.Wrap(verb, err)
		}
	}
}

// ReplaceKey implements record.Keys.
func (s *Store) ReplaceKey(ctx context.Context, org record.OrgID, e record.KeyEntry, lease string) (bool, error) {
	matched, err := update(ctx, s.keys, bson.D{eq("_id", e.ID), eq("org", org), eq("lease", lease)}, keyStateOf(e))
	return matched, mongox.Wrap("replace idempotency key", err)
}

// DeleteKey implements record.Keys.
func (s *Store) DeleteKey(ctx context.Context, org record.OrgID, id, lease string) error {
	if err := ctx.Err(); err != nil {
		return mongox.Wrap("delete idempotency key", err)
	}
	_, err := mongox.Repeat(ctx, func() error {
		_, err := s.keys.DeleteOne(ctx, bson.D{eq("_id", id), eq("org", org), eq("lease", lease)})
		return err
	})
	return mongox.Wrap("delete idempotency key", err)
}

// DropExpiredKeys implements record.Keys.
func (s *Store) DropExpiredKeys(ctx context.Context, org record.OrgID, now time.Time, limit int) error {
	const verb = "drop expired idempotency keys"
	if limit <= 0 { // to the server, 0 is no limit
		return ctx.Err()
	}
	due := bson.D{eq("org", org), eq("expiresAt", bson.D{eq("$lte", date(now))})}
	names, err := list(ctx, s.keys, verb, due, func(d struct {
		ID string `bson:"_id"`
	}) (string, error) {
		return d.ID, nil
	}, options.Find().SetSort(bson.D{eq("expiresAt", 1)}).SetLimit(int64(limit)).SetProjection(only("_id")))
	if err != nil || len(names) == 0 {
		return err
	}
	// An entry may have been renewed meanwhile, so it is no longer expired.
	return mongox.Wrap(verb, bulkWrite(ctx, s.keys, []mongo.WriteModel{
		mongo.NewDeleteManyModel().SetFilter(with(due, eq("_id", bson.D{eq("$in", names)}))),
	}))
}
