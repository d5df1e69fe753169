package mongostore

import (
	"cmp"
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// isMarked is the condition on a mark that is set.
func isMarked() bson.E { return eq("mark", bson.D{eq("$gt", "")}) }

// MarkedRecords implements record.Marks.
func (s *Store) MarkedRecords(ctx context.Context, org record.OrgID, event record.EventID, limit int) ([]record.MarkedRecord, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, ctx.Err()
	}
	type markedDoc struct {
		ID   string `bson:"_id"`
		Type string `bson:"type"`
		Seq  int64  `bson:"seq"`
		Mark string `bson:"mark"`
	}
	return list(ctx, s.records, "read marked records", bson.D{eq("org", org), eq("event", event), isMarked()},
		func(d markedDoc) (record.MarkedRecord, error) {
			return record.MarkedRecord{Type: d.Type, ID: record.ID(d.ID), Seq: d.Seq, Mark: d.Mark}, nil
		},
		options.Find().SetSort(bson.D{eq("mark", 1)}).SetLimit(int64(limit)).SetProjection(only("_id", "type", "seq", "mark")))
}

// ClearRecordMarks implements record.Marks. Each mark is cleared by a separate write, all in one command; one that
// remains is cleared another time.
func (s *Store) ClearRecordMarks(ctx context.Context, org record.OrgID, event record.EventID, marked []record.MarkedRecord) error {
	if err := ctx.Err(); err != nil || len(marked) == 0 {
		return mongox.Wrap("clear record marks", err)
	}
	clears := make([]mongo.WriteModel, len(marked))
	for i, m := range marked {
		clears[i] = mongo.NewUpdateOneModel().
			SetFilter(bson.D{eq("_id", m.ID), eq("org", org), eq("event", event), eq("mark", m.Mark)}).
			SetUpdate(bson.D{eq("$set", bson.D{eq("mark", "")})})
	}
	return mongox.Wrap("clear record marks", bulkWrite(ctx, s.records, clears))
}

// ClearEventMark implements record.Marks.
func (s *Store) ClearEventMark(ctx context.Context, org record.OrgID, id record.EventID, mark string) error {
	_, err := update(ctx, s.events, bson.D{eq("_id", id), eq("org", org), eq("mark", mark)}, bson.D{eq("mark", "")})
	return mongox.Wrap("clear event mark", err)
}

// HasMarks implements record.Marks.
func (s *Store) HasMarks(ctx context.Context, org record.OrgID, event record.EventID) (bool, error) {
	own, err := exists(ctx, s.events, bson.D{eq("_id", event), eq("org", org), isMarked()})
	if err != nil || own {
		return own, mongox.Wrap("read event mark", err)
	}
	return s.HasMarkedRecords(ctx, org, event)
}

// HasMarkedRecords implements record.Marks.
func (s *Store) HasMarkedRecords(ctx context.Context, org record.OrgID, event record.EventID) (bool, error) {
	marked, err := exists(ctx, s.records, bson.D{eq("org", org), eq("event", event), isMarked()})
	return marked, mongox.Wrap("read record marks", err)
}

// MaxSeqs implements record.Counting. It steps from type to type, from the highest
// record of one to that of the next, so its cost is that of the types, not of
// the records.
func (s *Store) MaxSeqs(ctx context.Context, org record.OrgID, event record.EventID) (map[string]int64, error) {
	all := map[string]int64{}
	filter := bson.D{eq("org", org), eq("event", event)}
	last := options.FindOne().SetSort(bson.D{eq("type", -1), eq("seq", -1)}).SetProjection(only("type", "seq"))
	for {
		var d struct {
			Type string `bson:"type"`
			Seq  int64  `bson:"seq"`
		}
		err := s.records.FindOne(ctx, filter, last).Decode(&d)
		if mongox.IsNoDocument(err) {
			return all, nil
		}
		if err != nil {
			return nil, mongox.Wrap("read highest numbers", err)
		}
		all[d.Type] = d.Seq
		filter = bson.D{eq("org", org), eq("event", event), eq("type", bson.D{eq("$lt", d.Type)})}
	}
}

// RecordsNumbered implements record.Counting. Numbers have no holes and nothing is
// removed, so that the documents are as many.
func (s *Store) RecordsNumbered(ctx context.Context, org record.OrgID) (int64, error) {
	n, err := s.records.CountDocuments(ctx, bson.D{eq("org", org)})
	return n, mongox.Wrap("count the numbers of records", err)
}

// Approved implements record.Counting.
func (s *Store) Approved(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error) {
	seqs, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	type countedDoc struct {
		ID           string        `bson:"_id"`
		Seq          int64         `bson:"seq"`
		Rev          int64         `bson:"rev"`
		Type         string        `bson:"type"`
		Fields       string        `bson:"fields"`
		Contribution string        `bson:"contribution"`
		ContextRev   int64         `bson:"contextRev"`
		CreatedAt    bson.DateTime `bson:"createdAt"`
	}
	return list(ctx, s.records, "read approved records",
		with(within(org, sub), eq("deleted", false), eq("seq", seqs), eq("status", record.Approved)),
		func(d countedDoc) (record.Counted, error) {
			return record.Counted{
				ID: record.ID(d.ID), Seq: d.Seq, Rev: d.Rev, Type: d.Type, Fields: raw(d.Fields),
				Contribution: raw(d.Contribution), ContextRev: d.ContextRev, CreatedAt: int64(d.CreatedAt),
			}, nil
		},
		options.Find().SetSort(bson.D{eq("seq", 1)}).SetLimit(most).
			SetProjection(only("_id", "seq", "rev", "type", "fields", "contribution", "contextRev", "createdAt")))
}

