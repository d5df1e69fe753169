package mongostore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// headlineDoc is a record.Headline as the event holds it.
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

// countsOf reads the counts of events, and counts again what has changed since
// they were counted last. Of an event without records they are kept where keep
// reports so.
func (s *Store) countsOf(ctx context.Context, org record.OrgID, events []record.EventID, keep func(record.EventID) bool) (map[record.EventID]map[record.Status]int64, error) {
	// What is not counted yet is read first: what is missing there was in the
	// counts before.
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
	var events []record.EventID
	if err := in.Distinct(ctx, "event", filter).Decode(&events); err != nil {
		return nil, err
	}
	set := make(map[record.EventID]bool, len(events))
	for _, e := range events {
		set[e] = true
	}
	return set, nil
}

// tallyDoc is how many records of an event are in each state: of blocks of
// consecutive numbers, and all together.
type tallyDoc struct {
	ID      string         `bson:"_id"`
	Org     record.OrgID   `bson:"org"`
	Event   record.EventID `bson:"event"`
	Version int64          `bson:"version"`
	Counts  tallyCounts    `bson:"counts"`
	Blocks  string         `bson:"blocks"` // JSON of tallyBlocks
}

// tallyCounts are the counts of all blocks together. They are stored with every state
// and in one order: a change of them then changes a value in its place, also to a
// server that compares what it is to set with what it has value by value.
type tallyCounts map[record.Status]int64

// MarshalBSON implements bson.Marshaler.
func (c tallyCounts) MarshalBSON() ([]byte, error) {
	ordered := bson.D{}
	for _, status := range record.Statuses() {
		ordered = append(ordered, eq(string(status), c[status]))
	}
	return bson.Marshal(ordered)
}

// tallyBlocks are the counts of blocks, by type and index.
type tallyBlocks map[string]map[record.Status]int64

// tallyBlock is how many numbers of a type are counted together.
const tallyBlock = 512

func tallyID(org record.OrgID, event record.EventID) string { return string(org) + "/" + string(event) }

// isUntallied is the condition on records whose state changed since their block
// was counted last. The field holds the revision that changed it, so that
// clearing it never clears that of a later change.
func isUntallied() bson.E { return eq("untallied", bson.D{eq("$gt", 0)}) }

// untallied returns what a replacement stores in the field: 0, so nothing, where
// the newest move changed no state.
func untallied(r record.Record) int64 {
	if last := r.Last; last.Rev == r.Rev && last.From == last.To && last.From == r.Status && !r.Deleted {
		return 0
	}
	return r.Rev
}

type untalliedDoc struct {
	ID        string `bson:"_id"`
	Type      string `bson:"type"`
	Seq       int64  `bson:"seq"`
	Untallied int64  `bson:"untallied"`
}

func (d untalliedDoc) block() string { return fmt.Sprint(d.Type, "/", (d.Seq-1)/tallyBlock) }

const (
	// untalliedAtOnce bounds how many changed records one round takes up.
	untalliedAtOnce = 1000
	tallyAttempts   = 20
)

// tally brings the counts of an event up to date and returns them.
//
// Everything it does may be repeated, by any number of processes at once. The
// version is read first, then what has changed, then the blocks are counted; the
// write succeeds where the version is what was read, so it has seen at least what
// every earlier write has seen. Only then are the very changes cleared that were
// read before. Whoever dies on the way leaves them to the next reader. Where it
// cannot write, the records themselves are counted.
func (s *Store) tally(ctx context.Context, org record.OrgID, event record.EventID, keep bool) (map[record.Status]int64, error) {
	records := majorityRead(s.records)
	for attempt := 0; attempt < tallyAttempts; attempt++ {
		stored, err := one(ctx, majorityRead(s.tallies), "read counts", bson.D{eq("_id", tallyID(org, event)), eq("org", org), eq("event", event)},
			func(d tallyDoc) (tallyDoc, error) { return d, nil })
		if err != nil && err != record.ErrNotFound { //nolint:errorlint // as one returns it
			return nil, err
		}
		changed, err := list(ctx, records, "read changed records", bson.D{eq("org", org), eq("event", event), isUntallied()},
			func(d untalliedDoc) (untalliedDoc, error) { return d, nil },
			options.Find().SetLimit(untalliedAtOnce).SetProjection(only("_id", "type", "seq", "untallied")))
		if err != nil {
			return nil, err
		}
		if stored.Version > 0 && len(changed) == 0 {
			return stored.Counts, nil // somebody else was faster
		}
		next, err := s.tallied(ctx, records, org, event, stored, changed)
		if err != nil {
			return nil, err
		}
		if next.Blocks == "{}" && !keep {
			return next.Counts, nil
		}
		written, err := s.putTally(ctx, next)
		if err == nil && written {
			err = s.clearUntallied(ctx, org, event, changed)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return s.countRecords(ctx, bson.D{eq("org", org), eq("event", event), eq("deleted", false)})
		case written && len(changed) < untalliedAtOnce:
			return next.Counts, nil
		case written:
			attempt = 0
		}
		if err := pause(ctx, attempt); err != nil {
			return nil, err
		}
	}
	return s.countRecords(ctx, bson.D{eq("org", org), eq("event", event), eq("deleted", false)})
}

