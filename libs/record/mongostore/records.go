package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// within returns the filter of a sub-collection.
func within(org record.OrgID, sub record.Sub) bson.D {
	return bson.D{eq("org", org), eq("event", sub.Event), eq("type", sub.Type)}
}

// lockOf returns the key of the lock on a sub-collection's numbers.
func lockOf(org record.OrgID, sub record.Sub) string {
	return "seq\x00" + string(org) + "\x00" + string(sub.Event) + "\x00" + sub.Type
}

// InsertRecord implements record.Records.
func (s *Store) InsertRecord(ctx context.Context, org record.OrgID, r record.Record) (record.Record, error) {
	const verb = "insert record"
	sub := within(org, r.Key().Sub())
	done, err := s.locks.acquire(ctx, lockOf(org, r.Key().Sub()))
	if err != nil {
		return record.Record{}, mongox.Wrap(verb, err)
	}
	defer done()
	d := newRecordDoc(org, r.Key().Sub(), r)
	top, err := highest(ctx, s.records, sub, "seq")
	if err != nil {
		return record.Record{}, mongox.Wrap(verb, err)
	}
	for unexplained := 0; ; {
		d.Seq = top + 1
		taken, err := insert(ctx, s.records, d)
		if err != nil {
			return record.Record{}, mongox.Wrap(verb, err)
		}
		if !taken {
			r.Org, r.Seq = org, d.Seq
			return r, nil
		}
		if top, err = highest(ctx, s.records, sub, "seq"); err != nil {
			return record.Record{}, mongox.Wrap(verb, err)
		}
		if top >= d.Seq {
			continue // another process has taken the number
		}
		// The number cannot have become free, so it was not the cause.
		if err := s.whichDuplicate(ctx, org, d, unexplained); err != nil {
			return record.Record{}, err
		}
		if err := pause(ctx, unexplained); err != nil {
			return record.Record{}, mongox.Wrap(verb, err)
		}
		unexplained++
	}
}

// whichDuplicate returns the error for the conflict of a new record: a duplicate id before a duplicate reference, so
// that a retry after a crash finds that the first attempt succeeded. nil means to retry.
func (s *Store) whichDuplicate(ctx context.Context, org record.OrgID, d recordDoc, attempt int) error {
	mine, err := exists(ctx, s.records, bson.D{eq("_id", d.ID), eq("org", org)})
	if err != nil {
		return mongox.Wrap("insert record", err)
	}
	if mine {
		return record.ErrDuplicate
	}
	reference, err := exists(ctx, s.records, with(within(org, record.Sub{Event: record.EventID(d.Event), Type: d.Type}), eq("refKey", d.State.RefKey)))
	if err != nil {
		return mongox.Wrap("insert record", err)
	}
	if reference {
		return record.ErrDuplicateReference
	}
	// Either the reference was freed since, and the next attempt succeeds, or
	// the id is that of another organization, which is not looked into.
	if attempt > 0 {
		return record.ErrDuplicate
	}
	return nil
}

// Record implements record.Records.
func (s *Store) Record(ctx context.Context, org record.OrgID, key record.Key) (record.Record, error) {
	return one(ctx, s.records, "read record",
		with(bson.D{eq("_id", key.ID)}, with(within(org, key.Sub()), eq("deleted", false))...), recordFromDoc)
}

// ReplaceRecord implements record.Records.
func (s *Store) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	matched, err := update(ctx, s.records,
		with(bson.D{eq("_id", r.ID)}, with(within(org, r.Key().Sub()), eq("rev", prevRev), eq("deleted", false), fenceIs(r.Fence))...),
		struct {
			Mark      string      `bson:"mark,omitempty"`      // absent: the stored one stays
			Untallied int64       `bson:"untallied,omitempty"` // likewise
			State     recordState `bson:",inline"`
		}{r.Mark, untallied(r), recordStateOf(r)})
	if mongox.IsDuplicate(err) {
		// Of the fields that change only the reference is unique.
		return record.ErrDuplicateReference
	}
	if err := mustMatch("replace record", matched, err); err != nil {
		return err
	}
	if r.Deleted {
		// The record is deleted even if this fails: the next compaction includes it.
		_ = s.compact(ctx, s.recordsOf(org, r.Key().Sub()))
	}
	return nil
}

// RecordSpan implements record.Pages.
func (s *Store) RecordSpan(ctx context.Context, org record.OrgID, sub record.Sub, skip, limit int64) (record.Span, error) {
	span, err := s.span(ctx, s.recordsOf(org, sub), skip, limit)
	return span, mongox.Wrap("find page of records", err)
}

// RecordRevisions implements record.Pages.
func (s *Store) RecordRevisions(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Revision, error) {
	return s.recordsOf(org, sub).revisions(ctx, from, to)
}

// between returns the condition for a range of numbers and the most documents it can match, 0 for none.
func between(from, to int64) (condition bson.D, most int64) {
	from = max(from, 1)
	if to < from {
		return nil, 0
	}
	return bson.D{eq("$gte", from), eq("$lte", to)}, min(to-from, 1<<31-2) + 1
}

// RecordRange implements record.Pages.
func (s *Store) RecordRange(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Record, error) {
	seqs, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	return list(ctx, s.records, "read records", with(within(org, sub), eq("deleted", false), eq("seq", seqs)),
		recordFromDoc, options.Find().SetSort(bson.D{eq("seq", -1)}).SetLimit(most))
}

// InsertEntry implements record.Entries.
func (s *Store) InsertEntry(ctx context.Context, org record.OrgID, event record.EventID, id record.ID, e record.Entry) error {
	_, err := insert(ctx, s.history, historyDoc{Org: string(org), Event: string(event), Record: string(id), Entry: entryToDoc(e)})
	return mongox.Wrap("insert history entry", err)
}

// Entries implements record.Entries.
func (s *Store) Entries(ctx context.Context, org record.OrgID, id record.ID) ([]record.Entry, error) {
	return list(ctx, s.history, "read history", bson.D{eq("org", org), eq("record", id)}, entryFromHistory,
		options.Find().SetSort(bson.D{eq("rev", 1)}))
}

// EntryRange implements record.Entries.
func (s *Store) EntryRange(ctx context.Context, org record.OrgID, id record.ID, from, to int64) ([]record.Entry, error) {
	revs, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	return list(ctx, s.history, "read history", bson.D{eq("org", org), eq("record", id), eq("rev", revs)}, entryFromHistory,
		options.Find().SetSort(bson.D{eq("rev", -1)}).SetLimit(most))
}

func entryFromHistory(d historyDoc) (record.Entry, error) { return entryFromDoc(d.Entry) }
