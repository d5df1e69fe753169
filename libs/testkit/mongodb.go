package testkit

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// engineReadyLimit is how long the engine may take to start, not counting its build.
const engineReadyLimit = 60 * time.Second

// engine is the server for the tests of this process: that of ECF_MONGODB_URI, or one
// that it starts. All tests share it, each with its own database, because it takes a
// second to start. It exits with the process, whose end closes its standard input.
var engine = sync.OnceValues(func() (*mongoServer, error) {
	server := &mongoServer{uri: os.Getenv("ECF_MONGODB_URI")}
	if server.uri == "" {
		if err := server.start(); err != nil {
			return nil, err
		}
	}
	var err error
	server.client, err = mongo.Connect(options.Client().ApplyURI(server.uri).SetTimeout(30 * time.Second))
	if err != nil {
		return nil, fmt.Errorf("connect to MongoDB: %w", err)
	}
	return server, nil
})

// mongoServer is a server with a client for cleaning up.
type mongoServer struct {
	uri    string
	client *mongo.Client
	// stdin is never written to nor closed: however this process ends, the engine reads
	// the end of its input and exits.
	stdin io.Closer
}

// MongoDB returns the URI of a server and the name of an empty database for this test.
// The server is that of ECF_MONGODB_URI or, if unset, the test engine, which is correct
// but slow: use a few dozen documents, not thousands. At the end of the test the
// database is dropped, and with it every database whose name starts with its name and
// an underscore.
func MongoDB(t testing.TB) (uri, database string) {
	t.Helper()
	server, err := engine()
	if err != nil {
		t.Fatalf("MongoDB for tests: %v", err)
	}
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	database = "ecf_test_" + hex.EncodeToString(random)
	t.Cleanup(func() {
		if err := server.drop(database); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return server.uri, database
}

// DropIndexes drops all indexes of a database except the unique ones.
func DropIndexes(t testing.TB, db *mongo.Database) {
	t.Helper()
	names, err := db.ListCollectionNames(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		indexes := db.Collection(name).Indexes()
		all, err := indexes.ListSpecifications(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			if i.Name == "_id_" || i.Unique != nil && *i.Unique {
				continue
			}
			if err := indexes.DropOne(t.Context(), i.Name); err != nil {
				t.Fatalf("drop index %s of %s: %v", i.Name, name, err)
			}
		}
	}
}

// LongLimits returns the URI with timeouts of a minute per operation instead of the
// product's four seconds, for tests that are not about timeouts and must pass on a busy
// machine.
func LongLimits(uri string) string {
	at, options, _ := strings.Cut(uri, "?")
	for _, limit := range []string{"timeoutMS=60000", "serverSelectionTimeoutMS=60000", "connectTimeoutMS=60000"} {
		name, _, _ := strings.Cut(limit, "=")
		if !strings.Contains(options, name+"=") {
			options += "&" + limit
		}
	}
	if !strings.Contains(strings.TrimPrefix(at, "mongodb://"), "/") {
		at += "/"
	}
	return at + "?" + strings.TrimPrefix(options, "&")
}

func (s *mongoServer) drop(database string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	names := []string{database}
	// A user who may not list databases may still drop this one.
	if all, err := s.client.ListDatabaseNames(ctx, bson.D{}); err == nil {
		for _, name := range all {
			if strings.HasPrefix(name, database+"_") {
				names = append(names, name)
			}
		}
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, s.client.Database(name).Drop(ctx))
	}
	return errors.Join(errs...)
}

// start builds and starts the engine.
func (s *mongoServer) start() error {
	path, err := buildEngine()
	if err != nil {
		return err
	}
	cmd := exec.Command(path)
	cmd.Stderr = os.Stderr
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	// Not with spawn: killed with this process, the engine could not remove its files.
	if err := cmd.Start(); err != nil {
		return err
	}
	if s.uri, err = readyURI(stdout, cmd.Process.Kill); err != nil {
		return errors.Join(err, cmd.Wait())
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// readyURI reads the first line of the engine, which has its URI.
func readyURI(stdout io.Reader, kill func() error) (string, error) {
	late := time.AfterFunc(engineReadyLimit, func() { _ = kill() })
	defer late.Stop()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the engine is not ready: %w", err)
	}
	uri, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok {
		return "", fmt.Errorf("the engine wrote %q", line)
	}
	return uri, nil
}
