package mongostore

import (
	"context"
	"encoding/json"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

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

// tallyCounts are the counts of all blocks together. Every state is stored, in a fixed order, so that an update
// changes values in place, also on servers that compare updates value by value.
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

// isUntallied matches records whose state changed since their block was last counted. The field is the revision of
// the change, so that clearing it never clears a later one.
func isUntallied() bson.E { return eq("untallied", bson.D{eq("$gt", 0)}) }

// untallied returns the value of that field after a replacement: 0 if the newest move did not change the state.
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
	// untalliedAtOnce bounds the changed records of one round.
	untalliedAtOnce = 1000
	tallyAttempts   = 20
)

// tally updates the counts of an event and returns them.
//
// Every step may be repeated, by any number of processes at once. The version is read first, then the changed
// records, then their blocks are counted; the write succeeds only if the version is unchanged, so it includes at
// least what every earlier write included. Only then are exactly the changes cleared that were read before. After a
// crash, the next reader completes them. If writing fails, the records themselves are counted.
func (s *Store) tally(ctx context.Context, org record.OrgID, event record.EventID, keep bool) (map[record.Status]int64, error) {
	for attempt := 0; attempt < tallyAttempts; attempt++ {
		stored, err := s.storedTally(ctx, org, event)
		if err != nil {
			return nil, err
		}
		changed, err := list(ctx, s.records, "read changed records", bson.D{eq("org", org), eq("event", event), isUntallied()},
			func(d untalliedDoc) (untalliedDoc, error) { return d, nil },
			options.Find().SetLimit(untalliedAtOnce).SetProjection(only("_id", "type", "seq", "untallied")))
		if err != nil {
			return nil, err
		}
		if stored.Version > 0 && len(changed) == 0 {
			// Another process was faster and may have written after the counts were read: then they lack the changes
			// it cleared.
			stored, err = s.storedTally(ctx, org, event)
			return stored.Counts, err
		}
		next, err := s.tallied(ctx, org, event, stored, changed)
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

// storedTally reads the counts of an event; their version is 0 if there are none.
func (s *Store) storedTally(ctx context.Context, org record.OrgID, event record.EventID) (tallyDoc, error) {
	stored, err := one(ctx, s.tallies, "read counts", bson.D{eq("_id", tallyID(org, event)), eq("org", org), eq("event", event)},
		func(d tallyDoc) (tallyDoc, error) { return d, nil })
	if err == record.ErrNotFound { //nolint:errorlint // as one returns it
		err = nil
	}
	return stored, err
}

// tallied counts the changed blocks, or all if none were counted before.
func (s *Store) tallied(ctx context.Context, org record.OrgID, event record.EventID, stored tallyDoc, changed []untalliedDoc) (tallyDoc, error) {
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
		counts, err := s.count(ctx, with(within(org, record.Sub{Event: event, Type: d.Type}),
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

// putTally stores counts if the version that they were calculated from is still current.
func (s *Store) putTally(ctx context.Context, next tallyDoc) (written bool, err error) {
	if next.Version == 1 {
		taken, err := insert(ctx, s.tallies, next)
		return !taken && err == nil, err
	}
	return update(ctx, s.tallies, bson.D{eq("_id", next.ID), eq("org", next.Org), eq("event", next.Event), eq("version", next.Version-1)},
		bson.D{eq("version", next.Version), eq("counts", next.Counts), eq("blocks", next.Blocks)})
}

// clearUntallied clears the counted changes, each if it is still the newest of its record.
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
