package standalone_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/infra/mongodb"
)

// TestSchemaIsBroughtUpInFilledDatabases: services wait for the command, so the command itself must not wait,
// whichever database is outdated.
func TestSchemaIsBroughtUpInFilledDatabases(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir(), "ECF_MONGODB_URI": emptyMongo(t)}}
	org := strings.TrimSpace(c.must("", "org", "create", "--name", "Filled Ltd", "--plan", "team"))
	c.must(password+"\n", "user", "create", "--org", org, "--email", "jo@filled.test", "--role", "manager")
	records, accounts := mongodb.At(c.env["ECF_MONGODB_URI"])
	for _, database := range []struct{ uri, name, component string }{
		{records.URI, records.Database(), "suppliers"}, {records.URI, records.Database(), "results"}, {accounts.URI, accounts.Database(), "accounts"},
	} {
		db, disconnect, err := mongodb.Connect("test", database.uri, database.name)
		if err != nil {
			t.Fatal(err)
		}
		// The state of an older release: the steps may run again.
		if _, err := db.Collection("schema_versions").DeleteOne(t.Context(), bson.D{{Key: "_id", Value: database.component}}); err != nil {
			t.Fatal(err)
		}
		if out, err := c.run("", "schema", "status"); err == nil || !strings.Contains(out, database.component+": version 0") {
			t.Errorf("%s: the status is %v\n%s", database.component, err, out)
		}
		if out, err := c.run("", "schema", "up"); err != nil || strings.Contains(out, "version 0") || !strings.Contains(out, database.component+": ") {
			t.Errorf("%s: brought up: %v\n%s", database.component, err, out)
		}
		if err := disconnect(); err != nil {
			t.Error(err)
		}
	}
}

// TestCommandsNameTheOutdatedSchema: a command on databases of an older release ends, and says which command is to be run
// first; it changes neither.
func TestCommandsNameTheOutdatedSchema(t *testing.T) {
	t.Parallel()
	p := processes{t, []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + emptyMongo(t)}}
	org := strings.TrimSpace(p.must("", "org", "create", "--name", "Filled Ltd", "--plan", "team"))
	p.must(password+"\n", "user", "create", "--org", org, "--email", "jo@filled.test", "--role", "manager")
	_, address, _ := strings.Cut(p.env[1], "=")
	records, accounts := mongodb.At(address)
	for _, database := range []struct{ uri, name, component string }{
		{records.URI, records.Database(), "suppliers"}, {accounts.URI, accounts.Database(), "accounts"},
	} {
		db, disconnect, err := mongodb.Connect("test", database.uri, database.name)
		must(t, err)
		_, err = db.Collection("schema_versions").DeleteOne(t.Context(), bson.D{{Key: "_id", Value: database.component}})
		must(t, err)
		// Empty collections with indexes are brought up at once.
		_, err = db.Collection("events").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "of the test"}})
		must(t, err)
		for _, args := range [][]string{
			{"org", "list"}, {"user", "list", "--org", org}, {"org", "create", "--name", "Other Ltd", "--plan", "team"},
			{"audit", "verify"}, {"backup", "--to", filepath.Join(t.TempDir(), "backup")},
		} {
			if out, err := p.refused(args...); err == nil || !strings.Contains(out, "database "+database.name+": ") || !strings.Contains(out, "run ecf schema up") {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		}
		if n, err := db.Collection("schema_versions").CountDocuments(t.Context(), bson.D{{Key: "_id", Value: database.component}}); err != nil || n != 0 {
			t.Errorf("a command has brought up %s: %v", database.component, err)
		}
		_, err = db.Collection("events").DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "of the test"}})
		must(t, err)
		p.must("", "schema", "up")
		p.must("", "org", "list")
		must(t, disconnect())
	}
}

// TestContractsOfTheSchemaWaitForTheirCommand starts from a database of the previous release.
func TestContractsOfTheSchemaWaitForTheirCommand(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir(), "ECF_MONGODB_URI": emptyMongo(t)}}
	c.must("", "schema", "up")
	const taken, waits = "results: version 3 of 3, current\n", "results: version 2 of 3, current; when no program of the release before runs any more: ecf schema contract\n"
	if out, err := c.run("", "schema", "status"); err != nil || !strings.Contains(out, taken) {
		t.Errorf("a new database: %v\n%s", err, out)
	}
	records, _ := mongodb.At(c.env["ECF_MONGODB_URI"])
	db, disconnect, err := mongodb.Connect("test", records.URI, records.Database())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Collection("schema_versions").UpdateByID(t.Context(), "results", bson.D{{Key: "$set", Value: bson.D{{Key: "version", Value: 2}, {Key: "minReader", Value: 1}}}}); err != nil {
		t.Fatal(err)
	}
	if err := disconnect(); err != nil {
		t.Error(err)
	}
	for _, step := range []struct{ command, want string }{{"status", waits}, {"up", waits}, {"contract", taken}, {"status", taken}, {"contract", taken}} {
		if out, err := c.run("", "schema", step.command); err != nil || !strings.Contains(out, step.want) {
			t.Errorf("schema %s: %v\n%s", step.command, err, out)
		}
	}
}

// TestSchemaUpCreatesADroppedIndex drops indexes of the current version: a service names the command that restores them.
func TestSchemaUpCreatesADroppedIndex(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir(), "ECF_MONGODB_URI": emptyMongo(t)}}
	c.must("", "schema", "up")
	records, accounts := mongodb.At(c.env["ECF_MONGODB_URI"])
	for _, dropped := range []struct{ uri, name, collection, index string }{
		{records.URI, records.Database(), "supplier_factors", "version"}, {records.URI, records.Database(), "records", "waiting"},
		{accounts.URI, accounts.Database(), "audit", "org_1_seq_1"},
	} {
		db, disconnect, err := mongodb.Connect("test", dropped.uri, dropped.name)
		if err != nil {
			t.Fatal(err)
		}
		indexes := db.Collection(dropped.collection).Indexes()
		if err := indexes.DropOne(t.Context(), dropped.index); err != nil {
			t.Fatal(err)
		}
		c.must("", "schema", "up")
		list, err := indexes.ListSpecifications(t.Context())
		if err != nil || !slices.ContainsFunc(list, func(i mongo.IndexSpecification) bool { return i.Name == dropped.index }) {
			t.Errorf("%s.%s is missing: %v", dropped.collection, dropped.index, err)
		}
		if err := disconnect(); err != nil {
			t.Error(err)
		}
	}
}
