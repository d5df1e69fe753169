package mongostore

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// ApprovedPage implements record.Pages. How many there are, and in which block of
// numbers the page begins, is known from the counts of blocks, so nothing is
// counted or skipped but within one block.
func (s *Store) ApprovedPage(ctx context.Context, org record.OrgID, sub record.Sub, skip, limit int64) ([]record.Record, int64, error) {
	total, blocks, err := s.approvedBlocks(ctx, org, sub)
	if err != nil {
		return nil, 0, mongox.Wrap("count approved records", err)
	}
	skip = max(skip, 0)
	if limit <= 0 || skip >= total {
		return nil, total, nil
	}
	filter := with(within(org, sub), eq("deleted", false), eq("status", record.Approved))
	for _, block := range slices.Backward(slices.Sorted(maps.Keys(blocks))) {
		if skip < blocks[block] {
			filter = append(filter, eq("seq", bson.D{eq("$lte", (block+1)*tallyBlock)}))
			break
		}
		skip -= blocks[block]
	}
	page, err := list(ctx, s.records, "read approved records", filter, recordFromDoc,
		options.Find().SetSort(bson.D{eq("seq", -1)}).SetSkip(skip).SetLimit(limit))
	return page, total, err
}

// approvedBlocks returns the number of approved records of a sub-collection, in total and by block. It returns no
// blocks if they do not add up to the event's counts because they could not be stored.
func (s *Store) approvedBlocks(ctx context.Context, org record.OrgID, sub record.Sub) (total int64, blocks map[int64]int64, err error) {
	all, err := s.countsOf(ctx, org, []record.EventID{sub.Event}, func(record.EventID) bool { return false })
	if err != nil || all[sub.Event][record.Approved] == 0 {
		return 0, nil, err
	}
	stored, err := one(ctx, s.tallies, "read counts", bson.D{eq("_id", tallyID(org, sub.Event)), eq("org", org), eq("event", sub.Event)},
		func(d tallyDoc) (tallyDoc, error) { return d, nil })
	if err != nil && !errors.Is(err, record.ErrNotFound) {
		return 0, nil, err
	}
	counted := tallyBlocks{}
	if stored.Blocks != "" {
		if err := json.Unmarshal([]byte(stored.Blocks), &counted); err != nil {
			return 0, nil, err
		}
	}
	blocks, ofEvent := map[int64]int64{}, int64(0)
	for name, counts := range counted {
		n := counts[record.Approved]
		ofEvent += n
		typ, index, _ := strings.Cut(name, "/")
		block, err := strconv.ParseInt(index, 10, 64)
		if err != nil {
			return 0, nil, err
		}
		if typ == sub.Type {
			blocks[block] = n
			total += n
		}
	}
	if ofEvent != stored.Counts[record.Approved] || stored.Version == 0 {
		filter := with(within(org, sub), eq("deleted", false), eq("status", record.Approved))
		total, err = s.records.CountDocuments(ctx, filter)
		return total, nil, err
	}
	return total, blocks, nil
}

// ReviewQueue implements record.ReviewQueue. How many records of one event wait is in
// its counts; those of the organization are counted in the index of what waits.
func (s *Store) ReviewQueue(ctx context.Context, org record.OrgID, event record.EventID, skip, limit int64) ([]record.Record, int64, error) {
	if event == "" {
		deleted, err := s.deletedEvents(ctx, org)
		if err != nil {
			return nil, 0, err
		}
		filter := bson.D{eq("org", org)}
		if len(deleted) > 0 {
			filter = append(filter, eq("event", bson.D{eq("$nin", deleted)}))
		}
		return s.queue(ctx, filter, skip, limit)
	}
	counts, err := s.countsOf(ctx, org, []record.EventID{event}, func(record.EventID) bool { return false })
	if err != nil {
		return nil, 0, mongox.Wrap("count review queue", err)
	}
	total := counts[event][record.Submitted] + counts[event][record.InReview]
	if total == 0 {
		return nil, 0, nil
	}
	page, err := s.waitingPage(ctx, waitingOf(org, event), skip, limit)
	return page, total, err
}

// queue reads a page of the records waiting for a decision in the events of a filter, and counts all of them in the
// index.
func (s *Store) queue(ctx context.Context, filter bson.D, skip, limit int64) ([]record.Record, int64, error) {
	filter = with(filter, isWaiting()...)
	total, err := s.records.CountDocuments(ctx, filter)
	if err != nil {
		return nil, 0, mongox.Wrap("count review queue", err)
	}
	page, err := s.waitingPage(ctx, filter, skip, limit)
	return page, total, err
}

func (s *Store) waitingPage(ctx context.Context, filter bson.D, skip, limit int64) ([]record.Record, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, ctx.Err()
	}
	return list(ctx, s.records, "read review queue", filter, recordFromDoc,
		options.Find().SetSort(bson.D{eq("createdAt", -1), eq("_id", -1)}).SetSkip(max(skip, 0)).SetLimit(limit))
}

// waitingOf is the condition on the records of an event that wait for a decision.
func waitingOf(org record.OrgID, event record.EventID) bson.D {
	return bson.D{eq("org", org), eq("event", event), eq("deleted", false), undecidedBut(record.Unsubmitted, record.ChangesRequested)}
}

// Waiting implements record.ReviewQueue.
func (s *Store) Waiting(ctx context.Context, org record.OrgID, event record.EventID, after record.QueuePlace, limit int64) ([]record.Record, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, nil
	}
	filter := waitingOf(org, event)
	if after != (record.QueuePlace{}) {
		at := date(after.CreatedAt)
		filter = append(filter, eq("createdAt", bson.D{eq("$lte", at)}), eq("$or", bson.A{
			bson.D{eq("createdAt", bson.D{eq("$lt", at)})},
			bson.D{eq("_id", bson.D{eq("$lt", after.ID)})},
		}))
	}
	return list(ctx, s.records, "read review queue", filter, recordFromDoc,
		options.Find().SetSort(bson.D{eq("createdAt", -1), eq("_id", -1)}).SetLimit(limit))
}

// EachDraft implements record.Drafts.
func (s *Store) EachDraft(ctx context.Context, org record.OrgID, event record.EventID, f func(record.Record) error) error {
	filter := bson.D{eq("org", org), eq("event", event), eq("deleted", false), undecidedBut(record.Submitted, record.InReview)}
	cursor, err := s.records.Find(ctx, filter, options.Find().SetBatchSize(listBatch))
	if err != nil {
		return mongox.Wrap("read drafts", err)
	}
	defer cursor.Close(context.WithoutCancel(ctx)) //nolint:errcheck // Err says what Close would
	for cursor.Next(ctx) {
		var d recordDoc
		if err := cursor.Decode(&d); err != nil {
			return mongox.Wrap("read drafts", err)
		}
		r, err := recordFromDoc(d)
		if err != nil {
			return mongox.Wrap("read drafts", err)
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return mongox.Wrap("read drafts", cursor.Err())
}

// deletedEvents returns the ids of an organization's deleted events; never nil.
func (s *Store) deletedEvents(ctx context.Context, org record.OrgID) (bson.A, error) {
	ids, err := list(ctx, s.events, "read deleted events", bson.D{eq("org", org), eq("deleted", true)},
		func(d struct {
			ID string `bson:"_id"`
		}) (any, error) {
			return d.ID, nil
		}, options.Find().SetProjection(bson.D{eq("_id", 1)}))
	if err != nil {
		return nil, err
	}
	return append(bson.A{}, ids...), nil
}
