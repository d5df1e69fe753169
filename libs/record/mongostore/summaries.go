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

// headlineDoc is a record.Headline in its event.
type headlineDoc struct {
	Version  int64  `bson:"version"`
	Revision int64  `bson:"revision"`
	Total    string `bson:"total"` // JSON
}

// CountByStatus implements record.ReviewQueue.
func (s *Store) CountByStatus(ctx context.Context, org record.OrgID, event record.EventID) (map[record.Status]int64, error) {
	counts, err := s.countsOf(ctx, org, []record.EventID{event}, func(record.EventID) bool { return false })
	return counts[event], mongox.Wrap("count records", err)
}

// countsOf reads the counts of events, after updating those with changes. The counts of an event without records are
// stored if keep reports true for it.
func (s *Store) countsOf(ctx context.Context, org record.OrgID, events []record.EventID, keep func(record.EventID) bool) (map[record.EventID]map[record.Status]int64, error) {
	// Uncounted changes are read first: any that are missing there were already included in the counts.
	changed, err := distinctEvents(ctx, s.records, bson.D{eq("org", org), eq("event", in(events)), isUntallied()})
	if err != nil {
		return nil, err
	}
	ids := make(bson.A, len(events))
	for i, event := range events {
		ids[i] = tallyID(org, event)
	}
	kept, err := list(ctx, s.tallies, "read counts", bson.D{eq("_id", bson.D{eq("$in", ids)}), eq("org", org), eq("event", in(events))},
		func(d tallyDoc) (tallyDoc, error) { return d, nil },
		options.Find().SetLimit(int64(len(ids))).SetProjection(only("_id", "event", "counts")))
	if err != nil {
		return nil, err
	}
	all := make(map[record.EventID]map[record.Status]int64, len(events))
	for _, d := range kept {
		if !changed[d.Event] {
			all[d.Event] = d.Counts
		}
	}
	for _, event := range events {
		if all[event] != nil {
			continue
		}
		if all[event], err = s.tally(ctx, org, event, keep(event)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Summaries implements record.Summaries: five commands, and some for each event
// whose records changed their states since the last reading.
func (s *Store) Summaries(ctx context.Context, org record.OrgID, events []record.EventID) (map[record.EventID]record.Summary, error) {
	const verb = "read summaries of events"
	if len(events) == 0 {
		return map[record.EventID]record.Summary{}, ctx.Err()
	}
	marked, err := distinctEvents(ctx, s.records, bson.D{eq("org", org), eq("event", in(events)), isMarked()})
	if err != nil {
		return nil, mongox.Wrap(verb, err)
	}
	type stateDoc struct {
		ID       record.EventID `bson:"_id"`
		Mark     string         `bson:"mark"`
		Headline headlineDoc    `bson:"headline"` // absent before the first result
	}
	states, err := list(ctx, s.events, verb, bson.D{eq("_id", in(events)), eq("org", org)},
		func(d stateDoc) (stateDoc, error) { return d, nil },
		options.Find().SetLimit(int64(len(events))).SetProjection(only("_id", "mark", "headline")))
	if err != nil {
		return nil, err
	}
	all := make(map[record.EventID]record.Summary, len(events))
	known := make([]record.EventID, 0, len(events))
	for _, d := range states {
		all[d.ID] = record.Summary{
			Due:      d.Mark != "" || marked[d.ID],
			Headline: record.Headline{Version: d.Headline.Version, Revision: d.Headline.Revision, Total: raw(d.Headline.Total)},
		}
		known = append(known, d.ID)
	}
	if len(known) == 0 {
		return all, nil
	}
	counts, err := s.countsOf(ctx, org, known, func(record.EventID) bool { return true })
	if err != nil {
		return nil, mongox.Wrap(verb, err)
	}
	for event, byStatus := range counts {
		summary := all[event]
		summary.Counts = record.CountsOf(byStatus)
		all[event] = summary
	}
	return all, nil
}

// PutHeadline implements record.Summaries.
func (s *Store) PutHeadline(ctx context.Context, org record.OrgID, event record.EventID, h record.Headline) error {
	_, err := update(ctx, s.events, bson.D{eq("_id", event), eq("org", org), eq("headline.version", bson.D{eq("$not", bson.D{eq("$gte", h.Version)})})},
		bson.D{eq("headline", headlineDoc{h.Version, h.Revision, string(h.Total)})})
	return mongox.Wrap("store headline", err)
}

func in(events []record.EventID) bson.D { return bson.D{eq("$in", events)} }

// distinctEvents returns the events of the records that filter matches.
func distinctEvents(ctx context.Context, in *mongo.Collection, filter bson.D) (map[record.EventID]bool, error) {
	events, err := mongox.Distinct[record.EventID](ctx, in, "event", filter)
	if err != nil {
		return nil, err
	}
	set := make(map[record.EventID]bool, len(events))
	for _, e := range events {
		set[e] = true
	}
	return set, nil
}

// countRecords counts records by state, one by one.
func (s *Store) countRecords(ctx context.Context, filter bson.D) (map[record.Status]int64, error) {
	counts, err := s.count(ctx, filter)
	return counts, mongox.Wrap("count records", err)
}

func (s *Store) count(ctx context.Context, filter bson.D) (map[record.Status]int64, error) {
	cursor, err := s.records.Aggregate(ctx, mongo.Pipeline{
		{eq("$match", filter)},
		{eq("$group", bson.D{eq("_id", "$status"), eq("n", bson.D{eq("$sum", 1)})})},
	})
	if err != nil {
		return nil, err
	}
	var counts []struct {
		Status string `bson:"_id"`
		N      int64  `bson:"n"`
	}
	if err := cursor.All(ctx, &counts); err != nil {
		return nil, err
	}
	byStatus := make(map[record.Status]int64, len(counts))
	for _, c := range counts {
		byStatus[record.Status(c.Status)] = c.N
	}
	return byStatus, nil
}

// eachOrganization calls do for every organization, until one call fails.
func (s *Store) eachOrganization(ctx context.Context, do func(context.Context, record.OrgID) error) error {
	const atOnce = 100
	for after := record.OrgID(""); ; {
		organizations, err := s.OrganizationIDs(ctx, after, atOnce)
		if err != nil || len(organizations) == 0 {
			return err
		}
		for _, org := range organizations {
			if err := do(ctx, org); err != nil {
				return err
			}
		}
		after = organizations[len(organizations)-1]
	}
}

// summarizeEvents counts the records of an organization's events and marks the
// events with approved ones.
func (s *Store) summarizeEvents(ctx context.Context, org record.OrgID) error {
	type eventID struct {
		ID record.EventID `bson:"_id"`
	}
	cursor, err := s.events.Find(ctx, bson.D{eq("org", org), eq("deleted", false)}, options.Find().SetProjection(only("_id")))
	if err != nil {
		return err
	}
	defer cursor.Close(ctx) //nolint:errcheck // Err returns what matters
	for cursor.Next(ctx) {
		var e eventID
		if err := cursor.Decode(&e); err != nil {
			return err
		}
		counts, err := s.tally(ctx, org, e.ID, true)
		if err != nil {
			return err
		}
		if counts[record.Approved] == 0 {
			continue
		}
		if _, err := update(ctx, s.events, bson.D{eq("_id", e.ID), eq("org", org), eq("mark", ""), eq("headline", bson.D{eq("$exists", false)})},
			bson.D{eq("mark", record.NewMark(time.Now()))}); err != nil {
			return err
		}
	}
	return cursor.Err()
}
