package mongox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/schema"
)

// Component is one owner's part of a database.
type Component = schema.Component[*mongo.Database]

// Step is one change of a component. It is not transactional: a step may run again after a crash, or in several
// processes at once.
type Step = schema.Step[*mongo.Database]

// versions is the collection of the schema versions: one document for each
// component.
const versions = "schema_versions"

// stepTimeout bounds one step of an upgrade. An index over a large collection takes minutes, while a request must not
// wait for more than operationTimeout.
const stepTimeout = 30 * time.Minute

type versionDoc struct {
	Component string `bson:"_id"`
	Version   int    `bson:"version"`
	MinReader int    `bson:"minReader"`
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

// Up brings the components of a database to the versions that the program needs,
// one step after the other, and empty ones to the newest. It returns an error that wraps schema.ErrNewer, before it
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
		if all[i].Stored.Version == 0 && c.Fresh != nil {
			done, err := begin(ctx, db, c)
			if err != nil {
				return Wrap("schema of "+c.Name, err)
			}
			if done {
				continue
			}
		}
		if err := steps(ctx, db, c, all[i].Stored.Version, c.Needed()); err != nil {
			return err
		}
	}
	return nil
}

// Contract upgrades the components of a database to their newest versions, including the steps that must wait until
// no program of the previous release runs. It may be repeated.
func Contract(ctx context.Context, db *mongo.Database, components ...Component) error {
	all, err := SchemaStatus(ctx, db, components...)
	if err != nil {
		return err
	}
	if err := schema.Check(all); err != nil {
		return err
	}
	for i, c := range components {
		if err := steps(ctx, db, c, all[i].Stored.Version, c.Newest()); err != nil {
			return err
		}
	}
	return nil
}

func steps(ctx context.Context, db *mongo.Database, c Component, from, to int) error {
	for v := from; v < to; v++ {
		if err := apply(ctx, db, c, v); err != nil {
			return Wrap(fmt.Sprintf("schema of %s, step to version %d", c.Name, v+1), err)
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
	return note(ctx, db, versionDoc{Component: c.Name, Version: v + 1, MinReader: step.MinReader})
}

// begin upgrades an empty database to the newest version, and reports whether it was empty.
func begin(ctx context.Context, db *mongo.Database, c Component) (done bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	if done, err = c.Fresh(ctx, db); err != nil || !done {
		return false, err
	}
	newest := c.Newest()
	return true, note(ctx, db, versionDoc{Component: c.Name, Version: newest, MinReader: c.Steps[newest-1].MinReader})
}

// note stores a version, unless a later one is stored.
func note(ctx context.Context, db *mongo.Database, d versionDoc) error {
	in := db.Collection(versions)
	_, err := in.InsertOne(ctx, d)
	if !IsDuplicate(err) {
		return err
	}
	_, err = in.UpdateOne(ctx,
		bson.D{{Key: "_id", Value: d.Component}, {Key: "version", Value: bson.D{{Key: "$lt", Value: d.Version}}}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "version", Value: d.Version}, {Key: "minReader", Value: d.MinReader}}}})
	return err
}

// ErrPending is wrapped by the error for a database with documents and an older schema: it is upgraded by a command,
// since creating an index may take long, and not by a service at its start.
var ErrPending = errors.New("the schema of the database is to be brought up first: run ecf schema up")

// Serve prepares a database for a service. An empty one is brought to the
// newest version; any other must have it (ErrPending, schema.ErrNewer) and the
// indexes that keep values unique (ErrIndex), and no unfinished copy (ErrIncoming). It returns
// the names of missing indexes without which the program is slow.
func Serve(ctx context.Context, db *mongo.Database, components []Component, indexes []Index) (slow []string, err error) {
	all, err := SchemaStatus(ctx, db, components...)
	if err != nil {
		return nil, err
	}
	if err := schema.Check(all); err != nil {
		return nil, err
	}
	if err := CheckIncoming(ctx, db); err != nil {
		return nil, err
	}
	if schema.Pending(all) {
		if err := checkPending(ctx, db, all, indexes); err != nil {
			return nil, err
		}
		return nil, Up(ctx, db, components...)
	}
	return CheckIndexes(ctx, db, indexes)
}

// CheckPending returns an error that wraps ErrPending if the schema of the components is older than the program needs, and
// the collections of their indexes have documents.
func CheckPending(ctx context.Context, db *mongo.Database, components []Component, indexes []Index) error {
	all, err := SchemaStatus(ctx, db, components...)
	if err != nil || !schema.Pending(all) {
		return err
	}
	return checkPending(ctx, db, all, indexes)
}

func checkPending(ctx context.Context, db *mongo.Database, all []schema.Status, indexes []Index) error {
	empty, err := isEmpty(ctx, db, indexes)
	if err != nil || empty {
		return err
	}
	return pendingError(all)
}

func pendingError(all []schema.Status) error {
	for _, s := range all {
		if s.Pending() {
			return fmt.Errorf("%w (%q has version %d, this program needs %d)", ErrPending, s.Component, s.Stored.Version, s.Needed)
		}
	}
	return nil
}

// FromNothing returns a function that creates the indexes of a component's newest version in an empty database.
func FromNothing(indexes ...Index) func(context.Context, *mongo.Database) (bool, error) {
	return func(ctx context.Context, db *mongo.Database) (bool, error) {
		empty, err := isEmpty(ctx, db, indexes)
		if err != nil || !empty {
			return false, err
		}
		return true, CreateIndexes(0, indexes...).Apply(ctx, db)
	}
}

// SchemaComment is the comment of commands that inspect a collection for its schema; they belong to no organization.
const SchemaComment = "schema"

// isEmpty reports whether no collection that has one of the indexes has a document.
func isEmpty(ctx context.Context, db *mongo.Database, indexes []Index) (bool, error) {
	looked := map[string]bool{}
	for _, i := range indexes {
		if looked[i.Collection] {
			continue
		}
		looked[i.Collection] = true
		err := db.Collection(i.Collection).FindOne(ctx, bson.D{}, options.FindOne().SetComment(SchemaComment).SetProjection(bson.D{{Key: "_id", Value: 1}})).Err()
		if err == nil {
			return false, nil
		}
		if !IsNoDocument(err) {
			return false, Wrap("look into "+i.Collection, err)
		}
	}
	return true, nil
}