// Inputs implements record.Counting.
func (s *Store) Inputs(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Input, error) {
	seqs, most := between(from, to)
	if most == 0 {
		return nil, ctx.Err()
	}
	type inputDoc struct {
		ID     string `bson:"_id"`
		Seq    int64  `bson:"seq"`
		Rev    int64  `bson:"rev"`
		Fields string `bson:"fields"`
	}
	return list(ctx, s.records, "read inputs",
		with(within(org, sub), eq("deleted", false), eq("seq", seqs), eq("status", record.Approved)),
		func(d inputDoc) (record.Input, error) {
			return record.Input{ID: record.ID(d.ID), Seq: d.Seq, Rev: d.Rev, Fields: d.Fields}, nil
		},
		options.Find().SetSort(bson.D{eq("seq", 1)}).SetLimit(most).SetProjection(only("_id", "seq", "rev", "fields")))
}

// StoreContributions implements record.Counting: one command.
func (s *Store) StoreContributions(ctx context.Context, org record.OrgID, all []record.Recalculated) error {
	if len(all) == 0 {
		return ctx.Err()
	}
	updates := make([]mongo.WriteModel, len(all))
	for i, r := range all {
		updates[i] = mongo.NewUpdateOneModel().
			SetFilter(bson.D{eq("_id", r.ID), eq("org", org), eq("rev", r.Rev), eq("contextRev", bson.D{eq("$lte", r.ContextRev)})}).
			SetUpdate(bson.D{eq("$set", bson.D{
				eq("preview", string(r.Preview)), eq("contribution", string(r.Contribution)), eq("contextRev", r.ContextRev),
			})})
	}
	return mongox.Wrap("store contributions", bulkWrite(ctx, s.records, updates))
}

// MarkedEvents implements record.Marks.
//
// Records are read in the order of their marks, a batch at a time. After each
// batch the events found are left out, so that one event with very many marks
// costs one batch and hides no other.
func (s *Store) MarkedEvents(ctx context.Context, limit int) ([]record.MarkedEvent, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	oldest := map[eventKey]string{}
	note := func(m record.MarkedEvent) {
		key := eventKey{m.Org, m.Event}
		if mark, ok := oldest[key]; !ok || m.Mark < mark {
			oldest[key] = m.Mark
		}
	}
	own, err := list(ctx, s.events, "read marked events", bson.D{isMarked()},
		func(d sweepDoc) (record.MarkedEvent, error) { return d.of(d.ID), nil },
		sweep(limit).SetProjection(only("mark", "org", "_id")))
	if err != nil {
		return nil, err
	}
	for _, m := range own {
		note(m)
	}
	seen := map[eventKey]bool{}
	for len(seen) < limit {
		filter := bson.D{isMarked()}
		if len(seen) > 0 {
			filter = append(filter, noneOf(seen))
		}
		batch := max(limit, s.sweepBatch)
		found, err := list(ctx, s.records, "read marked records", filter,
			func(d sweepDoc) (record.MarkedEvent, error) { return d.of(d.Event), nil },
			sweep(batch).SetProjection(only("mark", "event", "org")))
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			note(m)
			seen[eventKey{m.Org, m.Event}] = true
		}
		if len(found) < batch {
			break
		}
	}
	marked := make([]record.MarkedEvent, 0, len(oldest))
	for key, mark := range oldest {
		marked = append(marked, record.MarkedEvent{Org: key.org, Event: key.event, Mark: mark})
	}
	slices.SortFunc(marked, func(a, b record.MarkedEvent) int {
		return cmp.Or(cmp.Compare(a.Mark, b.Mark), cmp.Compare(a.Event, b.Event))
	})
	return marked[:min(limit, len(marked))], nil
}

// eventKey names an event of any organization.
type eventKey struct {
	org   record.OrgID
	event record.EventID
}

// noneOf is the condition that excludes records of these events.
func noneOf(events map[eventKey]bool) bson.E {
	var each bson.A
	for key := range events {
		each = append(each, bson.D{eq("org", key.org), eq("event", key.event)})
	}
	return eq("$nor", each)
}

// sweepDoc holds the fields of an event or a record that a sweep reads.
type sweepDoc struct {
	ID    string `bson:"_id"`
	Org   string `bson:"org"`
	Event string `bson:"event"`
	Mark  string `bson:"mark"`
}

func (d sweepDoc) of(event string) record.MarkedEvent {
	return record.MarkedEvent{Org: record.OrgID(d.Org), Event: record.EventID(event), Mark: d.Mark}
}

func sweep(limit int) *options.FindOptionsBuilder {
	return options.Find().SetSort(bson.D{eq("mark", 1)}).SetLimit(int64(limit))
}
