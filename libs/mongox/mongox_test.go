package mongox_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"mongodb://localhost:27017":                                 "mongodb://localhost:27017",
		"mongodb://ecf:s3cret@db/ecf?authSource=admin":              "mongodb://ecf:xxxxx@db/ecf",
		"mongodb://ecf:s3cret@a:27017,b:27017,c/ecf?replicaSet=rs0": "mongodb://ecf:xxxxx@a:27017,b:27017,c/ecf",
		"mongodb+srv://ecf:s3cret@cluster.example.net/":             "mongodb+srv://ecf:xxxxx@cluster.example.net/",
		"mongodb://ecf:s3/c@r:e@db/ecf":                             "mongodb://ecf:xxxxx@db/ecf",
		"mongodb://ecf:s3?cret@db/ecf":                              "(unreadable address)",
		"mongodb://ecf:p@s3?cret@db/ecf":                            "(unreadable address)",
		"mongodb://db/?tlsCertificateKeyFilePassword=s3cret":        "mongodb://db/",
		"mongodb://db/?tlsCertificateKeyFilePassword=x@s3cret":      "(unreadable address)",
		"postgres://ecf:s3cret@db":                                  "(unreadable address)",
		"s3cret":                                                    "(unreadable address)",
		"":                                                          "(unreadable address)",
	} {
		got := mongox.Redact(uri)
		if got != want {
			t.Errorf("%s: got %s, want %s", uri, got, want)
		}
		if strings.Contains(got, "s3") {
			t.Errorf("%s: the secret shows in %s", uri, got)
		}
	}
}

func TestAWrongAddressIsNotRepeatedWithItsPassword(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{"mongodb://ecf:s3cret@db:port", "mongodb://ecf:s3%zzcret@db", "http://ecf:s3cret@db"} {
		_, err := mongox.Connect(uri, mongox.Options{})
		if err == nil || strings.Contains(err.Error(), "s3") {
			t.Errorf("%s: got error %v", uri, err)
		}
	}
}

// TestEveryWriteIsDurableAndBounded looks at the commands themselves.
func TestEveryWriteIsDurableAndBounded(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	var mu sync.Mutex
	commands := map[string]bson.Raw{}
	client, err := mongox.Connect(uri, mongox.Options{AppName: "test", Monitor: &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			mu.Lock()
			defer mu.Unlock()
			commands[e.CommandName] = append(bson.Raw(nil), e.Command...)
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	ctx := t.Context()
	if err := mongox.Ping(ctx, client); err != nil {
		t.Fatal(err)
	}
	things := client.Database(database).Collection("things")
	if err := things.FindOne(ctx, bson.D{}).Err(); !mongox.IsNoDocument(err) {
		t.Errorf("got error %v, want that there is no document", err)
	}
	if _, err := things.InsertOne(ctx, bson.D{{Key: "_id", Value: "a"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := things.InsertOne(ctx, bson.D{{Key: "_id", Value: "a"}}); !mongox.IsDuplicate(err) {
		t.Errorf("got error %v, want that it is a duplicate", err)
	}
	if _, err := things.UpdateOne(ctx, bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "x", Value: 1}}}}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, name := range []string{"insert", "update"} {
		concern := commands[name].Lookup("writeConcern").Document()
		if concern.Lookup("w").StringValue() != "majority" || !concern.Lookup("j").Boolean() {
			t.Errorf("%s is sent with the write concern %s", name, concern)
		}
	}
	for _, name := range []string{"insert", "update", "find"} {
		limit, ok := commands[name].Lookup("maxTimeMS").AsInt64OK()
		if !ok || limit <= 0 || limit > 4000 {
			t.Errorf("%s may take %d ms", name, limit)
		}
	}
}

// TestEveryReadIsAMajorityRead looks at the commands: a failover must not roll back what a write is based on.
func TestEveryReadIsAMajorityRead(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	var mu sync.Mutex
	levels := map[string]string{}
	client, err := mongox.Connect(uri, mongox.Options{Monitor: &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		mu.Lock()
		defer mu.Unlock()
		levels[e.CommandName], _ = e.Command.Lookup("readConcern", "level").StringValueOK()
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	things, ctx := client.Database(database).Collection("things"), t.Context()
	if err := things.FindOne(ctx, bson.D{}).Err(); !mongox.IsNoDocument(err) {
		t.Fatal(err)
	}
	if _, err := things.CountDocuments(ctx, bson.D{}); err != nil {
		t.Fatal(err)
	}
	if _, err := mongox.Distinct[string](ctx, things, "x", bson.D{}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, name := range []string{"find", "aggregate", "distinct"} {
		if levels[name] != "majority" {
			t.Errorf("%s is sent with the read concern %q", name, levels[name])
		}
	}
}

// TestADatabaseThatIsAwayIsToldInTime connects to a port without a listener.
func TestADatabaseThatIsAwayIsToldInTime(t *testing.T) {
	t.Parallel()
	client, err := mongox.Connect("mongodb://ecf:s3cret@127.0.0.1:1/?directConnection=true", mongox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	begun := time.Now()
	err = mongox.Ping(t.Context(), client)
	if err == nil || mongox.IsDuplicate(err) || mongox.IsNoDocument(err) || errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	if !mongox.IsOutage(err) {
		t.Errorf("%v is not told to be an outage", err)
	}
	// TestTimeouts verifies the limit exactly; the driver's own is 30 s.
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	if err != nil && strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the password shows in %v", err)
	}
}

// TestOutages breaks the connection of a working client, and then closes the listener: every failure is reported as
// an outage. Other failures are not.
func TestOutages(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	parsed, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	link := newLink(t, parsed.Host)
	parsed.Host = link.addr()
	query := parsed.Query()
	query.Set("directConnection", "true")
	query.Set("retryWrites", "false")
	query.Set("retryReads", "false")
	parsed.RawQuery = query.Encode()
	client, err := mongox.Connect(parsed.String(), mongox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	things := client.Database(database).Collection("things")
	insert := func(id string) error {
		_, err := things.InsertOne(t.Context(), bson.D{{Key: "_id", Value: id}})
		return err
	}
	if err := insert("a"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"duplicate":   insert("a"),
		"no document": things.FindOne(t.Context(), bson.D{{Key: "_id", Value: "b"}}).Err(),
		"bad query":   things.FindOne(t.Context(), bson.D{{Key: "$nonsense", Value: 1}}).Err(),
		"nil":         nil,
		"deadline":    context.DeadlineExceeded,
		"cancelled":   context.Canceled,
	} {
		if mongox.IsOutage(err) {
			t.Errorf("%s: %v is told to be an outage", name, err)
		}
	}
	link.cut()
	if err := insert("c"); !mongox.IsOutage(err) {
		t.Errorf("connection lost: got error %v", err)
	}
	link.close()
	if err := insert("d"); !mongox.IsOutage(err) {
		t.Errorf("nobody listens: got error %v", err)
	}
	if err := client.Disconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := insert("e"); !mongox.IsOutage(err) {
		t.Errorf("client closed: got error %v", err)
	}
}
