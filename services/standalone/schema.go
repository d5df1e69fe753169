package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/mongox"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/schema"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	accountmongo "github.com/eventcarbon/ecf/services/auth/account/mongostore"
	accountsqlite "github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// sqliteSchema returns the components of the embedded database.
func sqliteSchema() []sqlitex.Component {
	return slices.Concat(recordsqlite.Schema(), resultsqlite.Schema(), accountsqlite.Schema())
}

// schemaStatus compares the schema of the data with what this program supports. It writes
// nothing.
func schemaStatus(ctx context.Context, env app.Env, d Data) ([]schema.Status, error) {
	if d.Records.URI == "" {
		if err := d.mustExist(); err != nil {
			return nil, err
		}
		if err := prepareDataDir(d.Dir.Path); err != nil {
			return nil, err
		}
		all, err := sqlitex.Inspect(ctx, filepath.Join(d.Dir.Path, DatabaseFile), sqliteSchema()...)
		return all, notRead(d.Dir.Path, err)
	}
	return onMongo(ctx, env, d, func(ctx context.Context, db *mongo.Database, of mongoDatabase) ([]schema.Status, error) {
		return mongox.SchemaStatus(ctx, db, of.components...)
	})
}

// onMongo calls do for each of the MongoDB databases, as soon as it responds, and returns the
// versions that do returns.
func onMongo(ctx context.Context, env app.Env, d Data, do func(ctx context.Context, db *mongo.Database, of mongoDatabase) ([]schema.Status, error)) ([]schema.Status, error) {
	var all []schema.Status
	for _, database := range mongoDatabases(d) {
		db, disconnect, err := mongodb.Dial(ctx, env, "ecf-schema", database.uri, database.name)
		if err != nil {
			return nil, err
		}
		list, err := mongodb.Await(ctx, env, "database "+database.name, func(ctx context.Context) ([]schema.Status, error) {
			return do(ctx, db, database)
		})
		if err := errors.Join(err, disconnect()); err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// mustBeCurrent returns an error if the schema of stores with data is older than this program needs. The operator decides
// when it is brought up, which can take long.
func mustBeCurrent(ctx context.Context, env app.Env, records, accounts *mongo.Database) error {
	var outdated error
	for _, store := range []struct {
		db         *mongo.Database
		components []mongox.Component
		indexes    []mongox.Index
	}{
		{records, recordmongo.Schema(), recordmongo.Indexes()},
		{records, resultmongo.Schema(), resultmongo.Indexes()},
		{accounts, accountmongo.Schema(), accountmongo.Indexes()},
	} {
		// An outage is waited for, but not the operator.
		pending, err := mongodb.Await(ctx, env, "database "+store.db.Name(), func(ctx context.Context) (error, error) {
			err := mongox.CheckPending(ctx, store.db, store.components, store.indexes)
			if errors.Is(err, mongox.ErrPending) {
				return fmt.Errorf("database %s: %w", store.db.Name(), err), nil
			}
			return nil, err
		})
		if err != nil {
			return err
		}
		outdated = errors.Join(outdated, pending)
	}
	return outdated
}

// mongoDatabase is one of the MongoDB databases with its components.
type mongoDatabase struct {
	uri, name  string
	components []mongox.Component
	indexes    []mongox.Index
}

func mongoDatabases(d Data) []mongoDatabase {
	return []mongoDatabase{
		{d.Records.URI, d.Records.Database(), slices.Concat(recordmongo.Schema(), resultmongo.Schema()),
			slices.Concat(recordmongo.Indexes(), resultmongo.Indexes())},
		{d.Accounts.URI, d.Accounts.Database(), accountmongo.Schema(), accountmongo.Indexes()},
	}
}

// printSchema prints a line for each component.
func printSchema(out io.Writer, all []schema.Status) error {
	for _, s := range all {
		state := "current"
		switch {
		case s.Check() != nil:
			state = "too new for this program"
		case s.Pending():
			state = "to be upgraded with: ecf schema up"
		case s.Contracts() > 0:
			state = "current; when no program of the release before runs any more: ecf schema contract"
		}
		if _, err := fmt.Fprintf(out, "%s: version %d of %d, %s\n", s.Component, s.Stored.Version, s.Newest, state); err != nil {
			return err
		}
	}
	return nil
}

// showSchema prints the versions of the data. It fails if the program must not use them or
// migrations are missing.
func showSchema(ctx context.Context, env app.Env, d *Data) error {
	all, err := schemaStatus(ctx, env, *d)
	if err != nil {
		return err
	}
	if err := printSchema(env.Stdout, all); err != nil {
		return err
	}
	if err := schema.Check(all); err != nil {
		return err
	}
	if schema.Pending(all) {
		return errors.New("the schema is older than this program")
	}
	return nil
}

// contractSchema applies the migrations that exclude the programs of the previous release. In
// the embedded database they are applied already, because only one program uses it.
func contractSchema(ctx context.Context, env app.Env, d *Data) error {
	if d.Records.URI == "" {
		return showSchema(ctx, env, d)
	}
	all, err := onMongo(ctx, env, *d, func(ctx context.Context, db *mongo.Database, of mongoDatabase) ([]schema.Status, error) {
		if err := mongox.Contract(ctx, db, of.components...); err != nil {
			return nil, err
		}
		return mongox.SchemaStatus(ctx, db, of.components...)
	})
	if err != nil {
		return err
	}
	return printSchema(env.Stdout, all)
}

// upgradeSchema migrates the data to the newest versions, and creates indexes that are missing
// nevertheless. It may be interrupted and repeated.
// It opens no store of a service, because those wait for the migrations.
func upgradeSchema(ctx context.Context, env app.Env, d *Data) error {
	if d.Records.URI != "" {
		all, err := onMongo(ctx, env, *d, func(ctx context.Context, db *mongo.Database, of mongoDatabase) ([]schema.Status, error) {
			if err := mongox.Up(ctx, db, of.components...); err != nil {
				return nil, err
			}
			if err := mongox.CreateMissing(ctx, db, of.indexes...); err != nil {
				return nil, err
			}
			return mongox.SchemaStatus(ctx, db, of.components...)
		})
		if err != nil {
			return err
		}
		return printSchema(env.Stdout, all)
	}
	opened, err := openStores(ctx, env, *d)
	if err != nil {
		return err
	}
	if err := opened.close(); err != nil {
		return err
	}
	all, err := schemaStatus(ctx, env, *d)
	if err != nil {
		return err
	}
	return printSchema(env.Stdout, all)
}
