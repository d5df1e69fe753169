package mongostore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// InsertChanges implements resulttree.Store.
func (s *Store) InsertChanges(ctx context.Context, c resulttree.NodeChanges) error {
	d, err := docOfChanges(c)
	if err != nil {
		return err
	}
	_, err = mongox.Insert(ctx, s.changes, d)
	return mongox.Wrap("keep changes", err)
}

// Changes implements resulttree.Store.
func (s *Store) Changes(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID, after, to int64) ([]resulttree.NodeChanges, error) {
	cursor, err := s.changes.Find(ctx, bson.D{
		{Key: "org", Value: org}, {Key: "event", Value: event}, {Key: "level", Value: id.Level}, {Key: "type", Value: id.Type}, {Key: "index", Value: id.Index},
		{Key: "version", Value: bson.D{{Key: "$gt", Value: after}, {Key: "$lte", Value: to}}},
	}, options.Find().SetSort(bson.D{{Key: "version", Value: 1}}))
	if err != nil {
		return nil, mongox.Wrap("read changes", err)
	}
	var docs []changesDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, mongox.Wrap("read changes", err)
	}
	var kept []resulttree.NodeChanges
	for _, d := range docs {
		c := resulttree.NodeChanges{Org: d.Org, Event: d.Event, NodeID: id, Version: d.Version, ContextRev: d.ContextRev, Since: d.Since}
		if err := json.Unmarshal([]byte(d.Changed), &c.Changed); err != nil {
			return nil, mongox.Wrap("read changes", err)
		}
		if c.Causes, err = causesFrom(d.Causes); err != nil {
			return nil, fmt.Errorf("read changes: %w", err)
		}
		kept = append(kept, c)
	}
	return kept, nil
}

func docOfChanges(c resulttree.NodeChanges) (changesDoc, error) {
	changed, err := json.Marshal(c.Changed)
	if err != nil {
		return changesDoc{}, mongox.Wrap("keep changes", err)
	}
	causes, err := causesText(c.Causes)
	if err != nil {
		return changesDoc{}, fmt.Errorf("keep changes: %w", err)
	}
	return changesDoc{
		ID:  nodeID(c.Org, c.Event, c.NodeID) + "/" + strconv.FormatInt(c.Version, 10),
		Org: c.Org, Event: c.Event, Level: c.Level, Type: c.Type, Index: c.Index, Version: c.Version, ContextRev: c.ContextRev, Changed: string(changed), Causes: causes, Since: c.Since,
	}, nil
}

// InsertRevision implements resulttree.Store.
func (s *Store) InsertRevision(ctx context.Context, r resulttree.Result) error {
	d, err := docOfResult(r)
	if err != nil {
		return err
	}
	d.ID += "/" + strconv.FormatInt(r.Revision, 10)
	_, err = mongox.Insert(ctx, s.revisions, d)
	return mongox.Wrap("keep revision", err)
}

// Revisions implements resulttree.Store.
func (s *Store) Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]resulttree.Result, error) {
	cursor, err := s.revisions.Find(ctx, bson.D{
		{Key: "org", Value: org}, {Key: "event", Value: event},
		{Key: "revision", Value: bson.D{{Key: "$gte", Value: max(from, 1)}, {Key: "$lte", Value: to}}},
	}, options.Find().SetSort(bson.D{{Key: "revision", Value: -1}}))
	if err != nil {
		return nil, mongox.Wrap("read revisions", err)
	}
	var docs []resultDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, mongox.Wrap("read revisions", err)
	}
	revisions := make([]resulttree.Result, len(docs))
	for i, d := range docs {
		if revisions[i], err = d.result(); err != nil {
			return nil, err
		}
	}
	return revisions, nil
}
