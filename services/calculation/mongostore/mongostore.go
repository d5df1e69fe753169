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
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Store is a resulttree.Store on MongoDB.
type Store struct {
	nodes, changes, results, revisions, parts *mongo.Collection
}

var _ resulttree.Store = (*Store)(nil)

// Schema returns the versions of what this package stores, for mongox.Up.
func Schema() []mongox.Component {
	return []mongox.Component{{Name: "results", Steps: []mongox.Step{
		mongox.CreateIndexes(1, Indexes()[:3]...),
		mongox.CreateIndexes(1, Indexes()[3:]...),
	}}}
}

// Indexes returns the indexes of the newest version.
func Indexes() []mongox.Index {
	return []mongox.Index{
		{Collection: "result_nodes", Unique: true, Keys: mongox.Ascending("org", "event", "level", "type", "index")},
		{Collection: "result_changes", Unique: true, Keys: mongox.Ascending("org", "event", "level", "type", "index", "version")},
		{Collection: "result_revisions", Unique: true, Keys: append(mongox.Ascending("org", "event"), bson.E{Key: "revision", Value: -1})},
		{Collection: "result_parts", Unique: true, Keys: mongox.Ascending("org", "event", "name")},
	}
}

// New brings the schema of db up to date (see Schema) and returns the store in
// it.
func New(ctx context.Context, db *mongo.Database) (*Store, error) {
	if err := mongox.Up(ctx, db, Schema()...); err != nil {
		return nil, err
	}
	return Attach(db), nil
}

// Serve returns the store in a database for a service, and the names of the
// indexes that it misses, see mongox.Serve.
func Serve(ctx context.Context, db *mongo.Database) (s *Store, slow []string, err error) {
	slow, err = mongox.Serve(ctx, db, Schema(), Indexes())
	return Attach(db), slow, err
}

// Attach returns the store in a database whose schema is up to date. It contacts
// no server.
func Attach(db *mongo.Database) *Store {
	majority := options.Collection().SetReadConcern(readconcern.Majority())
	return &Store{
		nodes:     db.Collection("result_nodes", majority),
		changes:   db.Collection("result_changes", majority),
		results:   db.Collection("results", majority),
		revisions: db.Collection("result_revisions", majority),
		parts:     db.Collection("result_parts", majority),
	}
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
	FailedCount  int64          `bson:"failedCount,omitempty"`
	Hash         string         `bson:"hash"`
	Detail       string         `bson:"detail"`
}

type changesDoc struct {
	ID         string         `bson:"_id"`
	Org        record.OrgID   `bson:"org"`
	Event      record.EventID `bson:"event"`
	Level      int            `bson:"level"`
	Type       string         `bson:"type"`
	Index      int64          `bson:"index"`
	Version    int64          `bson:"version"`
	ContextRev int64          `bson:"contextRev"`
	Changed    string         `bson:"changed"`
	Causes     string         `bson:"causes,omitempty"`
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
	FailedCount   int64                  `bson:"failedCount,omitempty"`
	EngineVersion string                 `bson:"engineVersion"`
	InputsHash    string                 `bson:"inputsHash"`
	CalculatedAt  time.Time              `bson:"calculatedAt"`
	Children      []string               `bson:"tops"`
	Causes        string                 `bson:"causes,omitempty"`
}

func nodeID(org record.OrgID, event record.EventID, id resulttree.NodeID) string {
	return string(org) + "/" + string(event) + "/" + strconv.Itoa(id.Level) + "/" + id.Type + "/" + strconv.FormatInt(id.Index, 10)
}

func resultID(org record.OrgID, event record.EventID) string {
	return string(org) + "/" + string(event)
}

