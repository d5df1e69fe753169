package mongox

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/schema"
)

// Component is one owner's part of a database.
type Component = schema.Component[*mongo.Database]

// Step is one change of a component. Nothing here is a transaction: a step may
// be run again after a crash, or by several processes at once.
type Step = schema.Step[*mongo.Database]

// versions is the collection of the schema versions: one document for each
// component.
const versions = "schema_versions"

// stepTimeout bounds one step of an upgrade. An index over a large collection
// takes minutes, while a request must not wait for more than operationTimeout.
const stepTimeout = 30 * time.Minute

type versionDoc struct {
	Component string `bson:"_id"`
	Version   int    `bson:"version"`
	MinReader int    `bson:"minReader"`
}

// Index describes an index of a collection over ascending fields.
type Index struct {
	Collection string
	Name       string // the server's default where empty
	Unique     bool
	Keys       bson.D
}

// Ascending returns the keys of an index over the fields, all ascending.
func Ascending(fields ...string) bson.D {
	keys := make(bson.D, len(fields))
	for i, f := range fields {
		keys[i] = bson.E{Key: f, Value: 1}
	}
	return keys
}

// CreateIndexes returns the step that creates indexes. It costs one command for
// each collection and changes nothing where they exist.
func CreateIndexes(minReader int, indexes ...Index) Step {
	return Step{MinReader: minReader, Apply: func(ctx context.Context, db *mongo.Database) error {
		var order []string
		models := map[string][]mongo.IndexModel{}
		for _, i := range indexes {
			o := options.Index()
			if i.Name != "" {
				o.SetName(i.Name)
			}
			if i.Unique {
				o.SetUnique(true)
			}
			if models[i.Collection] == nil {
				order = append(order, i.Collection)
			}
			models[i.Collection] = append(models[i.Collection], mongo.IndexModel{Keys: i.Keys, Options: o})
		}
		for _, name := range order {
			if _, err := db.Collection(name).Indexes().CreateMany(ctx, models[name]); err != nil {
				return fmt.Errorf("create indexes of %s: %w", name, err)
			}
		}
		return nil
	}}
}

// SchemaStatus compares the components of a database with their steps. It
// writes nothing.
func SchemaStatus(ctx context.Context, db *mongo.Database, components ...Component) ([]schema.Status, error) {
	all := make([]schema.Status, len(components))
	for i, c := range components {
		var d versionDoc
		err := db.Collection(versions).FindOne(ctx, bson.D{{Key: "_id", Value: c.Name}}).Decode(&d)
		if err != nil && !IsNoDocument(err) {
			return nil, Wrap("read schema version of "+c.Name, err)
		}
		all[i] = schema.StatusOf(c, schema.Stored{Version: d.Version, MinReader: d.MinReader})
	}
	return all, nil
}

// Up brings the components of a database to their newest versions, one step
// after the other. It returns an error that wraps schema.ErrNewer, before it
// changes anything, if a newer release has made the database unreadable for
// this one. Several processes may call it at once.
func Up(ctx context.Context, db *mongo.Database, components ...Component) error {
	all, err := SchemaStatus(ctx, db, components...)
	if err != nil {
		return err
	}
	if err := schema.Check(all); err != nil {
		return err
	}
	for i, c := range components {
		for v := all[i].Stored.Version; v < c.Newest(); v++ {
			if err := apply(ctx, db, c, v); err != nil {
				return Wrap(fmt.Sprintf("schema of %s, step to version %d", c.Name, v+1), err)
			}
		}
	}
	return nil
}

// apply runs the step after version v and stores the version it leads to, unless
// another process has gone further already.
func apply(ctx context.Context, db *mongo.Database, c Component, v int) error {
	// A deadline of the context's own replaces the client's bound.
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	step := c.Steps[v]
	if err := step.Apply(ctx, db); err != nil {
		return err
	}
	in := db.Collection(versions)
	_, err := in.InsertOne(ctx, versionDoc{Component: c.Name, Version: v + 1, MinReader: step.MinReader})
	if !IsDuplicate(err) {
		return err
	}
	_, err = in.UpdateOne(ctx,
		bson.D{{Key: "_id", Value: c.Name}, {Key: "version", Value: bson.D{{Key: "$lt", Value: v + 1}}}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "version", Value: v + 1}, {Key: "minReader", Value: step.MinReader}}}})
	return err
}
