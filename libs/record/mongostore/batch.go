package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// newRecordDoc returns the document of a new record; its number is set later.
func newRecordDoc(org record.OrgID, sub record.Sub, r record.Record) recordDoc {
	return recordDoc{
		ID: string(r.ID), Org: string(org), Event: string(sub.Event), Type: sub.Type,
		CreatedBy: actorToDoc(r.CreatedBy), CreatedAt: date(r.CreatedAt), Mark: r.Mark, Fence: r.Fence, Untallied: r.Rev, State: recordStateOf(r),
	}
}

// InsertRecords implements record.Records. The remaining records are inserted in order by
// one command; if it stops at a unique index, the reason is determined, and the
// rest is renumbered.
func (s *Store) InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record) ([]record.Record, []error, error) {
	const verb = "insert records"
	stored, refused := make([]record.Record, len(records)), make([]error, len(records))
	done, err := s.locks.acquire(ctx, lockOf(org, sub))
	if err != nil {
		return nil, nil, mongox.Wrap(verb, err)
	}
	defer done()
	top, err := highest(ctx, s.records, within(org, sub), "seq")
	if err != nil {
		return nil, nil, mongox.Wrap(verb, err)
	}
	for next, unexplained := 0, 0; next < len(records); {
		documents := make([]recordDoc, 0, len(records)-next)
		for _, r := range records[next:] {
			d := newRecordDoc(org, sub, r)
			d.Seq = top + 1 + int64(len(documents))
			documents = append(documents, d)
		}
		n, stopped, err := insertInOrder(ctx, s.records, documents)
		if err != nil {
			return nil, nil, mongox.Wrap(verb, err)
		}
		for i := range n {
			r := records[next+i]
			r.Org, r.Event, r.Type, r.Seq = org, sub.Event, sub.Type, documents[i].Seq
			stored[next+i] = r
		}
		if next += n; !stopped {
			break
		}
		if n > 0 {
			unexplained = 0
		}
		if top, err = highest(ctx, s.records, within(org, sub), "seq"); err != nil {
			return nil, nil, mongox.Wrap(verb, err)
		}
		if top >= documents[n].Seq {
			continue // another process has taken the number
		}
		// The number cannot have become free, so it was not the cause.
		refusal := s.whichDuplicate(ctx, org, documents[n], unexplained)
		switch {
		case errors.Is(refusal, record.ErrDuplicate), errors.Is(refusal, record.ErrDuplicateReference):
			refused[next] = refusal
			next, unexplained = next+1, 0
			continue
		case refusal != nil:
			return nil, nil, refusal
		}
		if err := pause(ctx, unexplained); err != nil {
			return nil, nil, mongox.Wrap(verb, err)
		}
		unexplained++
	}
	return stored, refused, nil
}

// insertInOrder stores documents until a unique index refuses one. It returns how
// many were stored and whether it was stopped.
func insertInOrder(ctx context.Context, in *mongo.Collection, documents []recordDoc) (n int, stopped bool, err error) {
	// The driver may have sent the command before checking the context.
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	ctx, cancel := mongox.Batch(ctx)
	defer cancel()
	repeated, err := mongox.Repeat(ctx, func() (err error) {
		n, stopped, err = insertOnce(ctx, in, documents)
		return err
	})
	if err != nil || !repeated || !stopped || n > 0 {
		return n, stopped, err
	}
	// The first record is stored, by the first attempt or by another process, and a majority has it, for which the
	// refusal waited. Numbers are assigned in order, so the first attempt stored the first records.
	before, err := storedOf(ctx, in, documents)
	if err != nil || before == 0 || before == len(documents) {
		return before, before == 0, err
	}
	n, stopped, err = insertOnce(ctx, in, documents[before:])
	return before + n, stopped, mongox.Unconfirmed(err)
}

// storedOf returns how many of the first documents are stored.
func storedOf(ctx context.Context, in *mongo.Collection, documents []recordDoc) (int, error) {
	ids := make(bson.A, len(documents))
	for i, d := range documents {
		ids[i] = d.ID
	}
	first := documents[0]
	there, err := list(ctx, in, "look for what was inserted", bson.D{eq("_id", bson.D{eq("$in", ids)}), eq("org", first.Org), eq("event", first.Event)},
		func(d recordDoc) (recordDoc, error) { return d, nil },
		options.Find().SetProjection(only("_id", "seq", "createdAt")))
	if err != nil {
		return 0, err
	}
	mine := map[string]recordDoc{}
	for _, d := range there {
		mine[d.ID] = d
	}
	for i, d := range documents {
		if s, ok := mine[d.ID]; !ok || s.Seq != d.Seq || s.CreatedAt != d.CreatedAt {
			return i, nil
		}
	}
	return len(documents), nil
}

func insertOnce(ctx context.Context, in *mongo.Collection, documents []recordDoc) (n int, stopped bool, err error) {
	_, err = in.InsertMany(ctx, documents, options.InsertMany().SetOrdered(true))
	if err == nil {
		return len(documents), false, nil
	}
	var bulk mongo.BulkWriteException
	if !mongox.IsDuplicate(err) || !errors.As(err, &bulk) || len(bulk.WriteErrors) != 1 {
		return 0, false, err
	}
	return bulk.WriteErrors[0].Index, true, nil
}

// FindRecord implements record.Records.
func (s *Store) FindRecord(ctx context.Context, org record.OrgID, event record.EventID, id record.ID) (record.Record, error) {
	return one(ctx, s.records, "find record", bson.D{eq("_id", id), eq("org", org), eq("event", event), eq("deleted", false)}, recordFromDoc)
}

// RecordByReference implements record.Records.
func (s *Store) RecordByReference(ctx context.Context, org record.OrgID, sub record.Sub, reference string) (record.Record, error) {
	return one(ctx, s.records, "find record by reference",
		with(within(org, sub), eq("refKey", record.Record{Reference: reference}.RefKey()), eq("deleted", false)), recordFromDoc)
}

// DeletedByReference implements record.Records.
func (s *Store) DeletedByReference(ctx context.Context, org record.OrgID, sub record.Sub, reference string) ([]record.Record, error) {
	return list(ctx, s.records, "find deleted records by reference",
		with(within(org, sub), eq("deleted", true), eq("reference", reference)), recordFromDoc, options.Find())
}