func docOfNode(n resulttree.Node) (nodeDoc, error) {
	detail, err := json.Marshal(n.Detail)
	if err != nil {
		return nodeDoc{}, mongox.Wrap("store node", err)
	}
	return nodeDoc{
		ID: nodeID(n.Org, n.Event, n.NodeID), Org: n.Org, Event: n.Event, Level: n.Level, Type: n.Type, Index: n.Index,
		Version: n.Version, ContextRev: n.ContextRev, Contribution: string(n.Contribution), Failed: n.Failed, FailedCount: n.FailedCount, Hash: n.Hash, Detail: string(detail),
	}, nil
}

func (d nodeDoc) node() (resulttree.Node, error) {
	n := resulttree.Node{
		Org: d.Org, Event: d.Event, NodeID: resulttree.NodeID{Type: d.Type, Level: d.Level, Index: d.Index},
		Version: d.Version, ContextRev: d.ContextRev, Contribution: json.RawMessage(d.Contribution), Failed: d.Failed, FailedCount: d.FailedCount, Hash: d.Hash,
	}
	if d.Detail == "" {
		return n, nil
	}
	if err := json.Unmarshal([]byte(d.Detail), &n.Detail); err != nil {
		return n, mongox.Wrap("read node", err)
	}
	return n, nil
}

// causesText returns causes as they are stored: empty for none.
func causesText(causes []resulttree.Cause) (string, error) {
	if len(causes) == 0 {
		return "", nil
	}
	text, err := json.Marshal(causes)
	return string(text), err
}

func causesFrom(text string) (causes []resulttree.Cause, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &causes)
	}
	return causes, err
}

func docOfResult(r resulttree.Result) (resultDoc, error) {
	causes, err := causesText(r.Causes)
	if err != nil {
		return resultDoc{}, fmt.Errorf("store result: %w", err)
	}
	d := resultDoc{
		Causes: causes,
		ID:     resultID(r.Org, r.Event), Org: r.Org, Event: r.Event, Version: r.Version, Revision: r.Revision,
		ContextRev: r.ContextRev, Context: r.Context, Contribution: string(r.Contribution), Failed: r.Failed, FailedCount: r.FailedCount,
		EngineVersion: r.EngineVersion, InputsHash: r.InputsHash, CalculatedAt: r.CalculatedAt,
	}
	for _, top := range r.Children {
		text, _ := top.MarshalText() // never fails
		d.Children = append(d.Children, string(text))
	}
	return d, nil
}

func (d resultDoc) result() (resulttree.Result, error) {
	r := resulttree.Result{
		Org: d.Org, Event: d.Event, Version: d.Version, Revision: d.Revision, ContextRev: d.ContextRev, Context: d.Context,
		Contribution: json.RawMessage(d.Contribution), Failed: d.Failed, FailedCount: d.FailedCount, EngineVersion: d.EngineVersion,
		InputsHash: d.InputsHash, CalculatedAt: d.CalculatedAt.UTC(),
	}
	for _, text := range d.Children {
		var top resulttree.Child
		if err := top.UnmarshalText([]byte(text)); err != nil {
			return r, mongox.Wrap("read result", err)
		}
		r.Children = append(r.Children, top)
	}
	var err error
	if r.Causes, err = causesFrom(d.Causes); err != nil {
		return r, fmt.Errorf("read result: %w", err)
	}
	return r, nil
}

// Node implements resulttree.Store.
func (s *Store) Node(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID) (resulttree.Node, error) {
	var d nodeDoc
	err := s.nodes.FindOne(ctx, bson.D{{Key: "_id", Value: nodeID(org, event, id)}, {Key: "org", Value: org}, {Key: "event", Value: event}}).Decode(&d)
	if mongox.IsNoDocument(err) {
		return resulttree.Node{}, resulttree.ErrNotFound
	}
	if err != nil {
		return resulttree.Node{}, mongox.Wrap("read node", err)
	}
	return d.node()
}

