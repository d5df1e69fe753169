package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// waiting is a process of a service with its own database.
type waiting struct {
	*testkit.Proc
	t           *testing.T
	path        string
	addr, debug string
}

// startWaiting starts the service records.
func startWaiting(t *testing.T, env ...string) *waiting {
	t.Helper()
	w := &waiting{t: t, path: testkit.Binary(t, "services/records/cmd/records"),
		addr: fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), debug: fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))}
	w.Proc = testkit.Process(t, w.path, nil, append([]string{"ECF_ADDR=" + w.addr, "ECF_DEBUG_ADDR=" + w.debug}, env...))
	return w
}

// agrees waits until the debug port, the command healthcheck and the main port agree on
// its readiness. The main port of a process that is not ready may not listen.
func (w *waiting) agrees(ready bool) {
	w.t.Helper()
	testkit.Eventually(w.t, time.Minute, func() error {
		debug, main := statusOf("http://"+w.debug+"/health/ready"), statusOf("http://"+w.addr+"/health/ready")
		check := exec.CommandContext(w.t.Context(), w.path, "healthcheck")
		check.Env = []string{"ECF_DEBUG_ADDR=" + w.debug}
		healthy := check.Run()
		lives := statusOf("http://" + w.debug + "/health/live")
		if (debug == http.StatusOK) != ready || (main == http.StatusOK) != ready || (healthy == nil) != ready || lives != http.StatusOK {
			return fmt.Errorf("want ready %v: debug port %d, main port %d, healthcheck %w, live %d", ready, debug, main, healthy, lives)
		}
		return nil
	})
}

// ends waits until the process has exited with code 1 and one line that says why.
func (w *waiting) ends(why string) {
	w.t.Helper()
	select {
	case <-w.Exited():
	case <-time.After(time.Minute):
		w.t.Fatal("it does not exit")
	}
	if err := w.Wait(); err == nil || strings.Count(w.Output(), why) != 1 {
		w.t.Errorf("it exited with %v, and %d times with %q:\n%s", err, strings.Count(w.Output(), why), why, w.Output())
	}
}

// statusOf returns the status of a response, 0 for none.
func statusOf(url string) int {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(url)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// TestAServiceWaitsOrEndsByTheCause verifies that a process that waits for its
// database, the schema or the keys of auth is live but not ready, and that a cause that
// waiting does not resolve ends it, as it ends commands.
func TestAServiceWaitsOrEndsByTheCause(t *testing.T) {
	t.Parallel()
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := nobody.Addr().String()
	_ = nobody.Close()
	uri, database := testkit.MongoDB(t)
	redis, _ := testkit.Redis(t)
	auth := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	common := []string{"ECF_REDIS_URL=" + redis, "ECF_AUTH_URL=http://" + auth, "ECF_ISSUER=http://" + auth, "ECF_SIGNING_KEYS_DIR=" + t.TempDir()}
	env := append([]string{"ECF_MONGODB_URI=" + withDatabase(uri, database), "ECF_MONGODB_AUTH_URI=" + withDatabase(uri, database+"_auth")}, common...)
	ecf := testkit.Binary(t, "services/standalone/cmd/ecf")
	command(t, ecf, env, "", "org", "create", "--name", "Causes Ltd", "--plan", "team")
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	versions := client.Database(database).Collection("schema_versions")

	startWaiting(t, append([]string{"ECF_MONGODB_URI=mongodb://" + closed + "/away"}, common...)...).agrees(false)

	// The database as an older release left it, with an event.
	if _, err := client.Database(database).Collection("events").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "e"}, {Key: "org", Value: "o"}, {Key: "slot", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := versions.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "suppliers"}}); err != nil {
		t.Fatal(err)
	}
	w := startWaiting(t, env...)
	w.WaitLine("ecf schema up")
	w.agrees(false)
	command(t, ecf, env, "", "schema", "up")
	// Now it has a database, but no keys.
	testkit.Eventually(t, time.Minute, func() error {
		if got := statusOf("http://" + w.addr + "/health/ready"); got != http.StatusServiceUnavailable {
			return fmt.Errorf("the main port: %d", got)
		}
		return nil
	})
	w.agrees(false)
	testkit.Process(t, testkit.Binary(t, "services/auth/cmd/auth"), nil, append([]string{"ECF_ADDR=" + auth}, env...))
	w.agrees(true)

	// The index that keeps numbers unique was dropped.
	if err := client.Database(database).Collection("history").Indexes().DropOne(t.Context(), "rev"); err != nil {
		t.Fatal(err)
	}
	startWaiting(t, env...).ends("history.rev")

	// A newer release has migrated the schema, and its contract excludes this one.
	if _, err := versions.UpdateByID(t.Context(), "records", bson.D{{Key: "$set", Value: bson.D{{Key: "version", Value: 999}, {Key: "minReader", Value: 999}}}}); err != nil {
		t.Fatal(err)
	}
	startWaiting(t, env...).ends("newer")
	refused := exec.CommandContext(t.Context(), ecf, "org", "create", "--name", "Refused Ltd", "--plan", "team")
	refused.Env = env
	if out, err := refused.CombinedOutput(); err == nil || strings.Count(string(out), "newer") != 1 {
		t.Errorf("a command exits with %v:\n%s", err, out)
	}
}