// tallied counts the blocks that changed, or all where none were counted before.
func (s *Store) tallied(ctx context.Context, records *mongo.Collection, org record.OrgID, event record.EventID, stored tallyDoc, changed []untalliedDoc) (tallyDoc, error) {
	blocks := tallyBlocks{}
	if stored.Blocks != "" {
		if err := json.Unmarshal([]byte(stored.Blocks), &blocks); err != nil {
			return tallyDoc{}, mongox.Wrap("read counts", err)
		}
	}
	due := map[string]untalliedDoc{}
	for _, c := range changed {
		due[c.block()] = c
	}
	if stored.Version == 0 {
		highest, err := s.MaxSeqs(ctx, org, event)
		if err != nil {
			return tallyDoc{}, err
		}
		for typ, top := range highest {
			for seq := int64(1); seq <= top; seq += tallyBlock {
				d := untalliedDoc{Type: typ, Seq: seq}
				due[d.block()] = d
			}
		}
	}
	for name, d := range due {
		first := (d.Seq-1)/tallyBlock*tallyBlock + 1
		counts, err := count(ctx, records, with(within(org, record.Sub{Event: event, Type: d.Type}),
			eq("deleted", false), eq("seq", bson.D{eq("$gte", first), eq("$lt", first+tallyBlock)})))
		if err != nil {
			return tallyDoc{}, err
		}
		blocks[name] = counts
	}
	text, err := json.Marshal(blocks)
	if err != nil {
		return tallyDoc{}, err
	}
	next := tallyDoc{
		ID: tallyID(org, event), Org: org, Event: event, Version: stored.Version + 1,
		Counts: tallyCounts{}, Blocks: string(text),
	}
	for _, status := range record.Statuses() {
		next.Counts[status] = 0
	}
	for _, counts := range blocks {
		for status, n := range counts {
			next.Counts[status] += n
		}
	}
	return next, nil
}

// putTally stores counts where nobody has since those they were made from.
func (s *Store) putTally(ctx context.Context, next tallyDoc) (written bool, err error) {
	if next.Version == 1 {
		taken, err := insert(ctx, s.tallies, next)
		return !taken && err == nil, err
	}
	return update(ctx, s.tallies, bson.D{eq("_id", next.ID), eq("org", next.Org), eq("event", next.Event), eq("version", next.Version-1)},
		bson.D{eq("version", next.Version), eq("counts", next.Counts), eq("blocks", next.Blocks)})
}

// clearUntallied clears the changes that were counted, each where it is still
// the newest of its record.
func (s *Store) clearUntallied(ctx context.Context, org record.OrgID, event record.EventID, counted []untalliedDoc) error {
	if len(counted) == 0 {
		return nil
	}
	clears := make([]mongo.WriteModel, len(counted))
	for i, c := range counted {
		clears[i] = mongo.NewUpdateOneModel().
			SetFilter(bson.D{eq("_id", c.ID), eq("org", org), eq("event", event), eq("untallied", c.Untallied)}).
			SetUpdate(bson.D{eq("$set", bson.D{eq("untallied", 0)})})
	}
	return bulkWrite(ctx, s.records, clears)
}

// countRecords counts records by state, one by one.
func (s *Store) countRecords(ctx context.Context, filter bson.D) (map[record.Status]int64, error) {
	counts, err := count(ctx, s.records, filter)
	return counts, mongox.Wrap("count records", err)
}

func count(ctx context.Context, in *mongo.Collection, filter bson.D) (map[record.Status]int64, error) {
	cursor, err := in.Aggregate(ctx, mongo.Pipeline{
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
