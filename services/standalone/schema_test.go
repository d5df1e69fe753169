package standalone_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/infra/mongodb"
)

// TestSchemaIsBroughtUpInFilledDatabases: services wait for the command, so the
// command itself waits for nobody, whichever database is behind.
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
		// As an older release has left it: the steps may run again.
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
