// Package mongostore keeps results in MongoDB. It alone knows their BSON.
package mongostore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation"
)

// Store is a calculation.Store on MongoDB.
type Store struct {
	nodes, results, revisions *mongo.Collection
}

var _ calculation.Store = (*Store)(nil)

// New makes a store and its indexes.
func New(ctx context.Context, db *mongo.Database) (*Store, error) {
	s := &Store{
		nodes:     db.Collection("result_nodes"),
		results:   db.Collection("results"),
		revisions: db.Collection("result_revisions"),
	}
	indexes := map[*mongo.Collection]bson.D{
		s.nodes:     {{Key: "org", Value: 1}, {Key: "event", Value: 1}, {Key: "level", Value: 1}, {Key: "type", Value: 1}, {Key: "index", Value: 1}},
		s.revisions: {{Key: "org", Value: 1}, {Key: "event", Value: 1}, {Key: "revision", Value: -1}},
	}
	for collection, keys := range indexes {
		if _, err := collection.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: keys, Options: options.Index().SetUnique(true)}); err != nil {
			return nil, fmt.Errorf("create indexes of %s: %w", collection.Name(), err)
		}
	}
	return s, nil
}

// nodeDoc is a node as stored. Canonical JSON is kept as a string: its bytes
// are part of hashes, and its keys hold dots.
type nodeDoc struct {
	ID           string         `bson:"_id"`
	Org          record.OrgID   `bson:"org"`
	Event        record.EventID `bson:"event"`
	Level        int            `bson:"level"`
	Type         string         `bson:"type"`
	Index        int64          `bson:"index"`
	Version      int64          `bson:"version"`
	ContextRev   int64          `bson:"contextRev"`
	Contribution string         `bson:"contribution"`
	Failed       []record.ID    `bson:"failed"`
	Hash         string         `bson:"hash"`
}

type resultDoc struct {
	ID            string                 `bson:"_id"`
	Org           record.OrgID           `bson:"org"`
	Event         record.EventID         `bson:"event"`
	Version       int64                  `bson:"version"`
	Revision      int64                  `bson:"revision"`
	ContextRev    int64                  `bson:"contextRev"`
	Context       footprint.EventContext `bson:"context"`
	Contribution  string                 `bson:"contribution"`
	Failed        []record.ID            `bson:"failed"`
	EngineVersion string                 `bson:"engineVersion"`
	InputsHash    string                 `bson:"inputsHash"`
	CalculatedAt  time.Time              `bson:"calculatedAt"`
}

func nodeID(org record.OrgID, event record.EventID, id calculation.NodeID) string {
	return string(org) + "/" + string(event) + "/" + strconv.Itoa(id.Level) + "/" + id.Type + "/" + strconv.FormatInt(id.Index, 10)
}

func resultID(org record.OrgID, event record.EventID) string {
	return string(org) + "/" + string(event)
}

func docOfNode(n calculation.Node) nodeDoc {
	return nodeDoc{
		ID: nodeID(n.Org, n.Event, n.NodeID), Org: n.Org, Event: n.Event, Level: n.Level, Type: n.Type, Index: n.Index,
		Version: n.Version, ContextRev: n.ContextRev, Contribution: string(n.Contribution), Failed: n.Failed, Hash: n.Hash,
	}
}

func (d nodeDoc) node() calculation.Node {
	return calculation.Node{
		Org: d.Org, Event: d.Event, NodeID: calculation.NodeID{Type: d.Type, Level: d.Level, Index: d.Index},
		Version: d.Version, ContextRev: d.ContextRev, Contribution: json.RawMessage(d.Contribution), Failed: d.Failed, Hash: d.Hash,
	}
}

func docOfResult(r calculation.Result) resultDoc {
	return resultDoc{
		ID: resultID(r.Org, r.Event), Org: r.Org, Event: r.Event, Version: r.Version, Revision: r.Revision,
		ContextRev: r.ContextRev, Context: r.Context, Contribution: string(r.Contribution), Failed: r.Failed,
		EngineVersion: r.EngineVersion, InputsHash: r.InputsHash, CalculatedAt: r.CalculatedAt,
	}
}

func (d resultDoc) result() calculation.Result {
	return calculation.Result{
		Org: d.Org, Event: d.Event, Version: d.Version, Revision: d.Revision, ContextRev: d.ContextRev, Context: d.Context,
		Contribution: json.RawMessage(d.Contribution), Failed: d.Failed, EngineVersion: d.EngineVersion,
		InputsHash: d.InputsHash, CalculatedAt: d.CalculatedAt.UTC(),
	}
}

