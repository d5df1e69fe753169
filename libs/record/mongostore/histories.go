package mongostore

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

func above(field string, value any) bson.E { return eq(field, bson.D{eq("$gt", value)}) }

// OrganizationIDs implements record.Histories.
func (s *Store) OrganizationIDs(ctx context.Context, after record.OrgID, limit int) ([]record.OrgID, error) {
	return list(ctx, s.organizations, "list organizations", bson.D{above("_id", after)},
		func(d struct {
			ID string `bson:"_id"`
		}) (record.OrgID, error) {
			return record.OrgID(d.ID), nil
		}, options.Find().SetSort(bson.D{eq("_id", 1)}).SetLimit(int64(limit)).SetProjection(bson.D{eq("_id", 1)}))
}

// RecordsAfter implements record.Histories.
func (s *Store) RecordsAfter(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.Record, error) {
	return listRanges(ctx, s.records, "read all records", behind(org, after), recordFromDoc, limit, "event", "type", "seq")
}

// behind returns the conditions on the records of an organization after a place, in their order: the rest of the
// sub-collection, the following ones of the event, and the following events. Each is one range of the index "seq", while
// a single condition with $or may read the records of the event up to the place.
func behind(org record.OrgID, after record.Place) []bson.D {
	rest := []bson.D{{eq("org", org), above("event", after.Event)}}
	if after.Event != "" {
		rest = append(rest,
			bson.D{eq("org", org), eq("event", after.Event), above("type", after.Type)},
			bson.D{eq("org", org), eq("event", after.Event), eq("type", after.Type), above("seq", after.Seq)})
	}
	slices.Reverse(rest)
	return rest
}

// listRanges reads up to limit documents of consecutive ranges, in the order of the fields.
func listRanges[D, T any](ctx context.Context, in *mongo.Collection, verb string, ranges []bson.D, convert func(D) (T, error), limit int, order ...string) (all []T, err error) {
	for _, r := range ranges {
		if len(all) >= limit {
			break
		}
		some, err := list(ctx, in, verb, r, convert, options.Find().SetSort(mongox.Ascending(order...)).SetLimit(int64(limit-len(all))))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, ctx.Err()
}

// RecordsByID implements record.Histories.
func (s *Store) RecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.Record, error) {
	return list(ctx, s.records, "read records by id", bson.D{eq("_id", bson.D{eq("$in", append([]record.ID{}, ids...))}), eq("org", org)},
		recordFromDoc, options.Find())
}

// EntriesAfter implements record.Histories.
func (s *Store) EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error) {
	following := bson.D{eq("$gt", after.Record)}
	if ids != nil {
		following = append(following, eq("$in", ids))
	}
	ranges := []bson.D{{eq("org", org), eq("record", following)}}
	if after.Record != "" && (ids == nil || slices.Contains(ids, after.Record)) {
		ranges = slices.Insert(ranges, 0, bson.D{eq("org", org), eq("record", after.Record), above("rev", after.Rev)})
	}
	return listRanges(ctx, s.history, "read histories", ranges, storedEntry, limit, "record", "rev")
}

// storedEntry decodes an entry: damage is a finding, not an error.
func storedEntry(raw bson.Raw) (e record.StoredEntry, err error) {
	event, _ := raw.Lookup("event").StringValueOK()
	id, _ := raw.Lookup("record").StringValueOK()
	e.Event, e.Record = record.EventID(event), record.ID(id)
	e.Entry.Rev, _ = raw.Lookup("rev").AsInt64OK()
	var d historyDoc
	if e.Damage = bson.Unmarshal(raw, &d); e.Damage != nil {
		return e, nil //nolint:nilerr // that is the finding
	}
	entry, damage := entryFromDoc(d.Entry)
	if e.Damage = damage; damage == nil {
		e.Entry = entry
	}
	return e, nil
}
