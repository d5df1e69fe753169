package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

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
	return list(ctx, s.records, "read all records", behind(org, after), recordFromDoc, inPlaces(limit))
}

// behind matches the records of an organization after a place.
func behind(org record.OrgID, after record.Place) bson.D {
	return bson.D{
		eq("org", org), eq("event", bson.D{eq("$gte", after.Event)}), eq("$or", bson.A{
			bson.D{above("event", after.Event)},
			bson.D{eq("event", after.Event), above("type", after.Type)},
			bson.D{eq("event", after.Event), eq("type", after.Type), above("seq", after.Seq)},
		}),
	}
}

// inPlaces reads up to limit records in the order of their places.
func inPlaces(limit int) *options.FindOptionsBuilder {
	return options.Find().SetSort(bson.D{eq("event", 1), eq("type", 1), eq("seq", 1)}).SetLimit(int64(limit))
}

// RecordsByID implements record.Histories.
func (s *Store) RecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.Record, error) {
	return list(ctx, s.records, "read records by id", bson.D{eq("_id", bson.D{eq("$in", append([]record.ID{}, ids...))}), eq("org", org)},
		recordFromDoc, options.Find())
}

// EntriesAfter implements record.Histories.
func (s *Store) EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error) {
	which := bson.D{eq("$gte", after.Record)}
	if ids != nil {
		which = append(which, eq("$in", ids))
	}
	return list(ctx, s.history, "read histories", bson.D{
		eq("org", org), eq("record", which), eq("$or", bson.A{
			bson.D{above("record", after.Record)},
			bson.D{eq("record", after.Record), above("rev", after.Rev)},
		}),
	}, storedEntry, options.Find().SetSort(bson.D{eq("record", 1), eq("rev", 1)}).SetLimit(int64(limit)))
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