// Node implements calculation.Store.
func (s *Store) Node(ctx context.Context, org record.OrgID, event record.EventID, id calculation.NodeID) (calculation.Node, error) {
	var d nodeDoc
	err := s.nodes.FindOne(ctx, bson.D{{Key: "_id", Value: nodeID(org, event, id)}, {Key: "org", Value: org}}).Decode(&d)
	if mongox.IsNoDocument(err) {
		return calculation.Node{}, calculation.ErrNotFound
	}
	if err != nil {
		return calculation.Node{}, fmt.Errorf("read node: %w", err)
	}
	return d.node(), nil
}

// PutNode implements calculation.Store.
func (s *Store) PutNode(ctx context.Context, n calculation.Node, prevVersion int64) error {
	d := docOfNode(n)
	return put(ctx, s.nodes, d.ID, n.Org, d, prevVersion)
}

// Nodes implements calculation.Store.
func (s *Store) Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]calculation.Node, error) {
	filter := bson.D{{Key: "org", Value: org}, {Key: "event", Value: event}, {Key: "level", Value: level}}
	if typ != "" {
		filter = append(filter, bson.E{Key: "type", Value: typ})
	}
	filter = append(filter, bson.E{Key: "index", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lte", Value: to}}})
	cursor, err := s.nodes.Find(ctx, filter, options.Find().SetSort(bson.D{{Key: "type", Value: 1}, {Key: "index", Value: 1}}))
	if err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	var docs []nodeDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	nodes := make([]calculation.Node, len(docs))
	for i, d := range docs {
		nodes[i] = d.node()
	}
	return nodes, nil
}

// Result implements calculation.Store.
func (s *Store) Result(ctx context.Context, org record.OrgID, event record.EventID) (calculation.Result, error) {
	var d resultDoc
	err := s.results.FindOne(ctx, bson.D{{Key: "_id", Value: resultID(org, event)}, {Key: "org", Value: org}}).Decode(&d)
	if mongox.IsNoDocument(err) {
		return calculation.Result{}, calculation.ErrNotFound
	}
	if err != nil {
		return calculation.Result{}, fmt.Errorf("read result: %w", err)
	}
	return d.result(), nil
}

// PutResult implements calculation.Store.
func (s *Store) PutResult(ctx context.Context, r calculation.Result, prevVersion int64) error {
	d := docOfResult(r)
	return put(ctx, s.results, d.ID, r.Org, d, prevVersion)
}

// InsertRevision implements calculation.Store.
func (s *Store) InsertRevision(ctx context.Context, r calculation.Result) error {
	d := docOfResult(r)
	d.ID += "/" + strconv.FormatInt(r.Revision, 10)
	if _, err := s.revisions.InsertOne(ctx, d); err != nil && !mongox.IsDuplicate(err) {
		return fmt.Errorf("keep revision: %w", err)
	}
	return nil
}

// Revisions implements calculation.Store.
func (s *Store) Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]calculation.Result, error) {
	cursor, err := s.revisions.Find(ctx, bson.D{
		{Key: "org", Value: org}, {Key: "event", Value: event},
		{Key: "revision", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lte", Value: to}}},
	}, options.Find().SetSort(bson.D{{Key: "revision", Value: -1}}))
	if err != nil {
		return nil, fmt.Errorf("read revisions: %w", err)
	}
	var docs []resultDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, fmt.Errorf("read revisions: %w", err)
	}
	revisions := make([]calculation.Result, len(docs))
	for i, d := range docs {
		revisions[i] = d.result()
	}
	return revisions, nil
}

// put inserts (prevVersion 0) or replaces one document under its version.
func put(ctx context.Context, c *mongo.Collection, id string, org record.OrgID, doc any, prevVersion int64) error {
	if prevVersion == 0 {
		_, err := c.InsertOne(ctx, doc)
		if mongox.IsDuplicate(err) {
			return calculation.ErrConflict
		}
		if err != nil {
			return fmt.Errorf("store in %s: %w", c.Name(), err)
		}
		return nil
	}
	done, err := c.ReplaceOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "org", Value: org}, {Key: "version", Value: prevVersion}}, doc)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return fmt.Errorf("store in %s: %w", c.Name(), err)
	case err != nil:
		return err
	case done.MatchedCount == 0:
		return calculation.ErrConflict
	}
	return nil
}
