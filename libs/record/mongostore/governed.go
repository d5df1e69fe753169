package mongostore

import (
	"context"
	"encoding/json"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// fenceIs is the condition on a record's fence, which is absent where it is 0.
func fenceIs(fence int64) bson.E {
	if fence == 0 {
		return eq("fence", bson.D{eq("$exists", false)})
	}
	return eq("fence", fence)
}

// CurrentEvent implements record.Gates: a linearizable read, which confirms
// with a majority that the member asked is still the primary.
func (s *Store) CurrentEvent(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	events := s.events.Clone(options.Collection().SetReadConcern(readconcern.Linearizable()))
	return one(ctx, events, "read event", bson.D{eq("_id", id), eq("org", org), eq("deleted", false)}, eventFromDoc)
}

// SetEverApproved implements record.Gates.
func (s *Store) SetEverApproved(ctx context.Context, org record.OrgID, id record.EventID) error {
	matched, err := mongox.Update(ctx, s.events, bson.D{eq("_id", id), eq("org", org)}, bson.D{eq("everApproved", true)})
	if err == nil && !matched {
		return record.ErrNotFound
	}
	return mongox.Wrap("govern event", err)
}

// Fence implements record.Gates: one command for records without a fence and
// one for those with a lower one.
func (s *Store) Fence(ctx context.Context, org record.OrgID, sub record.Sub, from, to, epoch int64) error {
	seqs, most := between(from, to)
	if most == 0 {
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	fence := bson.D{eq("$set", bson.D{eq("fence", epoch)})}
	updates := []mongo.WriteModel{
		mongo.NewUpdateManyModel().SetFilter(with(within(org, sub), eq("seq", seqs), fenceIs(0))).SetUpdate(fence),
		mongo.NewUpdateManyModel().SetFilter(with(within(org, sub), eq("seq", seqs), eq("fence", bson.D{eq("$lt", epoch)}))).SetUpdate(fence),
	}
	return mongox.Wrap("fence records", bulkWrite(ctx, s.records, updates))
}

// ClosingEvents implements record.Gates.
func (s *Store) ClosingEvents(ctx context.Context, limit int) ([]record.EventRef, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, ctx.Err()
	}
	return list(ctx, s.events, "read closing events", bson.D{eq("gateState", record.GateClosing)},
		func(d sweepDoc) (record.EventRef, error) {
			return record.EventRef{Org: record.OrgID(d.Org), Event: record.EventID(d.ID)}, nil
		}, options.Find().SetSort(bson.D{eq("_id", 1)}).SetLimit(int64(limit)).SetProjection(only("_id", "org")))
}

// eventEntryDoc is a record.EventEntry stored separately from its event.
type eventEntryDoc struct {
	Org   string `bson:"org"`
	Event string `bson:"event"`
	Rev   int64  `bson:"rev"`
	Entry string `bson:"entry"` // JSON
}

// InsertEventEntry implements record.Gates.
func (s *Store) InsertEventEntry(ctx context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return mongox.Wrap("insert event history entry", err)
	}
	_, err = insert(ctx, s.eventHistory, eventEntryDoc{Org: string(org), Event: string(id), Rev: e.Rev, Entry: string(text)})
	return mongox.Wrap("insert event history entry", err)
}

// EventEntries implements record.Gates.
func (s *Store) EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error) {
	revs, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	return list(ctx, s.eventHistory, "read event history", bson.D{eq("org", org), eq("event", id), eq("rev", revs)},
		func(d eventEntryDoc) (e record.EventEntry, err error) {
			err = json.Unmarshal([]byte(d.Entry), &e)
			return e, err
		},
		options.Find().SetSort(bson.D{eq("rev", 1)}).SetLimit(most))
}