// PutNode implements resulttree.Store.
func (s *Store) PutNode(ctx context.Context, n resulttree.Node, prevVersion int64) error {
	d, err := docOfNode(n)
	if err != nil {
		return err
	}
	return put(ctx, s.nodes, bson.D{{Key: "_id", Value: d.ID}, {Key: "org", Value: n.Org}, {Key: "event", Value: n.Event}}, d, prevVersion)
}

// InsertChanges implements resulttree.Store.
func (s *Store) InsertChanges(ctx context.Context, c resulttree.NodeChanges) error {
	changed, err := json.Marshal(c.Changed)
	if err != nil {
		return mongox.Wrap("keep changes", err)
	}
	causes, err := causesText(c.Causes)
	if err != nil {
		return fmt.Errorf("keep changes: %w", err)
	}
	d := changesDoc{
		ID:  nodeID(c.Org, c.Event, c.NodeID) + "/" + strconv.FormatInt(c.Version, 10),
		Org: c.Org, Event: c.Event, Level: c.Level, Type: c.Type, Index: c.Index, Version: c.Version, ContextRev: c.ContextRev, Changed: string(changed), Causes: causes,
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
		c := resulttree.NodeChanges{Org: d.Org, Event: d.Event, NodeID: id, Version: d.Version, ContextRev: d.ContextRev}
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

// nodesAtOnce is how many nodes one answer of the server may have: all that one is
// summed from, so that reading them is one command.
const nodesAtOnce = 2 * resulttree.Fanout

// Nodes implements resulttree.Store.
func (s *Store) Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]resulttree.Node, error) {
	filter := bson.D{{Key: "org", Value: org}, {Key: "event", Value: event}, {Key: "level", Value: level}}
	if typ != "" {
		filter = append(filter, bson.E{Key: "type", Value: typ})
	}
	filter = append(filter, bson.E{Key: "index", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lte", Value: to}}})
	cursor, err := s.nodes.Find(ctx, filter, options.Find().SetSort(bson.D{{Key: "type", Value: 1}, {Key: "index", Value: 1}}).
		SetBatchSize(nodesAtOnce).SetProjection(bson.D{{Key: "detail", Value: 0}}))
	if err != nil {
		return nil, mongox.Wrap("read nodes", err)
	}
	var docs []nodeDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, mongox.Wrap("read nodes", err)
	}
	nodes := make([]resulttree.Node, len(docs))
	for i, d := range docs {
		if nodes[i], err = d.node(); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// Result implements resulttree.Store.
func (s *Store) Result(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Result, error) {
	var d resultDoc
	err := s.results.FindOne(ctx, bson.D{{Key: "_id", Value: resultID(org, event)}, {Key: "org", Value: org}, {Key: "event", Value: event}}).Decode(&d)
	if mongox.IsNoDocument(err) {
		return resulttree.Result{}, resulttree.ErrNotFound
	}
	if err != nil {
		return resulttree.Result{}, mongox.Wrap("read result", err)
	}
	return d.result()
}

// PutResult implements resulttree.Store.
func (s *Store) PutResult(ctx context.Context, r resulttree.Result, prevVersion int64) error {
	d, err := docOfResult(r)
	if err != nil {
		return err
	}
	return put(ctx, s.results, bson.D{{Key: "_id", Value: d.ID}, {Key: "org", Value: r.Org}, {Key: "event", Value: r.Event}}, d, prevVersion)
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
		{Key: "revision", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lte", Value: to}}},
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

// put inserts (prevVersion 0) or replaces one document under its version.
func put(ctx context.Context, c *mongo.Collection, key bson.D, doc any, prevVersion int64) error {
	var stored bool
	var err error
	if prevVersion == 0 {
		stored, err = mongox.Insert(ctx, c, doc)
		stored = !stored
	} else {
		stored, err = mongox.Replace(ctx, c, append(key, bson.E{Key: "version", Value: prevVersion}), doc)
	}
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		return mongox.Wrap("store in "+c.Name(), err)
	case err != nil:
		return err
	case !stored:
		return resulttree.ErrConflict
	}
	return nil
}
