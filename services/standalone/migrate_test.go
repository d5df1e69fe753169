package standalone_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/mongox"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	accountmongo "github.com/eventcarbon/ecf/services/auth/account/mongostore"
	accountsqlite "github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
	"github.com/eventcarbon/ecf/services/standalone"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// demo returns a data directory with the example event, whose server has stopped, and the results it served.
func demo(t *testing.T) (dir string, results string) {
	t.Helper()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_DEMO": "true", "ECF_DEMO_PASSWORD": password}}
	t.Run("serve the demo", func(t *testing.T) {
		c := &commands{t, c.env}
		results = settled(t, c.serve())
	})
	return c.env["ECF_DATA_DIR"], results
}

// timestamp matches the time of a response in its envelope.
var timestamp = regexp.MustCompile(`,"meta":\{[^{}]*\}`)

// settled signs in to the demo and returns its results once no recalculation is due.
func settled(t *testing.T, base string) (results string) {
	t.Helper()
	token := signedIn(t, base)
	testkit.Eventually(t, time.Minute, func() error {
		_, list := ask(t, "GET", base+"/api/v2/events?limit=100", token, "")
		var page struct {
			Data struct {
				Items []struct {
					ID string `json:"_id"`
				} `json:"items"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(list), &page); err != nil || len(page.Data.Items) == 0 {
			return fmt.Errorf("no event: %s", list)
		}
		// The example is the oldest event.
		id := page.Data.Items[len(page.Data.Items)-1].ID
		status, body := ask(t, "GET", base+"/api/v2/events/"+id+"/results", token, "")
		if status != http.StatusOK || !strings.Contains(body, `"current"`) {
			return fmt.Errorf("%d %s", status, body)
		}
		results = timestamp.ReplaceAllString(body, "")
		return nil
	})
	return results
}

func signedIn(t *testing.T, base string) (token string) {
	t.Helper()
	_, body := ask(t, "POST", base+"/api/v2/auth/login", "", `{"email":"manager@demo.test","password":"`+password+`"}`)
	var answer struct {
		Data struct {
			AccessToken string `json:"accessToken"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Data.AccessToken == "" {
		t.Fatalf("sign in: %s", body)
	}
	return answer.Data.AccessToken
}

// emptyMongo returns the address of an empty database.
func emptyMongo(t *testing.T) string {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	scheme, rest, _ := strings.Cut(uri, "://")
	host, query, _ := strings.Cut(rest, "/")
	_, query, _ = strings.Cut(query, "?")
	address := scheme + "://" + host + "/" + database + "?" + query
	if strings.Contains(host, "@") && !strings.Contains(query, "authSource") {
		address += "&authSource=admin"
	}
	return strings.TrimSuffix(address, "?")
}

// A standalone system is migrated to MongoDB, backed up there under writes, and migrated back to a file and to other
// databases: every row, chain and result is unchanged.
func TestMigrateAndBackUpMongoDB(t *testing.T) {
	t.Parallel()
	dir, want := demo(t)
	file := &commands{t, map[string]string{"ECF_DATA_DIR": dir}}
	moved := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_MONGODB_URI": emptyMongo(t)}}
	// The address has a password: a file hides it from the process list.
	address := filepath.Join(t.TempDir(), "to")
	if err := os.WriteFile(address, []byte(moved.env["ECF_MONGODB_URI"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	(&commands{t, map[string]string{"ECF_DATA_DIR": dir, "ECF_MIGRATE_TO_FILE": address}}).must("", "migrate")
	if out := file.must("", "migrate", "--to", moved.env["ECF_MONGODB_URI"]); !strings.Contains(out, "have been copied to these databases before, completely") {
		t.Errorf("moved again: %s", out)
	}
	other := smallSystem(t)
	if _, err := other.run("", "migrate", "--to", moved.env["ECF_MONGODB_URI"]); err == nil || !strings.Contains(err.Error(), "but must be empty") {
		t.Errorf("moved over data: %v", err)
	}
	// As a copy by an earlier release, which did not mark it.
	records, accounts := mongodb.At(moved.env["ECF_MONGODB_URI"])
	for _, at := range []struct{ uri, name string }{{records.URI, records.Database()}, {accounts.URI, accounts.Database()}} {
		db, disconnect, err := mongodb.Connect("test", at.uri, at.name)
		must(t, err)
		_, err = db.Collection("schema_versions").DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "incoming copy"}})
		must(t, err)
		must(t, disconnect())
	}
	if _, err := file.run("", "migrate", "--to", moved.env["ECF_MONGODB_URI"]); err == nil || !strings.Contains(err.Error(), "drop the databases and repeat the command") {
		t.Errorf("moved over a copy without a mark: %v", err)
	}
	chains, err := file.run("", "audit", "verify")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := moved.run("", "audit", "verify"); err != nil || got != chains {
		t.Errorf("chains: %v\ngot\n%s\nwant\n%s", err, got, chains)
	}
	into := t.TempDir()
	t.Run("serve from MongoDB", func(t *testing.T) {
		c := &commands{t, moved.env}
		base := c.serve()
		if got := settled(t, base); got != want {
			t.Errorf("results moved to MongoDB:\n%s\nwant\n%s", got, want)
		}
		// Edits and new records during the copy.
		ended := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer close(ended)
			token := signedIn(t, base)
			for n := 0; ctx.Err() == nil; n++ {
				ask(t, "POST", base+"/api/v2/events", token, fmt.Sprintf(`{"title":"Meanwhile %d","startDate":"2026-11-01","endDate":"2026-11-02","country":"DE"}`, n))
			}
		}()
		moved.must("", "backup", "--into", into, "--keep", "1")
		stop()
		<-ended
	})
	if out, err := file.run("", "backup", "verify", into); err != nil || !strings.Contains(out, "is whole") {
		t.Fatalf("%v\n%s", err, out)
	}
	folders, err := filepath.Glob(filepath.Join(into, "ecf-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("backups %v: %v", folders, err)
	}
	if _, err := moved.run("", "restore", "--from", folders[0]); err == nil {
		t.Error("restored over data")
	}
	for name, c := range map[string]*commands{
		"file":    {t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": filepath.Join(t.TempDir(), "data")}},
		"mongodb": {t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_MONGODB_URI": emptyMongo(t)}},
	} {
		c.must("", "restore", "--from", folders[0])
		if _, err := c.run("", "restore", "--from", folders[0]); err == nil ||
			name == "mongodb" && !strings.Contains(err.Error(), "restored into these databases before, completely") {
			t.Errorf("%s: restored again: %v", name, err)
		}
		if got := settled(t, c.serve()); got != want {
			t.Errorf("%s: results restored:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// A copy that is cut off anywhere is completed by the next attempt.
func TestCopyResumesWhereverItWasCutOff(t *testing.T) {
	t.Parallel()
	dir, _ := demo(t)
	db, err := sqlitex.Open(t.Context(), filepath.Join(dir, standalone.DatabaseFile), slices.Concat(recordsqlite.Schema(), resultsqlite.Schema(), accountsqlite.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	source := transfer.InFile(db)
	want, err := transfer.ContentsOf(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"organizations", "events", "records", "history entries", "results", "result nodes", "users", "sessions", "audit entries"} {
		if want[kind].Count == 0 {
			t.Errorf("the example has none of %s", kind)
		}
	}
	uri, name := testkit.MongoDB(t)
	var left atomic.Int64
	var cut atomic.Pointer[context.CancelFunc]
	client, err := mongox.Connect(uri, mongox.Options{AppName: "transfer-test", Monitor: &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			if stop := cut.Load(); stop != nil && (e.CommandName == "insert" || e.CommandName == "update") && left.Add(-1) == 0 {
				(*stop)()
			}
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	target := inMongo(t, client.Database(name), client.Database(name+"_auth"))
	attempts := 0
	for writes := int64(1); ; writes += writes/2 + 1 {
		ctx, stop := context.WithCancel(t.Context())
		left.Store(writes)
		cut.Store(&stop)
		err := transfer.Copy(ctx, target, source)
		wasCut := ctx.Err() != nil
		stop()
		if err == nil && !wasCut {
			break
		}
		if attempts++; attempts > 100 || !wasCut {
			t.Fatalf("attempt %d: %v", attempts, err)
		}
	}
	cut.Store(nil)
	if attempts < 3 {
		t.Errorf("it was cut off %d times only", attempts)
	}
	got, err := transfer.ContentsOf(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Compare(want); err != nil {
		t.Error(err)
	}
}

func inMongo(t *testing.T, db, accounts *mongo.Database) transfer.Stores {
	t.Helper()
	records, err := recordmongo.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	results, err := resultmongo.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	users := accountmongo.New(accounts)
	if err := users.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return transfer.Stores{Records: records, Results: results, Accounts: users}
}
