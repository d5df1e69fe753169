// Package mongostore stores results in MongoDB. It is the only package with their BSON.
package mongostore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Store is a resulttree.Store on MongoDB.
type Store struct {
	nodes, changes, results, revisions, parts *mongo.Collection
	form                                      form
}

var _ resulttree.Store = (*Store)(nil)

// Schema returns the versions of what this package stores, for mongox.Up.
func Schema() []mongox.Component {
	return []mongox.Component{{Name: "results", Fresh: mongox.FromNothing(Indexes()...), Steps: []mongox.Step{
		mongox.CreateIndexes(1, Indexes()[:3]...),
		mongox.CreateIndexes(1, Indexes()[3:]...),
		separateChildren(),
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
	s := Attach(db)
	return s, s.form.ask(ctx)
}

// Serve returns the store in a database for a service, and the names of the
// indexes that it misses, see mongox.Serve.
func Serve(ctx context.Context, db *mongo.Database) (s *Store, slow []string, err error) {
	s = Attach(db)
	if slow, err = mongox.Serve(ctx, db, Schema(), Indexes()); err == nil {
		err = s.form.ask(ctx)
	}
	return s, slow, err
}

// Attach returns the store in a database whose schema is up to date. It contacts
// no server.
func Attach(db *mongo.Database) *Store {
	return &Store{
		nodes:     db.Collection("result_nodes"),
		changes:   db.Collection("result_changes"),
		results:   db.Collection("results"),
		revisions: db.Collection("result_revisions"),
		parts:     db.Collection("result_parts"),
		form:      form{db: db},
	}
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
	Since      int64          `bson:"since,omitempty"`
}

// Together implements resulttree.Store: the writes come one after the other.
func (s *Store) Together(ctx context.Context, fn func(ctx context.Context) error) error {
	return fn(ctx)
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
	Since         int64                  `bson:"since,omitempty"`
	Previous      string                 `bson:"previous,omitempty"`
}

func resultID(org record.OrgID, event record.EventID) string {
	return string(org) + "/" + string(event)
}

// causesText returns the stored form of causes: empty for none.
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
		EngineVersion: r.EngineVersion, InputsHash: r.InputsHash, CalculatedAt: r.CalculatedAt, Since: r.Since, Previous: r.Previous,
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
		InputsHash: d.InputsHash, CalculatedAt: d.CalculatedAt.UTC(), Since: d.Since, Previous: d.Previous,
	}
	for _, text := range d.Children {
		var top resulttree.Child
		if err := top.UnmarshalText([]byte(text)); err != nil {
			return r, mongox.Wrap("read result", record.Damaged(err))
		}
		r.Children = append(r.Children, top)
	}
	var err error
	if r.Causes, err = causesFrom(d.Causes); err != nil {
		return r, fmt.Errorf("read result: %w", record.Damaged(err))
	}
	return r, nil
}

// Result implements resulttree.Store.
func (s *Store) Result(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Result, error) {
	text, err := s.results.FindOne(ctx, bson.D{{Key: "_id", Value: resultID(org, event)}, {Key: "org", Value: org}, {Key: "event", Value: event}}).Raw()
	if mongox.IsNoDocument(err) {
		return resulttree.Result{}, resulttree.ErrNotFound
	}
	if err != nil {
		return resulttree.Result{}, mongox.Wrap("read result", err)
	}
	var d resultDoc
	if err := bson.Unmarshal(text, &d); err != nil {
		return resulttree.Result{}, mongox.Wrap("read result", record.Damaged(err))
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
