package mongostore

import (
	"context"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// retentionDoc is among the revisions of its event, as revision 0.
type retentionDoc struct {
	ID       string         `bson:"_id"`
	Org      record.OrgID   `bson:"org"`
	Event    record.EventID `bson:"event"`
	Revision int64          `bson:"revision"`
	Version  int64          `bson:"version"`
	Floor    int64          `bson:"floor"`
	Signed   []int64        `bson:"signed,omitempty"`
	Pending  int64          `bson:"pending,omitempty"`
}

func keyOf(id string, org record.OrgID, event record.EventID, more ...bson.E) bson.D {
	return append(bson.D{{Key: "_id", Value: id}, {Key: "org", Value: org}, {Key: "event", Value: event}}, more...)
}

// Retention implements resulttree.RetentionStore.
func (s *Store) Retention(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Retention, error) {
	var d retentionDoc
	err := s.revisions.FindOne(ctx, keyOf(resultID(org, event)+"/0", org, event)).Decode(&d)
	if mongox.IsNoDocument(err) {
		return resulttree.Retention{}, nil
	}
	return resulttree.Retention{Org: d.Org, Event: d.Event, Version: d.Version, Floor: d.Floor, Signed: d.Signed, Pending: d.Pending}, mongox.Wrap("read retention", err)
}

// PutRetention implements resulttree.RetentionStore.
func (s *Store) PutRetention(ctx context.Context, r resulttree.Retention, prevVersion int64) error {
	d := retentionDoc{ID: resultID(r.Org, r.Event) + "/0", Org: r.Org, Event: r.Event, Version: r.Version, Floor: r.Floor, Signed: r.Signed, Pending: r.Pending}
	return put(ctx, s.revisions, keyOf(d.ID, r.Org, r.Event), d, prevVersion)
}

// ReplaceRevision implements resulttree.RetentionStore.
func (s *Store) ReplaceRevision(ctx context.Context, r resulttree.Result, prevSince int64) error {
	d, err := docOfResult(r)
	if err != nil {
		return err
	}
	d.ID += "/" + strconv.FormatInt(r.Revision, 10)
	since := bson.E{Key: "since", Value: prevSince}
	if prevSince == 0 {
		since.Value = nil // it is not stored
	}
	found, err := mongox.Replace(ctx, s.revisions, keyOf(d.ID, r.Org, r.Event, since), d)
	return conflict("replace revision", found, err)
}

// DeleteRevisions implements resulttree.RetentionStore.
func (s *Store) DeleteRevisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) error {
	_, err := mongox.Purge(ctx, s.revisions, bson.D{{Key: "org", Value: org}, {Key: "event", Value: event},
		{Key: "revision", Value: bson.D{{Key: "$gte", Value: max(from, 1)}, {Key: "$lte", Value: to}}}})
	return mongox.Wrap("delete revisions", err)
}

// ReplaceChanges implements resulttree.RetentionStore.
func (s *Store) ReplaceChanges(ctx context.Context, c resulttree.NodeChanges) error {
	d, err := docOfChanges(c)
	if err != nil {
		return err
	}
	found, err := mongox.Replace(ctx, s.changes, keyOf(d.ID, c.Org, c.Event), d)
	return conflict("replace changes", found, err)
}

// DeleteChanges implements resulttree.RetentionStore.
func (s *Store) DeleteChanges(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID, after, to int64) error {
	_, err := mongox.Purge(ctx, s.changes, bson.D{
		{Key: "org", Value: org}, {Key: "event", Value: event}, {Key: "level", Value: id.Level}, {Key: "type", Value: id.Type}, {Key: "index", Value: id.Index},
		{Key: "version", Value: bson.D{{Key: "$gt", Value: after}, {Key: "$lte", Value: to}}},
	})
	return mongox.Wrap("delete changes", err)
}

// conflict returns the error of a replacement that matched nothing.
func conflict(verb string, found bool, err error) error {
	if err == nil && !found {
		return resulttree.ErrConflict
	}
	return mongox.Wrap(verb, err)
}
