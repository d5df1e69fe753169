package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// StoredRecords implements record.Histories.
func (s *Store) StoredRecords(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.StoredRecord, error) {
	return listRanges(ctx, s.records, "read all records", behind(org, after), storedRecord, limit, "event", "type", "seq")
}

// StoredRecordsByID implements record.Histories.
func (s *Store) StoredRecordsByID(ctx context.Context, org record.OrgID, ids []record.ID) ([]record.StoredRecord, error) {
	return list(ctx, s.records, "read records by id", bson.D{eq("_id", bson.D{eq("$in", append([]record.ID{}, ids...))}), eq("org", org)},
		storedRecord, options.Find())
}

// storedRecord decodes a record: damage is a finding, not an error.
func storedRecord(text bson.Raw) (r record.StoredRecord, err error) {
	var d recordDoc
	damage := bson.Unmarshal(text, &d)
	if damage == nil {
		r.Record, damage = recordFromDoc(d)
	}
	if damage == nil {
		damage = record.CheckRefKey(r.Record, d.State.RefKey)
	}
	if damage == nil {
		return r, nil
	}
	id, _ := text.Lookup("_id").StringValueOK()
	org, _ := text.Lookup("org").StringValueOK()
	event, _ := text.Lookup("event").StringValueOK()
	typ, _ := text.Lookup("type").StringValueOK()
	status, _ := text.Lookup("status").StringValueOK()
	r.Damage = record.Damaged(damage)
	r.Record = record.Record{ID: record.ID(id), Org: record.OrgID(org), Event: record.EventID(event), Type: typ, Status: record.Status(status)}
	r.Record.Seq, _ = text.Lookup("seq").AsInt64OK()
	r.Record.Rev, _ = text.Lookup("rev").AsInt64OK()
	r.Record.Deleted, _ = text.Lookup("deleted").BooleanOK()
	return r, nil
}

// StoredEvents implements record.Histories.
func (s *Store) StoredEvents(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.StoredEvent, error) {
	return list(ctx, s.events, "read all events", bson.D{eq("org", org), above("slot", after)}, storedEvent,
		options.Find().SetSort(bson.D{eq("slot", 1)}).SetLimit(int64(limit)))
}

func storedEvent(text bson.Raw) (e record.StoredEvent, err error) {
	var d eventDoc
	damage := bson.Unmarshal(text, &d)
	if damage == nil {
		e.Event, damage = eventFromDoc(d)
	}
	if damage == nil {
		damage = record.CheckBoundary(e.Event)
	}
	if damage == nil {
		return e, nil
	}
	id, _ := text.Lookup("_id").StringValueOK()
	org, _ := text.Lookup("org").StringValueOK()
	e.Damage = record.Damaged(damage)
	e.Event = record.Event{ID: record.EventID(id), Org: record.OrgID(org)}
	e.Event.Slot, _ = text.Lookup("slot").AsInt64OK()
	e.Event.Deleted, _ = text.Lookup("deleted").BooleanOK()
	return e, nil
}

// TenantAfter implements record.Histories.
func (s *Store) TenantAfter(ctx context.Context, after record.OrgID) (next record.OrgID, err error) {
	for _, c := range []struct {
		in    *mongo.Collection
		field string
	}{
		{s.organizations, "_id"}, {s.events, "org"}, {s.eventHistory, "org"}, {s.records, "org"}, {s.history, "org"}, {s.suppliers, "org"}, {s.policies, "org"},
	} {
		text, err := c.in.FindOne(ctx, bson.D{above(c.field, after)},
			options.FindOne().SetSort(bson.D{eq(c.field, 1)}).SetProjection(only(c.field))).Raw()
		if mongox.IsNoDocument(err) {
			continue
		}
		if err != nil {
			return "", mongox.Wrap("list tenants", err)
		}
		if id, _ := text.Lookup(c.field).StringValueOK(); next == "" || record.OrgID(id) < next {
			next = record.OrgID(id)
		}
	}
	return next, nil
}
